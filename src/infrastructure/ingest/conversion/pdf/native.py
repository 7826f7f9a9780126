"""CiteLoom's own reader of PDFs: page records by pdfium, OCR for missing text, layout.

A layout's blocks are in reading order; the position of figures and the nesting of lists remain.
"""

import ctypes
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, partial
from types import TracebackType
from typing import IO, NamedTuple, Self

import pypdfium2

from citeloom.domain.documents.conversion import BlockLabel, Figure, Furniture
from citeloom.domain.documents.spans import rounded, union
from citeloom.domain.errors import ConversionFailed
from citeloom.domain.text.phrasing import counted, numbered_pages
from citeloom.infrastructure.ingest.conversion.protocol import Options, PageProgress, Phase, Report
from citeloom.infrastructure.ingest.conversion.worker import failure_reason
from citeloom.infrastructure.maps.evidence.pdf_characters import text_displacement

from .blocks.figures import has_background
from .fonts.character_maps import with_character_maps
from .headings.outlines import OutlineEntry
from .layout import DocumentLayout, LaidBlock, lay_out
from .ocr.engine_choice import Choice, choose_engine
from .ocr.ocr_words import text_layer_warnings
from .ocr.page_ocr import OcrSummary, read_missing, summarise
from .page_content.hidden_text import Hidden
from .page_content.readable_words import draw_fields, open_form
from .page_record import PageRecord
from .reading import PdfFile, PdfPiece, PdfReading, body_of, in_page_order
from .segmentation import LaidFigure
from .words.decode_page import PageDecoder


def hidden_text_warnings(pages: Mapping[int, Mapping[Hidden, int]]) -> list[str]:
    """What was left out, in a sentence. ``pages`` counts the words by page (from 1) and reason."""
    counts = {page: found for page, found in sorted(pages.items()) if sum(found.values())}
    if not counts:
        return []
    total = sum(sum(found.values()) for found in counts.values())
    reasons = {reason for found in counts.values() for reason, count in found.items() if count}
    words = "1 hidden word was" if total == 1 else f"{total} hidden words were"
    why = ", ".join(reason for reason in Hidden if reason in reasons)
    return [f"{numbered_pages([*counts])}: {words} left out ({why})"]


def control_warnings(pages: Mapping[int, int]) -> list[str]:
    """``pages`` counts words with characters that turn or hide text by page (from 1)."""
    counts = {page: count for page, count in sorted(pages.items()) if count}
    if not counts:
        return []
    return [
        f"{numbered_pages([*counts])}: characters that turn or hide text (bidirectional controls, "
        f"tags) were left out of {counted(sum(counts.values()), 'word')}"
    ]


# pdfium keeps every font and picture until the document is closed. It is opened again every 64
# pages, so that a thousand pages fit in memory.
REOPEN_EVERY = 64
OUTLINE_IGNORED = "the PDF's outline does not match its text and was ignored"


def read(file: PdfFile, options: Options, report: Report) -> PdfReading:
    """See ``PdfReader``."""
    engine = cache(partial(choose_engine, options))
    with _OpenFile(file) as document:
        pages = document.pages(report)
        if not pages.records:
            raise _cannot_be_parsed(file.name, "a part of it is missing or damaged")
        outline = document.outline()
    is_scan = pages.records[0].page == 1 and has_background(pages.records[0])
    layout, ocr, warnings = _laid_out(pages, outline, file, engine, report)
    furniture, figures = in_page_order(
        (Furniture(page=f.page, text=f.text, bbox=rounded(f.box)) for f in layout.furniture),
        _figures(layout),
    )
    return PdfReading(
        body=body_of(pieces(layout)),
        furniture=furniture,
        figures=figures,
        front_matter=layout.front_matter,
        numbers=layout.numbers,
        warnings=warnings,
        fidelity=layout.fidelity,
        ocr=ocr,
        ocr_engine=engine().fingerprint if ocr.read or ocr.missing else "",
        is_scan=is_scan,
    )


def _laid_out(
    pages: "_Pages",
    outline: Sequence[OutlineEntry],
    file: PdfFile,
    engine: Callable[[], Choice],
    report: Report,
) -> tuple[DocumentLayout, OcrSummary, tuple[str, ...]]:
    """The layout, what OCR did, and warnings. The words of a thousand pages are hundreds of
    megabytes: no record outlives the call."""
    readings = read_missing(pages.records, file.content, file.password, engine, report)
    records, notes = readings.records, readings.notes
    pages.records.clear()
    report(PageProgress(Phase.LAYOUT, 0, 0, len(records)))
    layout = lay_out(records, outline, file.evidence)
    warnings = (
        *pages.failures,
        *([OUTLINE_IGNORED] if layout.outline_ignored else []),
        *_warnings(records, {note.page for note in notes}),
    )
    ocr = summarise(sorted(notes, key=lambda note: note.page), engine()) if notes else OcrSummary()
    return layout, ocr, warnings


