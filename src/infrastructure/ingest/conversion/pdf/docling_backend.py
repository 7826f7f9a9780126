"""pdfium as docling's PDF backend, with character maps for fonts that lack one."""

import ctypes
import os
import tempfile
from io import BytesIO
from pathlib import Path
from typing import IO, cast

import pypdfium2
from docling.backend.pypdfium2_backend import PyPdfiumDocumentBackend, PyPdfiumPageBackend
from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.document import InputDocument
from docling.utils.locks import pypdfium2_lock

from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.ingest.conversion.pdf.fonts.character_maps import (
    with_character_maps,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.form_fields import (
    draw_fields,
    open_form,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.pdf.words.decode_page import PageDecoder
from citeloom.infrastructure.maps.evidence.pdf_characters import text_displacement

# pdfium keeps every font and picture until the document is closed. It is opened anew every 64
# pages, so that a thousand pages fit in memory.
REOPEN_EVERY = 64


class ContentStream(BytesIO):
    """A file that was read. Its ``content`` is in memory once: docling asks for the buffer to
    measure it, and that of ``BytesIO`` is a copy."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.content = content

    def getbuffer(self) -> memoryview:
        return memoryview(self.content)


class RecordBackend(PyPdfiumDocumentBackend):
    """Pages by pdfium, which ``record`` reads without docling's cells. ``content`` is the file
    as it is."""

    def __init__(
        self,
        in_doc: InputDocument,
        path_or_stream: BytesIO | Path,
        options: PdfBackendOptions | None = None,
    ) -> None:
        secret = options.password if options else None
        self._password = secret.get_secret_value() if secret else None
        if not isinstance(path_or_stream, ContentStream):
            raise TypeError(f"{path_or_stream}: content that was read is needed")
        self.content = path_or_stream.content
        self._mapped = _mapped(in_doc.file.name, self.content, self._password)
        if self._mapped is not None:
            path_or_stream = cast(BytesIO, self._mapped)
            options, self._password = PdfBackendOptions(), None
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
        """The record of an open page; the text of a scan lies over the printed words. Raises
        ``pypdfium2.PdfiumError``."""
        with pypdfium2_lock:
            sheet = page._require_page()
            record = self._decoder.read(sheet, page.page_no)
            right, down = text_displacement(sheet)
        return record.with_text_moved(right, down) if right or down else record

    def unload(self) -> None:
        super().unload()
        if self._mapped is not None:
            self._mapped.close()

    def _reopen(self) -> None:
        with pypdfium2_lock:
            self._pdoc.close()
            _give_back_memory()
            self._pdoc = pypdfium2.PdfDocument(self.path_or_stream, password=self._password)
            open_form(self._pdoc)
        self._decoder.forget_fonts()


def _mapped(name: str, source: bytes, password: str | None) -> IO[bytes] | None:
    try:
        mapped = with_character_maps(source, password)
    except OSError as error:
        raise ConversionFailed(
            f"{name}: no copy of it can be written ({error.strerror}); free some space in "
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
