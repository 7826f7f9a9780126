"""Result of a conversion: text, blocks with positions, heading tree, page map."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import takewhile
from typing import Self

from pydantic import Field, model_validator

from citeloom.domain.value import Value

from .fidelity import DocumentFidelity, PageFidelity
from .spans import BBox, CharSpan, Line, PageSpan, SectionPath


class BlockLabel(StrEnum):
    """Kind of a block; the values are docling's ``DocItemLabel`` where one exists.

    FIGURE_TEXT is the text in a picture (labels of axes, boxes of a diagram), a line for each
    line of it, below the picture's caption. It is not a part of the sentences around it."""

    TITLE = "title"
    AUTHORS = "authors"
    SECTION_HEADER = "section_header"
    TEXT = "text"
    LIST_ITEM = "list_item"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    FORMULA = "formula"
    TABLE = "table"
    CODE = "code"
    REFERENCE = "reference"
    FIGURE_TEXT = "figure_text"


class Block(Value):
    """A paragraph, heading, table, …: a slice of the text with its lines on the page.

    ``lines`` is empty in formats without pages; their offsets are within the block's.
    ``level`` is set on section headers only, 1 for the outermost. ``aside``: a margin note.
    """

    label: BlockLabel
    span: CharSpan
    level: int | None = Field(default=None, ge=1)
    lines: tuple[Line, ...] = ()
    aside: bool = False

    @property
    def is_prose(self) -> bool:
        """Whether the block is running text: a paragraph or list item."""
        return self.label in (BlockLabel.TEXT, BlockLabel.LIST_ITEM) and not self.aside

    @property
    def pages(self) -> PageSpan | None:
        return PageSpan.covering(line.page for line in self.lines)


class Furniture(Value):
    """Page furniture (running heads and feet, page numbers), which is not in the text."""

    page: int = Field(ge=1)
    text: str
    bbox: BBox


class Figure(Value):
    """The box of a picture, and its caption if one was found."""

    page: int = Field(ge=1)
    bbox: BBox
    caption: str | None = None


class Heading(Value):
    """A section: title and span of its text, heading included."""

    title: str = Field(min_length=1)
    level: int = Field(ge=1)
    span: CharSpan
    page: int | None = Field(default=None, ge=1)
    children: tuple["Heading", ...] = ()

    def walk(self) -> "Iterator[Heading]":
        """This heading and all below it, in reading order."""
        yield self
        for child in self.children:
            yield from child.walk()


class LabelSource(StrEnum):
    """Source of a page label: declared by the PDF (/PageLabels), printed on the page, counted from
    the pages beside it that print theirs, derived from the page range of the library item, or a
    sheet's name."""

    PDF = "pdf"
    PRINTED = "printed"
    COUNTED = "counted"
    CSL = "csl"
    SHEET = "sheet"


