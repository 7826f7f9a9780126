"""docling's native PDF pipeline, with CiteLoom's layout in place of loose cells."""

from collections.abc import Callable, Sequence, Set
from typing import Any

from docling.backend.pdf_backend import PdfDocumentBackend, PdfPageBackend
from docling.backend.pypdfium2_backend import PyPdfiumPageBackend
from docling.datamodel.base_models import DoclingComponentType, ErrorItem, Page
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import NativePdfPipelineOptions
from docling.pipeline.native_pdf_pipeline import NativePdfPipeline
from docling_core.types.doc.common.origin import DocumentOrigin
from pydantic import PrivateAttr, SecretStr

from citeloom.domain.documents.fidelity import PageFidelity
from citeloom.infrastructure.ingest.conversion.pdf.blocks.figures import has_background
from citeloom.infrastructure.ingest.conversion.pdf.docling_backend import RecordBackend
from citeloom.infrastructure.ingest.conversion.pdf.docling_document import to_docling
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.printed import FrontMatter
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title_evidence import TitleEvidence
from citeloom.infrastructure.ingest.conversion.pdf.headings.outlines import OutlineEntry
from citeloom.infrastructure.ingest.conversion.pdf.hidden_text_warnings import (
    control_warnings,
    hidden_text_warnings,
)
from citeloom.infrastructure.ingest.conversion.pdf.layout import lay_out
from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import Choice
from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_ocr import PageNote, read_missing
from citeloom.infrastructure.ingest.conversion.pdf.ocr.text_layer import text_layer_warnings
from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import Hidden
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.progress import (
    PageProgress,
    Phase,
    Report,
    ignore_progress,
)


class LayoutPdfOptions(NativePdfPipelineOptions):
    """``title_evidence`` is that of metadata and file name. ``engine`` chooses an OCR engine when
    one is needed. ``report`` is called for every page."""

    title_evidence: TitleEvidence = TitleEvidence()
    password: SecretStr | None = None
    engine: Callable[[], Choice] = lambda: Choice(None)
    report: Report = ignore_progress


OUTLINE_IGNORED = "the PDF's outline does not match its text and was ignored"


class RecordedPage(Page):
    """A page reduced to its record: docling's own page object takes megabytes. The first one
    bears the document's front matter, for which docling has no place."""

    _record: PageRecord | None = PrivateAttr(default=None)
    _note: PageNote | None = PrivateAttr(default=None)
    _fidelity: PageFidelity | None = PrivateAttr(default=None)
    _front_matter: FrontMatter | None = PrivateAttr(default=None)


class LayoutPdfPipeline(NativePdfPipeline):
    """Decodes each page into a record, then lays out the whole document at once."""

    pipeline_options: LayoutPdfOptions

    def __init__(self, pipeline_options: LayoutPdfOptions) -> None:
        super().__init__(pipeline_options)
        self._parsed = 0

    def _parse_page(
        self,
        timings: Any,  # noqa: ARG002 (docling's signature)
        conv_res: ConversionResult,
        page_backend: PdfPageBackend,
    ) -> Page | None:
        number = page_backend.page_no
        self._parsed += 1
        total = conv_res.input.page_count
        self.pipeline_options.report(PageProgress(Phase.PAGES, number, self._parsed, total))
        backend = conv_res.input._backend
        if not isinstance(page_backend, PyPdfiumPageBackend) or not isinstance(
            backend, RecordBackend
        ):
            raise TypeError(f"{type(backend).__name__} reads no page records")
        if not page_backend.is_valid():
            self._record_page_failure(conv_res, page_backend, f"page {number}: it is damaged")
            return None
        try:
            page = RecordedPage(page_no=number)
            page.size = page_backend.get_size()
            page._record = backend.record(page_backend)
        except MemoryError:
            raise
        except Exception as error:  # one unreadable page must not cost the document
            self._record_page_failure(conv_res, page_backend, f"page {number}: {error}")
            return None
        return page

    def _assemble_document(self, conv_res: ConversionResult) -> ConversionResult:
        backend = conv_res.input._backend
        options = self.pipeline_options
        pages = [p for p in conv_res.pages if isinstance(p, RecordedPage)]
        records = self._read_missing(backend, pages)
        options.report(PageProgress(Phase.LAYOUT, 0, 0, len(records)))
        layout = lay_out(records, _outline(backend), options.title_evidence)
        fidelity = {one.page: one for one in layout.fidelity}
        for page in pages:
            page._fidelity = fidelity.get(page.page_no)
        sizes = {record.page: (record.width, record.height) for record in records}
        warnings = _warnings(records, {page.page_no for page in pages if page._note})
        del records  # the words of a thousand pages are hundreds of megabytes
        origin = DocumentOrigin.model_validate(
            {
                "mimetype": "application/pdf",
                "filename": conv_res.input.file.name,
                "binary_hash": conv_res.input.document_hash,
            }
        )
        conv_res.document = to_docling(layout, origin, sizes)
        for page in pages[:1]:
            page._front_matter = layout.front_matter
        messages = [OUTLINE_IGNORED] if layout.outline_ignored else []
        for message in (*messages, *warnings):
            conv_res.errors.append(
                ErrorItem(
                    component_type=DoclingComponentType.DOC_ASSEMBLER,
                    module_name=type(self).__name__,
                    error_message=message,
                )
            )
        return conv_res

    def _read_missing(self, backend: object, pages: Sequence[RecordedPage]) -> list[PageRecord]:
        """The records, taken from the pages, with OCR text where a page has none."""
        records = []
        for page in pages:
            if page._record is not None:
                records.append(page._record)
                page._record = None
        options = self.pipeline_options
        password = options.password.get_secret_value() if options.password else None
        content = backend.content if isinstance(backend, RecordBackend) else b""
        readings = read_missing(records, content, password, options.engine, options.report)
        notes = {note.page: note for note in readings.notes}
        for page in pages:
            page._note = notes.get(page.page_no)
        return readings.records


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


def _outline(backend: object) -> list[OutlineEntry]:
    if not isinstance(backend, PdfDocumentBackend):
        return []
    return [
        OutlineEntry(title=item.title, level=item.level + 1, page=item.page_no)
        for item in backend.get_document_outline()
        if item.title.strip()
    ]
