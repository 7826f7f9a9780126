"""CiteLoom's PDF pipeline: docling's native one, with a layout in place of loose cells."""

from typing import Any

from docling.backend.docling_parse_backend import ThreadedDoclingParsePageBackend
from docling.backend.pdf_backend import PdfDocumentBackend, PdfPageBackend
from docling.datamodel.base_models import DoclingComponentType, ErrorItem, Page
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import NativePdfPipelineOptions
from docling.pipeline.native_pdf_pipeline import NativePdfPipeline
from docling_core.types.doc.common.origin import DocumentOrigin
from pydantic import PrivateAttr

from citeloom.infrastructure.conversion.pdf.backend import CellBackend, decoder_of
from citeloom.infrastructure.conversion.pdf.document import to_docling
from citeloom.infrastructure.conversion.pdf.layout import lay_out
from citeloom.infrastructure.conversion.pdf.outlines import OutlineEntry
from citeloom.infrastructure.conversion.pdf.parse import read_page
from citeloom.infrastructure.conversion.pdf.records import PageRecord


class LayoutPdfOptions(NativePdfPipelineOptions):
    """``title_hint`` is the title that the file's metadata give, if it can be believed."""

    title_hint: str | None = None


OUTLINE_IGNORED = "the PDF's outline does not match its text and was ignored"


class RecordedPage(Page):
    """A page of which only the record is kept: docling's own page object is megabytes."""

    _record: PageRecord | None = PrivateAttr(default=None)


class LayoutPdfPipeline(NativePdfPipeline):
    """Reads each page into a record, then lays out the whole document at once."""

    def _parse_page(
        self,
        timings: Any,  # noqa: ARG002 (docling's signature)
        conv_res: ConversionResult,
        page_backend: PdfPageBackend,
    ) -> Page | None:
        number = page_backend.page_no
        if not isinstance(page_backend, ThreadedDoclingParsePageBackend):
            raise TypeError(f"{type(page_backend).__name__} has no decoder to read cells from")
        if not page_backend.is_valid():
            reason = page_backend.get_error_message() or "no reason given"
            self._record_page_failure(conv_res, page_backend, f"page {number}: {reason}")
            return None
        try:
            page = RecordedPage(page_no=number)
            page.size = page_backend.get_size()
            backend = conv_res.input._backend
            page._record = read_page(
                decoder_of(page_backend),
                number,
                page.size.width,
                page.size.height,
                backend.exact if isinstance(backend, CellBackend) else None,
            )
        except Exception as error:  # one unreadable page must not cost the document
            self._record_page_failure(conv_res, page_backend, f"page {number}: {error}")
            return None
        return page

    def _assemble_document(self, conv_res: ConversionResult) -> ConversionResult:
        backend = conv_res.input._backend
        records = []
        for page in conv_res.pages:
            if isinstance(page, RecordedPage) and page._record is not None:
                records.append(page._record)
                page._record = None
        hint = getattr(self.pipeline_options, "title_hint", None)
        layout = lay_out(records, _outline(backend), hint)
        origin = DocumentOrigin.model_validate(
            {
                "mimetype": "application/pdf",
                "filename": conv_res.input.file.name,
                "binary_hash": conv_res.input.document_hash,
            }
        )
        sizes = {record.page: (record.width, record.height) for record in records}
        conv_res.document = to_docling(layout, origin, sizes)
        if layout.outline_ignored:
            conv_res.errors.append(
                ErrorItem(
                    component_type=DoclingComponentType.DOC_ASSEMBLER,
                    module_name=type(self).__name__,
                    error_message=OUTLINE_IGNORED,
                )
            )
        return conv_res


def _outline(backend: object) -> list[OutlineEntry]:
    if not isinstance(backend, PdfDocumentBackend):
        return []
    return [
        OutlineEntry(title=item.title, level=item.level + 1, page=item.page_no)
        for item in backend.get_document_outline()
        if item.title.strip()
    ]
