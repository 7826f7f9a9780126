"""Paragraphs and pages of plain text."""

from support.cases import each

from citeloom.infrastructure.ingest.conversion.formats.assembly import (
    assemble,
    pages_of,
    paragraphs,
)


@each(("text", "pages"), [("a", 0), ("a\f", 1), ("a\fb", 2), ("a\f\fb\f\n", 3), ("", 0), ("\f", 1)])
def test_pages_are_counted_by_form_feeds(text: str, pages: int) -> None:
    assert len(pages_of(text)) == pages


def test_an_empty_page_has_an_entry_without_text() -> None:
    done = assemble(paragraphs("one\f\ftwo"), pages_of("one\f\ftwo"))
    assert [len(entry.spans) for entry in done.structure.page_map] == [1, 0, 1]
