"""No sentence of a conversion is invented without a mark, whatever interrupts the text."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.pdf.interrupted_text import (
    KINDS,
    Interrupted,
    Writer,
    box_between_columns,
    box_of_prose,
    caption_in_the_size_of_the_text,
    caption_within,
    code_within,
    drawn,
    figure_over_columns,
    heads_of_a_scan,
    heads_over_columns_of_a_scan,
    low_heads,
    note_in_the_size_of_the_text,
    notes_in_the_margin,
    table_within,
    three_columns,
)
from support.pdf.written_pdf import Text, write_pdf

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.fidelity import letters_of
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.text.sentences import sentence_spans
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

SEEDS = range(12)
OF_SEVERAL_PAGES = (low_heads, heads_of_a_scan, heads_over_columns_of_a_scan)  # half the seeds
FEWEST = 5  # words of a sentence that is looked at
# Least share of the sentences that is found whole and without a mark. The other reading has a
# caption, a listing or a box where it stands in the content, and the sentence around it is marked.
# Notes and captions count as sentences, but are not running text; text close below a caption is
# taken for it.
MOSTLY = dict.fromkeys(KINDS, 0.98) | {
    caption_within: 0.85,
    code_within: 0.88,
    box_of_prose: 0.9,
    note_in_the_size_of_the_text: 0.94,
    caption_in_the_size_of_the_text: 0.6,
    table_within: 0.92,
    box_between_columns: 0.8,
    notes_in_the_margin: 0.88,
    figure_over_columns: 0.88,
    three_columns: 0.9,
}


def sentences(document: ConversionResult) -> Iterator[CharSpan]:
    for block in document.blocks:
        text = document.text_of(block.span) if block.is_prose else ""
        for start, end in sentence_spans(text):
            if len(text[start:end].split()) >= FEWEST:
                yield CharSpan(start=block.span.start + start, end=block.span.start + end)


def converted(made: Interrupted, folder: Path) -> ConversionResult:
    return convert_pdf(write_pdf(folder / "made.pdf", made.pages), "id")


@pytest.mark.parametrize("kind", KINDS)
def test_no_sentence_is_invented_without_a_mark(
    kind: Callable[[Writer], list[list[Text]]], tmp_path: Path
) -> None:
    whole = total = 0
    for made in drawn(kind, SEEDS[::2] if kind in OF_SEVERAL_PAGES else SEEDS):
        document = converted(made, tmp_path)
        written = {letters_of(sentence) for sentence in made.sentences}
        marked = set(document.disputed)
        unmarked = [span for span in sentences(document) if span not in marked]
        for span in unmarked:
            found = document.text_of(span)
            assert any(letters_of(found) in sentence for sentence in written), found
        whole += len({letters_of(document.text_of(span)) for span in unmarked} & written)
        total += len(written)
    assert whole >= MOSTLY[kind] * total
