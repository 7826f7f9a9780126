"""What every chunker does with every document, whatever counts the tokens."""

import itertools
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, note, settings
from support.builders import a_document, paragraph
from support.documents import documents
from support.in_memory.embedder import WordTokens

from citeloom.application.ports.ingest import Chunker
from citeloom.application.ports.models import TokenCounter
from citeloom.domain.citation.metadata import labels_of
from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult
from citeloom.domain.documents.spans import Chunk, PageSpan, regions_of
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.infrastructure.ingest.chunking.structural import StructuralChunker
from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

HEADINGS = (BlockLabel.SECTION_HEADER, BlockLabel.TITLE)
BUNDLED = BundledEmbedder()


class CharacterTokens:
    """The finest there can be: every character that is seen is a token."""

    def count(self, text: str) -> int:
        return len(self.ends(text))

    def ends(self, text: str) -> Sequence[int]:
        return [n for n, c in enumerate(text, start=1) if not c.isspace()]


class MarkedTokens:
    """Like byte pairs: line ends count, and each word begins with a piece of its own, so
    that a text costs more than its parts and a part of a word more than within it."""

    def count(self, text: str) -> int:
        return len(self.ends(text))

    def ends(self, text: str) -> Sequence[int]:
        found: list[int] = []
        for match in re.finditer(r"\n|[^\s]+", text):
            found.append(match.start() + 1)
            found += range(match.start() + 5, match.end() + 4, 4)
        return [min(end, len(text)) for end in found]


def model(max_tokens: int) -> EmbeddingModel:
    return EmbeddingModel(name="m", dimension=3, digest="0" * 64, max_tokens=max_tokens)


CASES = {
    "words": (StructuralChunker(), WordTokens(), model(64)),
    "characters": (StructuralChunker(), CharacterTokens(), model(128)),
    "tiny window": (StructuralChunker(), WordTokens(), model(8)),
    "marked words": (StructuralChunker(), MarkedTokens(), model(128)),
    "bundled model": (StructuralChunker(), BUNDLED.tokens, BUNDLED.model),
    "own limit": (StructuralChunker(max_tokens=100), BUNDLED.tokens, BUNDLED.model),
}
Case = tuple[Chunker, TokenCounter, EmbeddingModel]
Chunks = Sequence[Chunk]
over_all_cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def bodies(document: ConversionResult, chunk: Chunk) -> list[Block]:
    """The blocks that a chunk has words of, headings aside."""
    span = chunk.char_span
    return [
        block
        for block in document.blocks
        if block.label not in HEADINGS
        and document.plain_text[
            max(block.span.start, span.start) : min(block.span.end, span.end)
        ].strip()
    ]


def in_margin(document: ConversionResult, chunk: Chunk) -> bool:
    found = bodies(document, chunk)
    return bool(found) and all(block.aside for block in found)


def cut(case: Case, document: ConversionResult) -> Chunks:
    chunker, tokens, wanted = case
    return chunker.chunk(document, wanted, tokens)


Promise = Callable[[Case, ConversionResult, Chunks], None]
PROMISES: list[Promise] = []


def promise(check: Promise) -> Promise:
    PROMISES.append(check)
    return check


@over_all_cases
@settings(max_examples=20)
@given(document=documents())
def test_every_promise_is_kept(case: Case, document: ConversionResult) -> None:
    """All are held against each document: documents take longest to draw."""
    chunks = cut(case, document)
    for check in PROMISES:
        note(check.__name__)
        check(case, document, chunks)


@promise
def every_chunk_is_the_exact_slice_that_it_claims(
    case: Case, document: ConversionResult, chunks: Chunks
) -> None:
    for chunk in chunks:
        assert chunk.text == document.text_of(chunk.char_span)
        assert chunk.text == chunk.text.strip()
        assert chunk.doc_id == document.doc_id


@promise
def no_text_is_lost(case: Case, document: ConversionResult, chunks: Chunks) -> None:
    covered = set[int]()
    for chunk in chunks:
        covered.update(range(chunk.char_span.start, chunk.char_span.end))
    for block in document.blocks:
        for at in range(block.span.start, block.span.end):
            assert at in covered or document.plain_text[at].isspace()


@promise
def every_chunk_fits_the_window_with_all_that_is_put_in_front_of_it(
    case: Case, document: ConversionResult, chunks: Chunks
) -> None:
    _, tokens, wanted = case
    for chunk in chunks:
        assert tokens.count(chunk.embedding_text()) <= wanted.max_tokens - 2


@promise
def chunks_come_in_reading_order_and_what_stands_in_the_margin_after_the_text(
    case: Case, document: ConversionResult, chunks: Chunks
) -> None:
    beside = [in_margin(document, chunk) for chunk in chunks]
    assert sorted(beside) == beside
    assert [chunk.chunk_idx for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for (earlier, before), (later, after) in itertools.pairwise(zip(beside, chunks, strict=True)):
        if earlier == later:
            assert before.char_span.start < after.char_span.start
            assert before.char_span.end < after.char_span.end


@promise
def no_chunk_has_both_running_text_and_notes_in_the_margin(
    case: Case, document: ConversionResult, chunks: Chunks
) -> None:
    for chunk in chunks:
        assert len({block.aside for block in bodies(document, chunk)}) <= 1


@promise
def the_same_document_always_gives_the_same_chunks(
    case: Case, document: ConversionResult, chunks: Chunks
) -> None:
    again = ConversionResult.model_validate_json(document.model_dump_json())
    assert list(chunks) == list(cut(case, again))


@promise
def pages_labels_and_regions_are_those_of_the_lines_touched(
    case: Case, document: ConversionResult, chunks: Chunks
) -> None:
    labels = {entry.page: entry.label for entry in document.structure.page_map}
    for chunk in chunks:
        span = chunk.char_span
        lines = [
            line
            for block in document.blocks
            for line in block.lines
            if line.start < span.end and line.end > span.start
        ]
        assert chunk.page_span == PageSpan.covering(line.page for line in lines)
        assert chunk.page_labels == labels_of(chunk.page_span, labels)
        assert chunk.regions == regions_of(lines)


@promise
def no_chunk_crosses_a_section_of_the_top_two_levels(
    case: Case, document: ConversionResult, chunks: Chunks
) -> None:
    for chunk in chunks:
        touched = [
            block
            for block in document.blocks
            if block.span.start < chunk.char_span.end
            and block.span.end > chunk.char_span.start
            and block.label not in HEADINGS
            and document.text_of(block.span).strip()
        ]
        found = [document.structure.section_path_at(block.span.start) for block in touched]
        tops = {path.segments[:2] if path else () for path in found}
        assert len(tops) <= 1


@promise
def the_section_path_of_a_chunk_leads_to_every_block_in_it(
    case: Case, document: ConversionResult, chunks: Chunks
) -> None:
    front = (document.title,) if document.title else ()
    for chunk in chunks:
        for block in document.blocks:
            inside = (
                block.span.start < chunk.char_span.end
                and block.span.end > chunk.char_span.start
                and block.label not in HEADINGS
                and document.text_of(block.span).strip()
            )
            if inside:
                found = document.structure.section_path_at(block.span.start)
                path = found.segments if found else front
                assert path[: len(chunk.section_path)] == chunk.section_path


@over_all_cases
def test_a_document_without_text_has_no_chunks(case: Case) -> None:
    assert list(cut(case, a_document([]))) == []
    assert list(cut(case, a_document([paragraph("  \n ")]))) == []
