"""Conversion of a single file that is in no project."""

from contextlib import closing
from pathlib import Path

from citeloom.application.ports.ingest import ConversionJob, Converter
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import UnsupportedFormat


def convert_single_file(
    converter: Converter, source: Path, document_id: str, password: str | None
) -> ConversionResult:
    """Convert a file; ``document_id`` is the sha256 of its content. Raises UnsupportedFormat
    if the converter does not support it, and the error of the conversion."""
    if not converter.supports(source):
        raise UnsupportedFormat(f"{source}: not a document that can be read; use --virtual")
    job = ConversionJob(source=source, document_id=document_id, password=password)
    with closing(converter.convert([job])) as outcomes:
        outcome = next(outcomes)
    if outcome.error is not None:
        raise outcome.error
    assert outcome.result is not None, "an outcome has a result or an error"
    return outcome.result
