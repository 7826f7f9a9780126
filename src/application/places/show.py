"""The verb *show*: the text of pages, a section or a passage, pictures and layers of the pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import Field

from citeloom.application.documents.page_images import PageImages
from citeloom.application.maps.marks import WordMarks
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.maps import PictureLimit
from citeloom.domain.citation.metadata import pandoc_citation, section_locator
from citeloom.domain.documents.conversion import ConversionResult, LabelSource, page_labels_in
from citeloom.domain.documents.spans import BBox, CharSpan, ChunkKind, Region
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.maps.address import document_address, format_pages, short_id
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.resources.observations import plain_text
from citeloom.domain.resources.reading import PagedText, as_read, pages_as_read, pages_with, whole
from citeloom.domain.resources.uris import SCHEME, page_of, passage_text_uri
from citeloom.domain.value import Value

from .finder import Place, PlaceFinder
from .observe import Observe

#: Passages on each side of one in a document without pages.
BESIDE: Final = 2
#: Pictures of one place: a passage is seldom on more pages.
MOST_PICTURES: Final = 2


class PageRequest(Value):
    """A place to read, as ``PlaceFinder.find`` takes it. ``around`` is the number of passages to
    show on each side of it instead of whole pages; ``quote`` are words to mark in pictures."""

    place: str
    project_id: ProjectId | None = None
    page: str | None = None
    section: str | None = None
    around: int = Field(default=0, ge=0)
    quote: str | None = None


class PageState(NamedTuple):
    """A page of the file, from 1, its label, and the source of that. ``uncertain``: its stored text
    is not to be quoted without a look at the page; None if that is not known. ``ocr``: it was read
    from a picture; ``unread``: it has no text that could be read."""

    page: int
    label: str | None
    label_source: LabelSource | None = None
    uncertain: bool | None = None
    ocr: bool = False
    unread: bool = False


class OpenedPlace(NamedTuple):
    """The ``text`` of a place. ``pages`` are the place's own; ``passage`` is its span where it is a
    passage. ``citation`` and ``address`` are those of the place."""

    place: Place
    text: PagedText
    pages: tuple[PageState, ...]
    citation: str | None
    address: str
    passage: CharSpan | None = None

    @property
    def section_path(self) -> tuple[str, ...]:
        """The headings above a passage or section."""
        if self.place.span is None:
            return ()
        path = self.place.document.structure.section_path_at(self.place.span.start)
        return path.segments if path else ()

    def figures(self, pages: Sequence[int]) -> list[tuple[int, str | None]]:
        """The figures on ``pages``: their number in the document, from 1, and caption."""
        numbered = enumerate(self.place.document.figures, start=1)
        return [(number, one.caption) for number, one in numbered if one.page in pages]


class PagePicture(NamedTuple):
    """A page of the file, from 1, as PNG; ``marked``: something is marked on it."""

    page: int
    png: bytes
    marked: bool


class LayerLine(Value):
    """A line as stored."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Shows places: their text, pictures of their pages, and the lines on them."""

    places: PlaceFinder
    observe: Observe
    images: PageImages
    marks: WordMarks

    def __call__(self, request: PageRequest) -> OpenedPlace:
        """Raises what ``PlaceFinder.find`` raises, and IndexUnavailable for neighbours."""
        place = self.places.find(
            request.place, request.project_id, page=request.page, section=request.section
        )
        document = place.document
        own = place.pages or (pages_with(document, place.span) if place.span else ())
        return OpenedPlace(
            place=place,
            text=self._text(place, own, request.around),
            pages=states_of(document, own),
            citation=_citation(place, own),
            address=_address(place, own),
            passage=place.span if place.is_passage else None,
        )

    def markdown(
        self,
        name: str,
        project_id: ProjectId | None = None,
        *,
        page: str | None = None,
        section: str | None = None,
    ) -> str:
        """For people, nothing escaped: the whole document; or ``page``, by its printed number
        (several: ``440-442``), or the ``section`` with this heading; or what a citation, an
        address or a knowledge URI names.

        Raises what ``PlaceFinder.find`` and ``Observe`` raise.
        """
        if name.startswith(SCHEME) and page is None and section is None and not _is_page(name):
            seen = self.observe(name).observation
            if (text := plain_text(seen)) is not None:
                return text
        place = self.places.find(name, project_id, page=page, section=section)
        if place.pages:
            return pages_as_read(place.document, place.pages).text
        return as_read(place.document, place.span or whole(place.document)).text

    def pictures(
        self,
        opened: OpenedPlace,
        limit: PictureLimit,
        quote: str | None = None,
        spans: Sequence[CharSpan] = (),
    ) -> tuple[PagePicture, ...]:
        """The first pages of the place, at most MOST_PICTURES, with the passage, or ``quote`` and
        ``spans`` of the text, marked. Raises what ``PageImages`` raises; InvalidRequest for a
        quotation or a span that is not there, and for a document without pages."""
        document = opened.place.document
        pages = [one.page for one in opened.pages]
        pages = pages or [one.page for one in document.structure.page_map]
        pdf = self.images.pdf_of(opened.place.stored)
        regions: Sequence[Region] = ()
        if quote is not None or spans:
            quoted = self.marks(document, quote, pages, *pdf) if quote is not None else ()
            marked = [self._on(pages, document, span, pdf) for span in spans]
            regions = [*quoted, *chain.from_iterable(marked)]
        elif opened.passage is not None:
            regions = self.marks.of_span(document, opened.passage, *pdf)
        with_marks = list(dict.fromkeys(one.page for one in regions))
        return tuple(
            PagePicture(page, self.images.marked(pdf, page, regions, limit), page in with_marks)
            for page in (with_marks or pages)[:MOST_PICTURES]
        )

    def part(self, opened: OpenedPlace, region: Region, limit: PictureLimit) -> bytes:
        """A part of a page of the opened document, as PNG. Raises what ``PageImages`` raises."""
        source, password = self.images.pdf_of(opened.place.stored)
        return self.images.renderer.region(source, region, password, limit)

    def layer(self, opened: OpenedPlace, page: int, span: CharSpan | None = None) -> PageLayer:
        """The text layer that lies over the picture of a page of the opened document; ``span`` is
        the passage in its text. Raises InvalidRequest for a page that it does not have, and what
        ``PageImages.pdf_of`` raises."""
        document = opened.place.document
        entry = document.structure.entry_of(page)
        if entry is None:
            raise InvalidRequest(
                f"page {page}: does not exist; the file has {document.page_count}", parameter="page"
            )
        pdf = self.images.pdf_of(opened.place.stored)
        regions = self.marks.of_span(document, span, *pdf) if span is not None else ()
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
            marks=_boxes_on(page, regions),
        )

    def boxes(self, opened: OpenedPlace, page: int, span: CharSpan) -> tuple[BBox, ...]:
        """The boxes of the text in ``span`` on a page of the opened document, in points from the
        top left. Raises what ``PageImages.pdf_of`` raises."""
        pdf = self.images.pdf_of(opened.place.stored)
        regions = self.marks.of_span(opened.place.document, span, *pdf)
        return _boxes_on(page, regions)

    def _on(
        self,
        pages: Sequence[int],
        document: ConversionResult,
        span: CharSpan,
        pdf: tuple[Path, str | None],
    ) -> list[Region]:
        """The parts of a span on ``pages``. Raises InvalidRequest if there are none."""
        regions = [one for one in self.marks.of_span(document, span, *pdf) if one.page in pages]
        if not regions:
            raise InvalidRequest(
                f"marks: no text of {span.start}-{span.end} is on these pages; give a place in "
                f"the text (0 to {len(document.plain_text)}) that does",
                parameter="marks",
            )
        return regions

    def _text(self, place: Place, pages: Sequence[int], around: int) -> PagedText:
        document = place.document
        if place.is_passage and not pages:
            around = around or BESIDE
        span = place.span or (_covering(document, pages) if pages else None)
        if around and span is not None:
            return as_read(document, self._widened(place.stored, span, around))
        if place.span is not None and not place.is_passage:
            return as_read(document, place.span)
        return pages_as_read(document, pages) if pages else as_read(document, whole(document))

    def _widened(self, stored: StoredDocument, span: CharSpan, around: int) -> CharSpan:
        """The span with ``around`` passages on each side."""
        spans = [
            chunk.char_span
            for chunk in self.places.passages.chunks(stored)
            if chunk.kind not in (ChunkKind.ANNOTATION, ChunkKind.FIGURE)
        ]
        before = [one.start for one in spans if one.end <= span.start][-around:]
        after = [one.end for one in spans if one.start >= span.end][:around]
        return CharSpan(start=min([span.start, *before]), end=max([span.end, *after]))


