"""Annotations of readers, and where their marks stand in a document's text.

The marked words are searched on the annotation's page; across a page break the quote may have
more text in between. If they are not in the text, the boxes give the marked lines or the nearest
paragraph; without boxes only the page is known. The annotation's page is overruled only if its
words are long and occur once, on another page: the file is then not the one that was marked.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from urllib.parse import quote as quoted

from .documents.conversion import Block, ConversionResult
from .documents.spans import BBox, CharSpan, Line, PageSpan, Region, regions_of, union
from .library import AnnotationKind, LibraryAnnotation, LibraryRef
from .text.normalized_text import LONG, QuoteLocator, count_letters, fold
from .value import Value

# The colours of Zotero's reader (its ``ANNOTATION_COLORS``).
_NAMES = {
    "#ffd400": "yellow",
    "#ff6666": "red",
    "#5fb236": "green",
    "#2ea8e5": "blue",
    "#a28ae5": "purple",
    "#e56eee": "magenta",
    "#f19837": "orange",
    "#aaaaaa": "gray",
}
#: Value of the filter ``marked=`` for a mark of any colour.
ANY_COLOR = "yes"


class Located(StrEnum):
    """Precision of an annotation's location.

    ``words``: the text is the marked words. ``place``: the text of the lines or paragraph at the
    mark's boxes. ``page``: only the page is known; the text is the start of that page (empty if
    it has none).
    """

    WORDS = "words"
    PLACE = "place"
    PAGE = "page"


class Mark(Value):
    """An annotation of the library. ``quote`` (the marked words) and ``page_label`` are the
    library's, ``uri`` opens it in Zotero. ``page`` is the PDF page (from 1) where it was
    located, None in formats without pages."""

    key: str
    attachment_key: str
    kind: AnnotationKind
    quote: str = ""
    comment: str = ""
    color: str | None = None
    tags: tuple[str, ...] = ()
    page: int | None = None
    page_label: str | None = None
    author: str | None = None
    uri: str

    @property
    def color_name(self) -> str | None:
        """Zotero's name of the colour, else the colour itself."""
        return _NAMES.get(self.color.lower(), self.color) if self.color else None

    @property
    def text(self) -> str:
        """The searchable text: the quote, an empty line, the comment."""
        return "\n\n".join(part for part in (self.quote.strip(), self.comment.strip()) if part)


class Annotation(Mark):
    """A mark with the precision of its location. ``chunk_id`` is the marked passage, None if only
    the page is known."""

    located: Located
    chunk_id: str | None = None


def mark_of(annotation: LibraryAnnotation, page: int | None) -> Mark:
    """``page`` is the located page of the annotation."""
    return Mark(
        key=annotation.key,
        attachment_key=annotation.attachment_key,
        kind=annotation.kind,
        quote=annotation.text,
        comment=annotation.comment,
        color=annotation.color,
        tags=annotation.tags,
        page=page,
        page_label=annotation.page_label,
        author=annotation.author,
        uri=annotation_uri(annotation.library, annotation.attachment_key, annotation.key, page),
    )


def annotation_uri(library: LibraryRef, attachment: str, key: str, page: int | None) -> str:
    """``zotero://open-pdf/library/items/ATTACHMENT?page=3&annotation=KEY``: Zotero opens the
    file there (its protocol handler counts pages of the file from 1)."""
    at = f"page={page}&" if page is not None else ""
    items = f"zotero://open-pdf/{library.path}/items/{quoted(attachment, safe='')}"
    return f"{items}?{at}annotation={quoted(key, safe='')}"


def marked_terms(marks: Iterable[Mark]) -> tuple[str, ...]:
    """Index terms of ``marked=``: ``yes``, and each colour by name and as ``#rrggbb``."""
    terms: dict[str, None] = {}
    for mark in marks:
        names = (ANY_COLOR, mark.color, mark.color_name)
        terms |= dict.fromkeys(fold(name) for name in names if name)
    return tuple(terms)


# A line is marked where the boxes cover half of its height.
_COVERED = 0.5


class AnnotationPlace(Value):
    """The text span of an annotation, with page span and boxes; ``warning`` is for the reader."""

    span: CharSpan
    located: Located
    page_span: PageSpan | None = None
    regions: tuple[Region, ...] = ()
    warning: str | None = None

    @property
    def page(self) -> int | None:
        return self.page_span.start if self.page_span else None


