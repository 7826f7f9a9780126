"""Page images and figures of a document, rendered from its PDF."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.maps import PageMark, PageRenderer, PictureLimit
from citeloom.domain.documents.conversion import Block, ConversionResult, LabelSource
from citeloom.domain.documents.fidelity import PDF
from citeloom.domain.documents.spans import Region, regions_of
from citeloom.domain.errors import InvalidRequest, UnsupportedFormat
from citeloom.domain.maps.address import format_pages, short_id
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.text.characters import whole_number
from citeloom.domain.value import Value

from .conversions import load_conversion, require_text
from .finder import DocumentFinder, short_name
from .stores import SourceState, password_for

FIGURE, FURNITURE, PASSAGE = "figure", "furniture", "passage"
_LABEL = "label:"
_SHOWN = 12


class RenderedPage(Value):
    """``document`` is the citation key, or the short id where there is none."""

    document: str
    page: int
    page_label: str | None
    page_label_source: LabelSource | None
    png: bytes


class RenderedFigure(Value):
    """``number`` counts the figures of a page, from 1."""

    page: int
    page_label: str | None
    number: int
    region: Region
    caption: str | None
    png: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImages:
    """Renders pages, with the blocks of the stored conversion, and figures.

    ``passwords`` are by file name or pattern; the ``password`` of a call is used for files without
    one. All methods raise ProjectNotFound, DocumentNotFound, StorageFailed; UnsupportedFormat if
    the document is not a PDF; InvalidSource if its file is missing or changed; and what the
    renderer raises.
    """

    documents: DocumentFinder
    bundles: BundleStore
    sources: SourceState
    renderer: PageRenderer
    passwords: Mapping[str, str]

    def page(
        self, project_id: ProjectId, name: str, page: str, password: str | None = None
    ) -> RenderedPage:
        """``page`` is a page of the PDF, from 1, or ``label:`` with its printed label.

        Raises InvalidRequest if there is no such page.
        """
        stored, document = self._find(project_id, name)
        number = page_number(document, page)
        source, known = self.pdf_of(stored, password)
        entry = document.structure.entry_of(number)
        return RenderedPage(
            document=short_name(stored),
            page=number,
            page_label=entry.label if entry else None,
            page_label_source=entry.label_source if entry else None,
            png=self.renderer.page(source, number, marks_of(document, number), known),
        )

    def pdf_of(
        self, stored: StoredDocument, password: str | None = None
    ) -> tuple[Path, str | None]:
        """The unchanged source of a document, and its password where one is known."""
        _require_pdf(stored, stored.path or short_id(stored.document_id))
        source = self.sources.unchanged(stored)
        return source, password_for(source.name, self.passwords, password)

    def marked(
        self,
        pdf: tuple[Path, str | None],
        page: int,
        regions: Sequence[Region],
        limit: PictureLimit,
    ) -> bytes:
        """A page of the file, from 1, with those of ``regions`` marked that are on it."""
        on_page = [one for one in regions if one.page == page]
        marks = [PageMark(kind=PASSAGE, caption="", bbox=one.bbox) for one in on_page]
        return self.renderer.page(pdf[0], page, marks, pdf[1], limit)

    def figures(
        self, project_id: ProjectId, name: str, password: str | None = None
    ) -> Iterator[RenderedFigure]:
        """All figures, page by page, rendered lazily."""
        stored, document = self._find(project_id, name)
        if not document.figures:
            return
        source, known = self.pdf_of(stored, password)
        numbers: dict[int, Iterator[int]] = {}
        for figure in document.figures:
            region = Region(page=figure.page, bbox=figure.bbox)
            yield RenderedFigure(
                page=figure.page,
                page_label=document.structure.label_of(figure.page),
                number=next(numbers.setdefault(figure.page, count(1))),
                region=region,
                caption=figure.caption,
                png=self.renderer.region(source, region, known),
            )

    def figure(
        self,
        project_id: ProjectId,
        name: str,
        number: int,
        password: str | None = None,
        limit: PictureLimit | None = None,
    ) -> bytes:
        """The PNG of one figure; ``number`` counts the figures of the document, from 1.

        Raises InvalidRequest if there is no such figure.
        """
        stored, document = self._find(project_id, name)
        if not 1 <= number <= len(document.figures):
            raise InvalidRequest(
                f"figure {number}: does not exist; the document has {len(document.figures)}",
                parameter="figure",
            )
        figure = document.figures[number - 1]
        source, known = self.pdf_of(stored, password)
        return self.renderer.region(
            source, Region(page=figure.page, bbox=figure.bbox), known, limit
        )

    def _find(self, project_id: ProjectId, name: str) -> tuple[StoredDocument, ConversionResult]:
        stored = self.documents.find(name, project_id)
        _require_pdf(stored, stored.path or name)
        return stored, load_conversion(self.bundles, stored)


def _require_pdf(stored: StoredDocument, name: str) -> None:
    require_text(stored)
    if stored.mime_type != PDF:
        raise UnsupportedFormat(
            f"{name}: no PDF ({stored.mime_type}); only pages of PDFs are drawn"
        )


def page_number(document: ConversionResult, page: str) -> int:
    """The page of the PDF, from 1, for a page number or ``label:``. Raises InvalidRequest."""
    text = page.strip()
    if text.startswith(_LABEL):
        return _labelled(document, text.removeprefix(_LABEL).strip())
    if (number := whole_number(text)) is None:
        raise InvalidRequest(
            f"page {page}: write a page of the PDF (from 1), or label:xii for a printed number",
            parameter="page",
        )
    if not 1 <= number <= document.page_count:
        raise InvalidRequest(
            f"page {page}: does not exist; the PDF has pages 1 to {document.page_count}",
            parameter="page",
        )
    return number


def _labelled(document: ConversionResult, label: str) -> int:
    entries = document.structure.page_map
    pages = [entry.page for entry in entries if label in (entry.label, *entry.labels)]
    if len(pages) == 1:
        return pages[0]
    if pages:
        raise InvalidRequest(
            f"label:{label}: printed on PDF pages {format_pages(pages)}; name one of them",
            parameter="page",
        )
    known = [entry.label for entry in entries if entry.label]
    shown = f"{', '.join(known[:_SHOWN])}{', …' if len(known) > _SHOWN else ''}"
    raise InvalidRequest(
        f"label:{label}: no page with this label; "
        + (f"there are {shown}" if known else "no page labels are known; name the page of the PDF"),
        parameter="page",
    )


def marks_of(document: ConversionResult, page: int) -> tuple[PageMark, ...]:
    """Marks of a page: furniture, figures, then blocks in reading order."""
    marks = [
        PageMark(kind=FURNITURE, caption=FURNITURE, bbox=element.bbox)
        for element in document.furniture
        if element.page == page
    ]
    marks += [
        PageMark(kind=FIGURE, caption=FIGURE, bbox=element.bbox)
        for element in document.figures
        if element.page == page
    ]
    on_page = [b for b in document.blocks if any(line.page == page for line in b.lines)]
    for order, block in enumerate(on_page, start=1):
        marks += _marks_of_block(block, page, order)
    return tuple(marks)


def _marks_of_block(block: Block, page: int, order: int) -> Iterator[PageMark]:
    """A mark for each region of the block on the page (one a column)."""
    level = f" {block.level}" if block.level else ""
    for part, region in enumerate(regions_of(ln for ln in block.lines if ln.page == page), 1):
        again = f" ({part})" if part > 1 else ""
        yield PageMark(
            kind=block.label.value,
            caption=f"{order} {block.label.value}{level}{again}",
            bbox=region.bbox,
            order=order,
        )
