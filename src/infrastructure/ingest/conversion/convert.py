"""Conversion of one file to a ``ConversionResult``: the job of a worker process."""

from pathlib import Path

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.ingest.conversion import format_table
from citeloom.infrastructure.ingest.conversion.content_type import (
    HEAD_BYTES,
    checked_format,
    is_pdf,
)
from citeloom.infrastructure.ingest.conversion.options import Options
from citeloom.infrastructure.ingest.conversion.progress import Report, ignore_progress


def convert_file(
    source: Path,
    doc_id: str,
    password: str | None = None,
    options: Options | None = None,
    report: Report = ignore_progress,
) -> ConversionResult:
    """Convert ``source`` as the format of its suffix, if its content is of that format.

    ``report`` is called with the progress. Raises a DocumentFailed (UnsupportedFormat,
    PasswordNeeded, ConversionFailed), or ModelUnavailable for docling's standard pipeline.
    """
    promised = format_table.promised_format(source)
    try:
        with source.open("rb") as file:
            raw = file.read(HEAD_BYTES)
            if promised is not None and not (
                promised is format_table.PDF and is_pdf(raw, promised)
            ):
                raw += file.read()  # a PDF may be large and is read by its own parser
    except OSError as error:
        raise ConversionFailed(
            f"{source.name}: cannot be read ({error.strerror or error}); "
            "check that the file exists and that you may read it",
            path=str(source),
        ) from error
    format_ = checked_format(source, raw)
    if format_ is format_table.PDF:
        from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

        return convert_pdf(source, doc_id, password, options, report)
    from citeloom.infrastructure.ingest.conversion.formats.docling_formats import convert_document

    return convert_document(source, raw, format_, doc_id)


def warm_up() -> None:
    """Import docling ahead of the first document."""
    import docling.document_converter  # noqa: F401