class _Pages(NamedTuple):
    """The records of the readable pages, and the faults of the others."""

    records: list[PageRecord]
    failures: list[str]


class _OpenFile:
    """A PDF opened by pdfium, with character maps for fonts that lack one."""

    def __init__(self, file: PdfFile) -> None:
        self._mapped = _mapped(file)
        self._source: bytes | IO[bytes] = self._mapped or file.content
        self._password = None if self._mapped else file.password
        try:
            self._document = self._opened()
        except pypdfium2.PdfiumError as error:
            self._close_mapped()
            raise _cannot_be_parsed(file.name, failure_reason(error)) from error
        self._decoder = PageDecoder()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._document.close()
        self._close_mapped()

    def pages(self, report: Report) -> _Pages:
        """Every page decoded; one that is unreadable does not cost the document."""
        pages = _Pages([], [])
        count = len(self._document)
        for index in range(count):
            if index and index % REOPEN_EVERY == 0:
                self._reopen()
            number = index + 1
            page = self._page(index)
            report(PageProgress(Phase.PAGES, number, number, count))
            if page is None:
                pages.failures.append(f"page {number}: it is damaged")
                continue
            try:
                pages.records.append(self._record(page, number))
            except MemoryError:
                raise
            except Exception as error:
                pages.failures.append(f"page {number}: {error}")
            page.close()
        return pages

    def outline(self) -> list[OutlineEntry]:
        """The bookmarks that have a title, with levels and pages from 1."""
        entries = []
        try:
            for mark in self._document.get_toc():
                if title := (mark.get_title() or "").strip():
                    page = _page_of(mark)
                    entries.append(OutlineEntry(title=title, level=int(mark.level) + 1, page=page))
        except pypdfium2.PdfiumError:
            return []
        return entries

    def _page(self, index: int) -> pypdfium2.PdfPage | None:
        """The page, with what is filled into its fields as content; None if it is damaged."""
        try:
            page = self._document[index]
        except pypdfium2.PdfiumError:
            return None
        if not draw_fields(page):
            return page
        page.close()
        try:
            return self._document[index]
        except pypdfium2.PdfiumError:
            return None

    def _record(self, page: pypdfium2.PdfPage, number: int) -> PageRecord:
        """The record of a page; the text of a scan lies over the printed words."""
        record = self._decoder.read(page, number)
        right, down = text_displacement(page)
        return record.with_text_moved(right, down) if right or down else record

    def _opened(self) -> pypdfium2.PdfDocument:
        document = pypdfium2.PdfDocument(self._source, password=self._password)
        open_form(document)
        return document

    def _reopen(self) -> None:
        self._document.close()
        _give_back_memory()
        self._document = self._opened()
        self._decoder.forget_fonts()

    def _close_mapped(self) -> None:
        if self._mapped is not None:
            self._mapped.close()


def _cannot_be_parsed(name: str, reason: str) -> ConversionFailed:
    return ConversionFailed(
        f"{name}: the PDF cannot be parsed ({reason}); print it to a new PDF or download it again"
    )


def _page_of(mark: pypdfium2.PdfBookmark) -> int | None:
    """The page (from 1) that a bookmark leads to."""
    try:
        target = mark.get_dest()
    except pypdfium2.PdfiumError:
        return None
    index = target.get_index() if target is not None else None
    return None if index is None else index + 1


def _mapped(file: PdfFile) -> IO[bytes] | None:
    try:
        mapped = with_character_maps(file.content, file.password)
    except OSError as error:
        raise ConversionFailed(
            f"{file.name}: no copy of it can be written ({error.strerror}); free some space in "
            f"{tempfile.gettempdir()}"
        ) from error
    _give_back_memory()
    return mapped