class AnnotationLocator:
    """Locates annotations in one document."""

    def __init__(self, document: ConversionResult) -> None:
        self._document = document
        self._locator = QuoteLocator(document.plain_text, letters_only=True)
        self._lines = sorted(line for block in document.blocks for line in block.lines)
        self._starts = [line.start for line in self._lines]

    def place(self, annotation: LibraryAnnotation) -> AnnotationPlace | None:
        """None if the document has neither the words nor the page."""
        matches = self._locator.find(annotation.text)
        page = annotation.page
        if page is None or not self._document.page_count:
            return self._first(matches)
        if on_page := [span for span in matches if self._page_at(span.start) == page]:
            return self._words(self._nearest(on_page, annotation))
        ends = [s for s in self._locator.find_ends(annotation.text) if self._begins(s, page)]
        if ends:
            return self._words(self._nearest(ends, annotation))
        if len(matches) == 1 and self._is_elsewhere(annotation, page):
            actual_page = self._page_at(matches[0].start)
            warning = f"its words are on page {actual_page}, not on page {page} as the library says"
            return self._words(matches[0], warning)
        if self._document.structure.entry_of(page) is None:
            return None
        return self._by_boxes(annotation, page) or self._by_page(page)

    def _begins(self, span: CharSpan, page: int) -> bool:
        """Whether the span begins on the page, and ends there or on the next."""
        return self._page_at(span.start) == page and self._page_at(span.end - 1) in (page, page + 1)

    def _first(self, matches: Sequence[CharSpan]) -> AnnotationPlace | None:
        if not matches:
            return None
        warning = f"its words occur {len(matches)} times in the text; the first place is used"
        return self._words(matches[0], warning if len(matches) > 1 else None)

    def _is_elsewhere(self, annotation: LibraryAnnotation, page: int) -> bool:
        """Whether words on another page are the marked ones. Not if they are in this page's
        furniture (a title in the running head), or if the boxes are on no text (words in a
        figure)."""
        boxes = self._boxes(annotation, page)
        beside = " ".join(f.text for f in self._document.furniture if f.page == page)
        return (
            count_letters(annotation.text) >= LONG
            and not QuoteLocator(beside, letters_only=True).find(annotation.text)
            and (not boxes or any(_is_marked(line, boxes) for line in self._lines))
        )

    def _words(self, span: CharSpan, warning: str | None = None) -> AnnotationPlace:
        place = self._placed(span, Located.WORDS, self._lines_of(span))
        if place.page_span is None and (page := self._page_at(span.start)) is not None:
            place = place.model_copy(update={"page_span": PageSpan(start=page, end=page)})
        return place.model_copy(update={"warning": warning})

    def _by_boxes(self, annotation: LibraryAnnotation, page: int) -> AnnotationPlace | None:
        """The marked lines, else the paragraph nearest to the mark."""
        boxes = self._boxes(annotation, page)
        marked = [n for n, line in enumerate(self._lines) if _is_marked(line, boxes)]
        if runs := [run for run in _runs(marked) if self._lines[run[0]].page == page]:
            run = max(runs, key=lambda run: self._area(run, boxes))
            lines = self._lines[run[0] : run[-1] + 1]
            span = CharSpan(start=lines[0].start, end=lines[-1].end)
            return self._placed(span, Located.PLACE, lines)
        page_boxes = boxes.get(page)
        near = list(self._blocks_on(page))
        if not page_boxes or not near:
            return None
        lines = min(
            near, key=lambda lines: _gap(union([ln.bbox for ln in lines]), union(page_boxes))
        )
        span = CharSpan(start=lines[0].start, end=lines[-1].end)
        return self._placed(span, Located.PLACE, lines)

    def _by_page(self, page: int) -> AnnotationPlace:
        """The first block of the page; an empty span at its offset if it has no text."""
        on_it = PageSpan(start=page, end=page)
        if lines := next(self._blocks_on(page), None):
            span = CharSpan(start=lines[0].start, end=lines[-1].end)
        else:
            span = self._first_span(page)
        return AnnotationPlace(span=span, located=Located.PAGE, page_span=on_it)

    def _first_span(self, page: int) -> CharSpan:
        """For pages without lines (slides, sheets) the first block entirely on the page."""
        entry = self._document.structure.entry_of(page)
        for span in entry.spans if entry else ():
            for block in self._document.blocks:
                if span.start <= block.span.start and block.span.end <= span.end:
                    return block.span
        before = [line.end for line in self._lines if line.page < page]
        end = max(before, default=0)
        return CharSpan(start=end, end=end)

    def _placed(self, span: CharSpan, located: Located, lines: Sequence[Line]) -> AnnotationPlace:
        return AnnotationPlace(
            span=span,
            located=located,
            page_span=PageSpan.covering(line.page for line in lines),
            regions=regions_of(lines),
        )

    def _page_at(self, offset: int) -> int | None:
        before = bisect_right(self._starts, offset) - 1
        if before >= 0 and offset < self._lines[before].end:
            return self._lines[before].page
        for entry in self._document.structure.page_map:
            if any(span.start <= offset < span.end for span in entry.spans):
                return entry.page
        return self._lines[before].page if before >= 0 else None

    def _lines_of(self, span: CharSpan) -> list[Line]:
        first = max(0, bisect_right(self._starts, span.start) - 1)
        last = bisect_right(self._starts, span.end)
        return [ln for ln in self._lines[first:last] if ln.start < span.end and ln.end > span.start]

    def _blocks_on(self, page: int) -> Iterator[list[Line]]:
        """The lines on the page, by block."""
        return (lines for block in self._document.blocks if (lines := _on(block, page)))

    def _boxes(self, annotation: LibraryAnnotation, page: int) -> dict[int, list[BBox]]:
        """The annotation's boxes by page, in points from the top left."""
        boxes = {}
        for number, rects in ((page, annotation.rects), (page + 1, annotation.rects_next)):
            entry = self._document.structure.entry_of(number)
            if entry is not None and entry.height and rects:
                boxes[number] = [_from_top(rect, entry.height) for rect in rects]
        return boxes

    def _area(self, run: Sequence[int], boxes: dict[int, list[BBox]]) -> float:
        lines = [self._lines[n] for n in run]
        return sum(_shared(line.bbox, box) for line in lines for box in boxes.get(line.page, ()))

    def _nearest(self, spans: Sequence[CharSpan], annotation: LibraryAnnotation) -> CharSpan:
        """The span nearest to the boxes; the first without boxes."""
        assert annotation.page is not None
        boxes = self._boxes(annotation, annotation.page).get(annotation.page)
        if len(spans) == 1 or not boxes:
            return spans[0]
        return min(spans, key=lambda span: self._distance(span, boxes))

    def _distance(self, span: CharSpan, boxes: Sequence[BBox]) -> float:
        """Mean distance of the span's line pieces to the nearest box, in points."""
        if not (lines := self._lines_of(span)):
            return math.inf
        pieces = [_piece(line, span) for line in lines if line.page == lines[0].page]
        return sum(min(_apart(piece, box) for box in boxes) for piece in pieces) / len(pieces)


