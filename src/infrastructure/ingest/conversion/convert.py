"""Conversion of one file to a ``ConversionResult``: the job of a worker process."""

import io
import zipfile
from pathlib import Path

from citeloom.domain.documents.conversion import ConversionResult

from . import format_table
from .protocol import Options, Report, ignore_progress
from .sources import check_archive, checked_format, read_content


def convert_file(
    source: Path,
    doc_id: str,
    password: str | None = None,
    options: Options | None = None,
    report: Report = ignore_progress,
) -> ConversionResult:
    """Convert ``source`` as the format of its suffix, if its content is of that format.

    The file is read once, and what was read is converted: a program that replaces or
    rewrites the file meanwhile changes nothing. ``report`` is called with the progress. Raises
    SourceChanged if the content has not the sha256 ``doc_id``, a DocumentFailed
    (UnsupportedFormat, PasswordNeeded, DocumentTooLarge, ConversionFailed), or ModelUnavailable
    for docling's standard pipeline.
    """
    options = options or Options()
    raw = read_content(source, doc_id, options.memory_mb)
    format_ = checked_format(source, raw)
    if format_ is format_table.PDF:
        from .pdf.convert import convert_pdf

        return convert_pdf(source, doc_id, password, options, report, raw)
    from .formats.docling_formats import convert_document

    if not format_.text and format_ is not format_table.OUTLOOK:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_archive(source.name, archive, format_, options.memory_mb)
    return convert_document(source, raw, format_, doc_id)


def warm_up() -> None:
    """Import the reader of PDFs ahead of the first document. docling, which reads the other
    formats, takes 3 s and 170 MB, and is imported with the first document of one."""
    import citeloom.infrastructure.ingest.conversion.pdf.native  # noqa: F401
