"""Assembly of a ``ConversionResult`` from pieces: text, offsets, headings, page map.

Paragraphs of plain text. A form feed ends a page, as in RFCs and in the output
of ``pdftotext``. Boxes of lines are those of a line printer: 6 lines and 10 characters an inch on
letter paper.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.documents.conversion import (
    Block,
    BlockLabel,
    Heading,
    LabelSource,
    PageEntry,
    Structure,
    heading_tree,
)
from citeloom.domain.documents.spans import BBox, CharSpan, Line
from citeloom.domain.text.characters import without_hidden

#: Separator between blocks of the text.
SEPARATOR = "\n\n"


@dataclass(frozen=True)
class PrintedPlace:
    """The place of one piece, or of one line of it: page from 1, box in points from top left."""

    page: int
    bbox: BBox


@dataclass(frozen=True)
class BlockPiece:
    """A block before its place in the text is known.

    ``places`` holds one entry for the whole piece, or one for each of its text's lines.
    """

    label: BlockLabel
    text: str
    level: int | None = None
    places: tuple[PrintedPlace, ...] = ()


@dataclass(frozen=True)
class Page:
    """A page's number from 1, size in points, and the name it is known by, if it has one."""

    number: int
    width: float = 0.0
    height: float = 0.0
    label: str | None = None


@dataclass(frozen=True)
class Assembled:
    """The text with its blocks and their structure."""

    text: str
    blocks: tuple[Block, ...]
    structure: Structure


def assemble(
    pieces: Iterable[BlockPiece],
    pages: Sequence[Page] = (),
    *,
    sections_end_with_page: bool = False,
) -> Assembled:
    """Join ``pieces`` with an empty line between them; empty ones are left out.

    With ``sections_end_with_page`` (slides, sheets) a section ends with the page on which it
    begins, even if the next page has no heading.
    """
    parts: list[str] = []
    blocks: list[Block] = []
    offset = 0
    for piece in pieces:
        text = clean(piece.text)
        if not text:
            continue
        span = CharSpan(start=offset, end=offset + len(text))
        blocks.append(
            Block(
                label=piece.label,
                span=span,
                level=piece.level if piece.label is BlockLabel.SECTION_HEADER else None,
                lines=_lines(text, offset, piece.places),
            )
        )
        parts.append(text)
        offset = span.end + len(SEPARATOR)
    whole = SEPARATOR.join(parts)
    spans = _page_spans(blocks)
    headings = heading_tree(
        [
            (
                re.sub(r"\s+", " ", whole[block.span.start : block.span.end]),
                block.level,
                block.span.start,
                block.pages.start if block.pages else None,
            )
            for block in blocks
            if block.level is not None
        ],
        len(whole),
    )
    if sections_end_with_page:
        ends = {page: page_spans[-1].end for page, page_spans in spans.items()}
        headings = tuple(_end_with_page(heading, ends) for heading in headings)
    page_map = tuple(
        PageEntry(
            page=page.number,
            label=page.label,
            label_source=LabelSource.SHEET if page.label else None,
            width=page.width,
            height=page.height,
            spans=tuple(spans.get(page.number, ())),
        )
        for page in pages
    )
    return Assembled(whole, tuple(blocks), Structure(heading_tree=headings, page_map=page_map))


def clean(text: str) -> str:
    """``text`` without characters that a reader does not see and outer white space.

    Vertical tabs are the line breaks of slides; lone surrogates cannot be stored as UTF-8.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0b", "\n")
    text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return without_hidden(text).strip()


_SURROGATE = re.compile("[\ud800-\udfff]")


def _lines(text: str, offset: int, places: tuple[PrintedPlace, ...]) -> tuple[Line, ...]:
    rows = text.split("\n")
    if len(places) != len(rows) or len(rows) == 1:
        end = offset + len(text)
        return tuple(Line(offset, end, place.page, place.bbox) for place in places)
    lines: list[Line] = []
    for row, place in zip(rows, places, strict=True):
        lines.append(Line(offset, offset + len(row), place.page, place.bbox))
        offset += len(row) + 1
    return tuple(lines)


def _page_spans(blocks: Iterable[Block]) -> dict[int, list[CharSpan]]:
    """The slices of the text on each page; adjacent ones are merged."""
    spans: dict[int, list[CharSpan]] = {}
    last_page = None
    for block in blocks:
        for line in block.lines:
            page_spans = spans.setdefault(line.page, [])
            if page_spans and last_page == line.page:
                start, end = page_spans[-1].start, max(page_spans[-1].end, line.end)
                page_spans[-1] = CharSpan(start=start, end=end)
            else:
                page_spans.append(CharSpan(start=line.start, end=line.end))
            last_page = line.page
    return spans


def _end_with_page(heading: Heading, ends: Mapping[int, int]) -> Heading:
    end = ends.get(heading.page, heading.span.end) if heading.page else heading.span.end
    return heading.model_copy(
        update={
            "span": CharSpan(start=heading.span.start, end=min(end, heading.span.end)),
            "children": tuple(_end_with_page(child, ends) for child in heading.children),
        }
    )


PAGE_WIDTH, PAGE_HEIGHT = 612.0, 792.0
_LINE, _CHARACTER, _MARGIN = 12.0, 7.2, 36.0

_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")


def paragraphs(text: str) -> Iterator[BlockPiece]:
    """Paragraphs are separated by empty lines."""
    paged = "\f" in text
    for number, page in enumerate(text.split("\f"), start=1):
        for match in _PARAGRAPH.finditer(page):
            first_row = page.count("\n", 0, match.start())
            places = _places(match.group().split("\n"), number, first_row) if paged else ()
            yield BlockPiece(BlockLabel.TEXT, match.group(), places=places)


def pages_of(text: str) -> tuple[Page, ...]:
    """Pages by form feeds, one more than there are; none without any. A form feed at the very end
    only ends the last page."""
    count = len(text.rstrip().split("\f")) if "\f" in text.rstrip() else int("\f" in text)
    return tuple(Page(number, PAGE_WIDTH, PAGE_HEIGHT) for number in range(1, count + 1))


def _places(rows: list[str], page: int, first_row: int) -> tuple[PrintedPlace, ...]:
    places = []
    for offset, row in enumerate(rows):
        top = _MARGIN + (first_row + offset) * _LINE
        left = _MARGIN + (len(row) - len(row.lstrip())) * _CHARACTER
        right = _MARGIN + len(row.rstrip()) * _CHARACTER
        places.append(PrintedPlace(page, (left, top, right, top + _LINE)))
    return tuple(places)