def _give_back_memory() -> None:
    """Have the C library return what it freed: the objects of a long PDF leave gaps of hundreds of
    megabytes, which Python cannot use."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


def _warnings(records: Sequence[PageRecord], recognised: Set[int]) -> list[str]:
    """What the reader should know of the pages. ``recognised`` ones have words from OCR here, and
    warnings of their own."""
    layers = {
        r.page: [word.text for word in r.words]
        for r in records
        if r.page not in recognised and has_background(r)
    }
    hidden = {r.page: {Hidden(reason): n for reason, n in r.hidden} for r in records if r.hidden}
    controls = {r.page: r.controls for r in records if r.controls}
    return [
        *text_layer_warnings(layers),
        *hidden_text_warnings(hidden),
        *control_warnings(controls),
    ]


def pieces(layout: DocumentLayout) -> Iterator[PdfPiece]:
    """The blocks as they are read. A figure's text follows its caption, or the last block on its
    page; where that is inside a list, a margin or the authors, it follows the whole of it."""
    tree = _Tree()
    placed = _figures_after(layout)
    tree.add_figures(placed.get(-1, ()))
    for index, block in enumerate(layout.blocks):
        tree.add(block)
        tree.add_figures(placed.get(index, ()))
    return tree.root.pieces()


def _figures(layout: DocumentLayout) -> Iterator[Figure]:
    for _, figures in sorted(_figures_after(layout).items()):
        for figure in figures:
            caption = None
            if figure.caption is not None:
                caption = layout.blocks[figure.caption].joined.text
            # With the labels that stand over its edge.
            box = union([figure.box, *(line.bbox for line in figure.joined.lines)])
            yield Figure(page=figure.page, bbox=rounded(box), caption=caption)


def _figures_after(layout: DocumentLayout) -> dict[int, list[LaidFigure]]:
    """Figures by the index of the block that they follow; -1: before all."""
    last = {}
    for index, block in enumerate(layout.blocks):
        last[block.joined.lines[0].page] = index
    after: dict[int, list[LaidFigure]] = {}
    for figure in layout.figures:
        at = figure.caption
        if at is None:
            at = max((index for page, index in last.items() if page <= figure.page), default=-1)
        after.setdefault(at, []).append(figure)
    return after


@dataclass(eq=False)
class _Node:
    """A piece, or a group of pieces, with what is read after it and belongs to it."""

    piece: PdfPiece | None = None
    nesting: int = 0
    aside: bool = False
    children: list["_Node"] = field(default_factory=list)

    def add(self, child: "_Node") -> "_Node":
        self.children.append(child)
        return child

    def pieces(self) -> Iterator[PdfPiece]:
        if self.piece is not None:
            yield self.piece
        for child in self.children:
            yield from child.pieces()


class _Tree:
    """The order in which blocks are read: item by item of the lists, the margin in one go."""

    def __init__(self) -> None:
        self.root = _Node()
        self._authors: _Node | None = None
        self._margin: _Node | None = None
        self._lists: list[_Node] = []  # the open lists, the outermost first
        self._item = self.root  # the last list item

    def add(self, block: LaidBlock) -> None:
        parent = self._parent(block)
        if block.label in (BlockLabel.TITLE, BlockLabel.SECTION_HEADER):
            parent = self.root
        is_item = block.label == BlockLabel.LIST_ITEM
        nesting = parent.nesting if is_item else 0
        level = (block.level or 1) if block.label == BlockLabel.SECTION_HEADER else None
        text, lines = block.joined
        piece = PdfPiece(block.label, text, lines, level, nesting, parent.aside, block.disputed)
        node = parent.add(_Node(piece, nesting, parent.aside))
        if is_item:
            self._item = node

    def add_figures(self, figures: Sequence[LaidFigure]) -> None:
        for figure in figures:
            text, lines = figure.joined
            self.root.add(_Node(PdfPiece(BlockLabel.FIGURE_TEXT, text, lines)))

    def _parent(self, block: LaidBlock) -> _Node:
        """The group of a list item, of authors or of the margin. A list item deeper than the one
        before begins a list below it. A block between list items belongs to the item before."""
        if block.label == BlockLabel.AUTHORS:
            self._authors = self._authors or self.root.add(_Node())
            return self._authors
        self._authors = None
        if block.aside != (self._margin is not None):
            self._lists.clear()
            self._margin = self.root.add(_Node(aside=True)) if block.aside else None
        del self._lists[block.depth :]
        around = self._item if self._lists else self._margin or self.root
        if block.label != BlockLabel.LIST_ITEM:
            return around
        if len(self._lists) < max(1, block.depth):
            nesting = self._item.nesting + 1 if self._lists else 0
            self._lists.append(around.add(_Node(nesting=nesting, aside=around.aside)))
        return self._lists[-1]