def states_of(document: ConversionResult, pages: Sequence[int]) -> tuple[PageState, ...]:
    """What is known of these pages of the file."""
    entries = {one.page: one for one in document.structure.page_map}
    return tuple(
        PageState(
            page=page,
            label=entries[page].label if page in entries else None,
            label_source=entries[page].label_source if page in entries else None,
            uncertain=document.is_page_uncertain(page),
            ocr=page in document.ocr_pages,
            unread=page in document.missing_pages,
        )
        for page in pages
    )


def _boxes_on(page: int, regions: Sequence[Region]) -> tuple[BBox, ...]:
    return tuple(one.bbox for one in regions if one.page == page)


def _is_page(uri: str) -> bool:
    return page_of(uri.removeprefix(SCHEME).split("/")[2:]) is not None


def _covering(document: ConversionResult, pages: Sequence[int]) -> CharSpan | None:
    """From the first to the last character of ``pages``."""
    entries = (document.structure.entry_of(page) for page in pages)
    spans = [span for entry in entries if entry for span in entry.spans]
    if not spans:
        return None
    return CharSpan(start=min(one.start for one in spans), end=max(one.end for one in spans))


def _citation(place: Place, pages: Sequence[int]) -> str | None:
    """The citation as in hits; a page without a known printed number is one of the file."""
    if place.stored.citation is None:
        return None
    structure = place.document.structure
    printed = [structure.label_of(page) for page in pages]
    known = [label for one in printed if one for label in page_labels_in(one)]
    where: str | None = None
    if pages:
        where = f"PDF {'p.' if len(pages) == 1 else 'pp.'} {format_pages(pages)}"
    elif place.span is not None:
        path = place.document.structure.section_path_at(place.span.start)
        where = section_locator(path.leaf) if path else None
    labels = known if all(printed) else []
    return pandoc_citation(place.stored.citation.citekey, labels, place=where)


def _address(place: Place, pages: Sequence[int]) -> str:
    """One that leads back to the place."""
    stored = place.stored
    if place.span is not None and (place.is_passage or not pages):
        return passage_text_uri(stored.project_id, stored.document_id, place.span)
    if pages:
        return document_address(stored.document_id, pages)
    return f"doc://{short_id(stored.document_id)}"