def _from_top(rect: BBox, height: float) -> BBox:
    """A PDF rectangle (left, bottom, right, top) as a box from the top of the page."""
    left, right = sorted((rect[0], rect[2]))
    low, high = sorted((rect[1], rect[3]))
    return (left, height - high, right, height - low)


def _piece(line: Line, span: CharSpan) -> BBox:
    """Approximate box of the part of the span in this line."""
    left, top, right, bottom = line.bbox
    width = (right - left) / max(1, line.end - line.start)
    first, last = max(line.start, span.start), min(line.end, span.end)
    return (left + width * (first - line.start), top, left + width * (last - line.start), bottom)


def _is_marked(line: Line, boxes: dict[int, list[BBox]]) -> bool:
    _, top, _, bottom = line.bbox
    return any(
        _shared(line.bbox, box) > 0
        and min(bottom, box[3]) - max(top, box[1]) >= _COVERED * min(bottom - top, box[3] - box[1])
        for box in boxes.get(line.page, ())
    )


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Runs of consecutive numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _on(block: Block, page: int) -> list[Line]:
    return [line for line in block.lines if line.page == page]


def _shared(one: BBox, other: BBox) -> float:
    """The area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width * height if width > 0 and height > 0 else 0.0


def _gap(one: BBox, other: BBox) -> float:
    """Squared distance of the edges; 0 if they touch."""
    across = max(one[0] - other[2], other[0] - one[2], 0.0)
    down = max(one[1] - other[3], other[1] - one[3], 0.0)
    return float(across**2 + down**2)


def _apart(one: BBox, other: BBox) -> float:
    """Distance of the centres."""
    across = (one[0] + one[2] - other[0] - other[2]) / 2
    down = (one[1] + one[3] - other[1] - other[3]) / 2
    return float((across**2 + down**2) ** 0.5)
