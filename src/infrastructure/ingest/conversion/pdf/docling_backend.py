"""pdfium as docling's PDF backend, with character maps for fonts that lack one."""

from io import BytesIO
from pathlib import Path

import pypdfium2
from docling.backend.pypdfium2_backend import PyPdfiumDocumentBackend, PyPdfiumPageBackend
from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.document import InputDocument
from docling.utils.locks import pypdfium2_lock

from citeloom.infrastructure.ingest.conversion.pdf.fonts.character_maps import (
    with_character_maps,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.form_fields import (
    draw_fields,
    open_form,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.pdf.words.decode_page import PageDecoder

# pdfium keeps every font and picture until the document is closed. It is opened anew every 64
# pages, so that a thousand pages fit in memory.
REOPEN_EVERY = 64


class RecordBackend(PyPdfiumDocumentBackend):
    """Pages by pdfium, which ``record`` reads without docling's cells."""

    def __init__(
        self,
        in_doc: InputDocument,
        path_or_stream: BytesIO | Path,
        options: PdfBackendOptions | None = None,
    ) -> None:
        secret = options.password if options else None
        self._password = secret.get_secret_value() if secret else None
        source = path_or_stream if isinstance(path_or_stream, Path) else path_or_stream.getvalue()
        self._mapped = with_character_maps(source, self._password)
        if self._mapped is not None:
            path_or_stream, options = BytesIO(self._mapped), PdfBackendOptions()
            self._password = None
        super().__init__(in_doc, path_or_stream, options)
        with pypdfium2_lock:
            open_form(self._pdoc)
        self._decoder = PageDecoder()
        self._pages_read = 0

    def load_page(self, page_no: int) -> PyPdfiumPageBackend:
        """The page with index ``page_no`` (from 0)."""
        if self._pages_read and self._pages_read % REOPEN_EVERY == 0:
            self._reopen()
        self._pages_read += 1
        page = super().load_page(page_no)
        if not page.is_valid():
            return page
        with pypdfium2_lock:
            drawn = draw_fields(page._require_page())
        if not drawn:
            return page
        page.unload()
        return super().load_page(page_no)

    def record(self, page: PyPdfiumPageBackend) -> PageRecord:
        """The record of an open page. Raises ``pypdfium2.PdfiumError``."""
        with pypdfium2_lock:
            return self._decoder.read(page._require_page(), page.page_no)

    def _reopen(self) -> None:
        with pypdfium2_lock:
            self._pdoc.close()
            self._pdoc = pypdfium2.PdfDocument(
                self._mapped or self.path_or_stream, password=self._password
            )
            open_form(self._pdoc)
        self._decoder.forget_fonts()
