"""Decoding, paragraphs, assembling, identifiers: what needs no library."""

from pathlib import Path

import pytest

from citeloom.domain.documents.conversion import BlockLabel, LabelSource
from citeloom.domain.errors import CiteLoomError, ConversionTimeout, PasswordNeeded
from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion.formats.assembly import (
    BlockPiece,
    Page,
    PrintedPlace,
    assemble,
)
from citeloom.infrastructure.ingest.conversion.formats.plain_text import pages_of, paragraphs
from citeloom.infrastructure.ingest.conversion.formats.text_encoding import decode, is_binary
from citeloom.infrastructure.ingest.conversion.identifiers import (
    identifiers_of,
    is_reference_heading,
)
from citeloom.infrastructure.ingest.conversion.protocol import error_from_header, error_to_header


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(encoding: str) -> None:
    raw = "Слово\r\n漢字\r".encode(encoding)
    assert decode(raw) == ("Слово\n漢字\n", None)
    assert not is_binary(raw)


def test_every_byte_stands_for_something() -> None:
    text, warning = decode(bytes(range(256)))
    assert len(text) == 256
    assert warning is not None
    assert is_binary(b"a\x00b")


def test_every_suffix_belongs_to_a_format_and_is_lower_case() -> None:
    for format_ in format_table.FORMATS:
        for suffix in format_.suffixes:
            assert suffix == suffix.lower()
            assert format_table.promised_format(Path(f"X{suffix.upper()}")) is not None
    assert not any(format_table.promised_format(Path(f"X{each}")) for each in format_table.INSTEAD)


def test_shared_suffixes_promise_the_common_format() -> None:
    assert format_table.promised_format(Path("a.xml")) is format_table.JATS
    assert format_table.promised_format(Path("a.txt")) is format_table.TEXT


def test_headings_stand_alone_even_in_a_run_of_lines() -> None:
    found = list(paragraphs("# One\ntext\n## Two ##\nmore\nlines\n#hashtag\n", headings=True))
    assert [(piece.level, piece.text) for piece in found] == [
        (1, "One"),
        (None, "text"),
        (2, "Two"),
        (None, "more\nlines\n#hashtag"),
    ]


@pytest.mark.parametrize(
    ("text", "pages"), [("a", 0), ("a\f", 1), ("a\fb", 2), ("a\f\fb\f\n", 3), ("", 0), ("\f", 1)]
)
def test_pages_are_counted_by_form_feeds(text: str, pages: int) -> None:
    assert len(pages_of(text)) == pages


def test_an_empty_page_has_an_entry_without_text() -> None:
    done = assemble(paragraphs("one\f\ftwo"), pages_of("one\f\ftwo"))
    assert [len(entry.spans) for entry in done.structure.page_map] == [1, 0, 1]


def test_empty_pieces_leave_no_trace_and_control_characters_go() -> None:
    done = assemble(
        [BlockPiece(BlockLabel.TEXT, text) for text in ("a\x0bb", " \n", "c\x00\ud800")]
    )
    assert done.text == "a\nb\n\nc\N{REPLACEMENT CHARACTER}"
    assert len(done.blocks) == 2


def test_a_section_of_a_slide_ends_with_the_slide() -> None:
    def piece(label: BlockLabel, text: str, page: int, level: int | None = None) -> BlockPiece:
        return BlockPiece(label, text, level, (PrintedPlace(page, (0.0, 0.0, 9.0, 9.0)),))

    pieces = [
        piece(BlockLabel.SECTION_HEADER, "Head", 1, 1),
        piece(BlockLabel.TEXT, "body", 1),
        piece(BlockLabel.TEXT, "next slide", 2),
    ]
    pages = [Page(1, label="i"), Page(2)]
    done = assemble(pieces, pages, sections_end_with_page=True)
    assert done.structure.heading_tree[0].span.end == len("Head\n\nbody")
    assert done.structure.section_path_at(len(done.text) - 1) is None
    assert done.structure.label_of(1) == "i"
    flowing = assemble(pieces, pages)
    assert flowing.structure.heading_tree[0].span.end == len(flowing.text)


def test_own_identifiers_come_first_and_citations_never() -> None:
    text = "arXiv:1706.03762v5 and https://doi.org/10.1234/AB.(1)2. Then 10.9999/x"
    found = identifiers_of(["doi:10.5555/Meta"], text, text.index("Then"))
    assert found == ("10.5555/meta", "10.1234/ab.(1)2", "arXiv:1706.03762")
    assert identifiers_of([], "a" * 3000 + " 10.1234/late", None) == ()


@pytest.mark.parametrize("title", ["References", "7. REFERENCES", "Literatur", "参考文献"])
def test_reference_headings(title: str) -> None:
    assert is_reference_heading(title)
    assert not is_reference_heading(f"{title} to earlier work")


@pytest.mark.parametrize(
    "error",
    [
        PasswordNeeded("a.pdf: password needed; pass --password", wrong=True),
        ConversionTimeout("a.pdf: too slow; split it", timeout_seconds=1.0),
        CiteLoomError("odd", path=Path("x")),
    ],
)
def test_errors_survive_the_wire(error: CiteLoomError) -> None:
    back = error_from_header(error_to_header(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert set(back.details) == set(error.details)


def test_labels_of_sheets_say_that_they_are_names() -> None:
    pieces = [BlockPiece(BlockLabel.TEXT, "Yield", places=(PrintedPlace(1, (0.0, 0.0, 1.0, 1.0)),))]
    pages = [Page(1, 10.0, 10.0, "Plots"), Page(2, 10.0, 10.0)]
    first, second = assemble(pieces, pages).structure.page_map
    assert (first.label, first.label_source) == ("Plots", LabelSource.SHEET)
    assert second.label_source is None
