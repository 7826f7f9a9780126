"""docling-parse as docling's PDF backend, decoding only what the layout needs.

docling's own backend skips vector shapes unless it renders the page, and builds a pydantic
object for every word and line. This one computes words, shapes and bitmap boxes, no lines,
and passes the decoder's cells on unchanged.
"""

from io import BytesIO
from pathlib import Path
from typing import Any

from docling.backend.docling_parse_backend import (
    ThreadedDoclingParseDocumentBackend,
    ThreadedDoclingParsePageBackend,
)
from docling.backend.pdf_backend import PdfDocumentBackend
from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.document import InputDocument
from docling.exceptions import DocumentLoadError
from docling_parse.pdf_parser import (
    ContentConfig,
    ContentLevel,
    DecodeConfig,
    DoclingThreadedPdfParser,
    ThreadedPdfParserConfig,
)

from citeloom.infrastructure.ingest.conversion.pdf.words.pdfium_text import ExactText

# One thread decodes while the worker process lays out; more would take cores from the other
# workers. Few decoded pages wait, so that memory stays bounded.
PARSER_THREADS = 1
PAGES_AHEAD = 4
RELEASE_EVERY_PAGES = 64


class CellBackend(ThreadedDoclingParseDocumentBackend):
    """Pages as docling-parse decodes them, in completion order.

    ``xmp`` (the metadata packet) and ``language`` are those of the document, if any;
    ``pdfium_text`` restores characters that docling-parse simplifies.
    """

    def __init__(
        self,
        in_doc: InputDocument,
        path_or_stream: BytesIO | Path,
        options: PdfBackendOptions | None = None,
    ) -> None:
        chosen = options or PdfBackendOptions()
        PdfDocumentBackend.__init__(self, in_doc, path_or_stream, chosen)
        self.options = chosen
        self._closed = False
        self._iterating = False
        self._render_pages = False
        self.parser = DoclingThreadedPdfParser(
            parser_config=ThreadedPdfParserConfig(
                loglevel="fatal",
                threads=PARSER_THREADS,
                max_concurrent_results=PAGES_AHEAD,
                page_content_config=ContentConfig(
                    char_cells_content_level=ContentLevel.COMPUTE,
                    word_cells_content_level=ContentLevel.COMPUTE,
                    line_cells_content_level=ContentLevel.SKIP,
                    shapes_content_level=ContentLevel.COMPUTE,
                    bitmaps_content_level=ContentLevel.COMPUTE,
                    include_bitmap_bytes=False,
                ),
            ),
            decode_config=DecodeConfig(release_native_memory_every_n_pages=RELEASE_EVERY_PAGES),
        )
        password = chosen.password.get_secret_value() if chosen.password else None
        try:
            self.doc_key = self.parser.load(
                path_or_stream, password=password, page_range=in_doc.limits.page_range
            )
        except (RuntimeError, ValueError) as error:
            raise DocumentLoadError(f"docling-parse could not load the file: {error}") from error
        self.pdfium_text = ExactText(path_or_stream, password)
        annotations = self.parser.get_annotations(self.doc_key)
        self.xmp: str | None = annotations.meta_xml if annotations is not None else None
        self.language: str | None = annotations.language if annotations is not None else None

    def unload(self) -> None:
        self.pdfium_text.close()
        super().unload()


def decoder_of(page: ThreadedDoclingParsePageBackend) -> Any:
    """The native page decoder (``get_word_cells``, ``get_page_images``, …).

    A private interface of docling: its public ``get_segmented_page`` costs twice the time of
    decoding the page.
    """
    return page._result._require_page_decoder()