class PageEntry(Value):
    """A page: number from 1, printed label, size in points, and spans of its text."""

    page: int = Field(ge=1)
    label: str | None = None
    label_source: LabelSource | None = None
    width: float = 0.0
    height: float = 0.0
    spans: tuple[CharSpan, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        return page_labels_in(self.label) if self.label else ()


_TWO_PAGES = re.compile(r"(\d{1,6})\u2013(\d{1,6})")


def page_labels_in(label: str) -> tuple[str, ...]:
    """The labels of the printed pages that a page of the file shows: two for ``12–13``."""
    two = _TWO_PAGES.fullmatch(label)
    return two.groups() if two and int(two[2]) == int(two[1]) + 1 else (label,)


class Structure(Value):
    """The heading tree and the page map; both are required, either may be empty."""

    heading_tree: tuple[Heading, ...]
    page_map: tuple[PageEntry, ...]

    def headings(self) -> Iterator[Heading]:
        for heading in self.heading_tree:
            yield from heading.walk()

    def section_path_at(self, offset: int) -> SectionPath | None:
        """The headings of the sections around the character at ``offset``."""
        segments: list[str] = []
        level: tuple[Heading, ...] = self.heading_tree
        while inside := next((h for h in level if h.span.start <= offset < h.span.end), None):
            segments.append(inside.title)
            level = inside.children
        return SectionPath(segments=tuple(segments)) if segments else None

    @property
    def labels(self) -> dict[int, str | None]:
        """The printed label of each page, or None where it is not known."""
        return {entry.page: entry.label for entry in self.page_map}

    def entry_of(self, page: int) -> PageEntry | None:
        if 1 <= page <= len(self.page_map) and self.page_map[page - 1].page == page:
            return self.page_map[page - 1]
        return next((entry for entry in self.page_map if entry.page == page), None)

    def label_of(self, page: int) -> str | None:
        entry = self.entry_of(page)
        return entry.label if entry else None


class ConversionResult(Value):
    """A converted document.

    ``doc_id`` is the sha256 of the file's content (hex). ``plain_text`` has the blocks in
    reading order, separated by an empty line. ``identifiers`` are DOIs and arXiv ids of the
    file's metadata and first pages, most trustworthy first, then ``pmid:`` and ``isbn:`` ones of
    its metadata. ``ocr_pages`` were read by OCR;
    ``missing_pages`` have no readable text and no OCR (``warnings`` say why). ``fidelity`` is that
    of the pages that were compared with an independent reading, in order; of others it is unknown.
    ``disputed`` are sentences whose words that reading does not have side by side.
    ``title``, ``authors`` and ``year`` of publication are the file's own: without reference they
    stand for a citation, and are evidence for one. So are ``container_title`` (of the journal or
    proceedings), ``volume``, ``issue`` and ``pages``, the printed range (``63-75``).
    ``uncertain`` names the fields among these that have one weak source, or sources that disagree.
    """

    doc_id: str = Field(min_length=1)
    structure: Structure
    plain_text: str
    blocks: tuple[Block, ...] = ()
    furniture: tuple[Furniture, ...] = ()
    figures: tuple[Figure, ...] = ()
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    container_title: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    uncertain: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    language: str | None = None
    mime_type: str = "application/octet-stream"
    converter: str = ""
    warnings: tuple[str, ...] = ()
    ocr_pages: tuple[int, ...] = ()
    missing_pages: tuple[int, ...] = ()
    fidelity: tuple[PageFidelity, ...] = ()
    disputed: tuple[CharSpan, ...] = ()

    @model_validator(mode="after")
    def _offsets_hold(self) -> Self:
        size = len(self.plain_text)
        for block in self.blocks:
            if block.span.end > size:
                raise ValueError(f"a block ends at {block.span.end}, after the text's end {size}")
        for entry in self.structure.page_map:
            if any(span.end > size for span in entry.spans):
                raise ValueError(f"page {entry.page} maps to offsets after the text's end {size}")
        return self

    @property
    def page_count(self) -> int:
        return len(self.structure.page_map)

    @property
    def document_fidelity(self) -> DocumentFidelity | None:
        """The summary of ``fidelity``; None if no page was compared."""
        pages = (entry.page for entry in self.structure.page_map)
        return DocumentFidelity.of(self.fidelity, pages, self.disputed)

    def is_uncertain(self, span: CharSpan) -> bool | None:
        """Whether a page of the text in ``span`` is uncertain, or a sentence of it disputed; None
        if that is not known."""
        known = self.document_fidelity
        pages = (
            line.page
            for block in self.blocks
            for line in block.lines
            if line.start < span.end and span.start < line.end
        )
        return known.is_uncertain(pages, span) if known else None

    def is_page_uncertain(self, page: int) -> bool | None:
        """Whether a page (from 1) is uncertain, or a sentence on it disputed; None if that is not
        known."""
        known, entry = self.document_fidelity, self.structure.entry_of(page)
        if known is None:
            return None
        on_page = any(known.disputed_in(span) for span in (entry.spans if entry else ()))
        return on_page or known.is_uncertain((page,))

    def paragraph_at(self, block: int) -> int:
        """The paragraph of a block (from 0) in its section, from 1: of a heading that of the text
        below it; tables and other blocks belong to the paragraph before."""
        heads = (BlockLabel.TITLE, BlockLabel.SECTION_HEADER)
        here = range(block, len(self.blocks))
        text = next((at for at in here if self.blocks[at].label not in heads), block)
        before = (self.blocks[at] for at in range(text, -1, -1))
        section = takewhile(lambda one: one.label not in heads, before)
        return max(1, sum(one.label is BlockLabel.TEXT for one in section))

    def text_of(self, span: CharSpan) -> str:
        return self.plain_text[span.start : span.end]


HeaderEntry = tuple[str, int, int, int | None]
"""Title, level (1 for the outermost), offset of its first character, page or None."""


def heading_tree(headers: Sequence[HeaderEntry], text_end: int) -> tuple[Heading, ...]:
    """Nest headings by level; a section ends at the next heading of its level or above. Levels may
    jump: a heading belongs to the nearest earlier one of a smaller level, else to the root.
    Headings without a title are skipped."""
    entries = sorted((h for h in headers if h[0].strip()), key=lambda h: h[2])
    tree, _ = _sections(entries, 0, 0, text_end)
    return tree


def _sections(
    entries: Sequence[HeaderEntry], at: int, above: int, text_end: int
) -> tuple[tuple[Heading, ...], int]:
    """The sections from ``at`` on whose level is greater than ``above``, and where they end."""
    sections: list[Heading] = []
    while at < len(entries) and entries[at][1] > above:
        title, level, start, page = entries[at]
        children, after = _sections(entries, at + 1, level, text_end)
        end = entries[after][2] if after < len(entries) else text_end
        sections.append(
            Heading(
                title=title.strip(),
                level=level,
                span=CharSpan(start=start, end=max(start, end)),
                page=page,
                children=children,
            )
        )
        at = after
    return tuple(sections), at
