"""The verb *page layer*: the lines of a page with their boxes, and the boxes of a passage on it."""

from citeloom.application.documents.page_images import PageImages
from citeloom.application.maps.word_marks import WordMarks
from citeloom.application.resources.open_page import OpenedPlace, states_of
from citeloom.domain.documents.spans import BBox, CharSpan
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.value import Value


class LayerLine(Value):
    """A line as it is stored."""

    text: str
    bbox: BBox


class PageLayer(Value):
    """A page of the file, from 1, of ``pages``. Its size and all boxes are in points, from the top
    left of the page as displayed. ``lines`` are in reading order; ``marks`` are the boxes of the
    passage. ``label`` is the number printed on it; ``uncertain``: its text is not to be quoted
    without a look at the page (None: not known); ``ocr``: it was read from a picture."""

    page: int
    pages: int
    label: str | None
    width: float
    height: float
    uncertain: bool | None
    ocr: bool
    lines: tuple[LayerLine, ...]
    marks: tuple[BBox, ...] = ()


class PageLayers:
    """Makes the text layer that lies over the picture of a page."""

    def __init__(self, *, images: PageImages, marks: WordMarks) -> None:
        self._images = images
        self._marks = marks

    def __call__(self, opened: OpenedPlace, page: int, span: CharSpan | None = None) -> PageLayer:
        """Of a page of the opened document; ``span`` is the passage in its text. Raises
        InvalidRequest for a page that it does not have, and what ``PageImages.pdf_of`` raises."""
        document = opened.place.document
        entry = document.structure.entry_of(page)
        if entry is None:
            raise InvalidRequest(
                f"page {page}: there is none; the file has {document.page_count}", parameter="page"
            )
        pdf = self._images.pdf_of(opened.place.stored)
        marks: tuple[BBox, ...] = ()
        if span is not None:
            regions = self._marks.of_span(document, span, *pdf)
            marks = tuple(one.bbox for one in regions if one.page == page)
        (state,) = states_of(document, [page])
        return PageLayer(
            page=page,
            pages=document.page_count,
            label=state.label,
            width=entry.width,
            height=entry.height,
            uncertain=state.uncertain,
            ocr=state.ocr,
            lines=tuple(
                LayerLine(text=document.plain_text[line.start : line.end], bbox=line.bbox)
                for block in document.blocks
                for line in block.lines
                if line.page == page
            ),
            marks=marks,
        )
