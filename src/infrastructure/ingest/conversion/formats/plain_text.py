"""Paragraphs of plain text and simple Markdown.

A form feed ends a page, as in RFCs and in the output of ``pdftotext``. Boxes of lines are those of
a line printer: 6 lines and 10 characters an inch on letter paper.
"""

import re
from collections.abc import Iterator

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.formats.assembly import (
    BlockPiece,
    Page,
    PrintedPlace,
)

PAGE_WIDTH, PAGE_HEIGHT = 612.0, 792.0
_LINE, _CHARACTER, _MARGIN = 12.0, 7.2, 36.0

_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*\Z")


def paragraphs(text: str, *, headings: bool = False) -> Iterator[BlockPiece]:
    """Paragraphs are separated by empty lines; with ``headings``, a line after ``#`` is one."""
    paged = "\f" in text
    for number, page in enumerate(text.split("\f"), start=1):
        for match in _PARAGRAPH.finditer(page):
            first_row = page.count("\n", 0, match.start())
            rows = match.group().split("\n")
            for start, part, level in _split(rows, headings):
                yield BlockPiece(
                    BlockLabel.SECTION_HEADER if level else BlockLabel.TEXT,
                    "\n".join(part),
                    level,
                    _places(part, number, first_row + start) if paged else (),
                )


def pages_of(text: str) -> tuple[Page, ...]:
    """One page more than there are form feeds; none without any.

    A form feed at the very end ends the last page and begins none.
    """
    count = len(text.rstrip().split("\f")) if "\f" in text.rstrip() else int("\f" in text)
    return tuple(Page(number, PAGE_WIDTH, PAGE_HEIGHT) for number in range(1, count + 1))


def _split(rows: list[str], headings: bool) -> Iterator[tuple[int, list[str], int | None]]:
    """Runs of rows: headings stand alone even without an empty line around them."""
    start = 0
    for index, row in enumerate(rows):
        heading = _HEADING.match(row) if headings else None
        if heading:
            if start < index:
                yield start, rows[start:index], None
            yield index, [heading.group(2)], len(heading.group(1))
            start = index + 1
    if start < len(rows):
        yield start, rows[start:], None


def _places(rows: list[str], page: int, first_row: int) -> tuple[PrintedPlace, ...]:
    places = []
    for offset, row in enumerate(rows):
        top = _MARGIN + (first_row + offset) * _LINE
        left = _MARGIN + (len(row) - len(row.lstrip())) * _CHARACTER
        right = _MARGIN + len(row.rstrip()) * _CHARACTER
        places.append(PrintedPlace(page, (left, top, right, top + _LINE)))
    return tuple(places)
