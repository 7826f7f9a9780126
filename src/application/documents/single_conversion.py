"""Conversions of documents, and of single files that are in no project."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.documents.lookup import load_conversion
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore, ConversionJob, Converter
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.errors import UnsupportedFormat
from citeloom.domain.messages import Action, NextStep


def convert_single_file(
    converter: Converter, source: Path, document_id: str, password: str | None
) -> ConversionResult:
    """Convert a file; ``document_id`` is the sha256 of its content. Raises UnsupportedFormat
    if the converter does not support it, and the error of the conversion."""
    if not converter.supports(source):
        raise UnsupportedFormat(
            f"{source}: not a document that can be read", NextStep(Action.LOCATE_ONLY)
        )
    job = ConversionJob(source=source, document_id=document_id, password=password)
    with closing(converter.convert([job])) as outcomes:
        outcome = next(outcomes)
    if outcome.error is not None:
        raise outcome.error
    assert outcome.result is not None, "an outcome has a result or an error"
    return outcome.result


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """Texts of documents: stored conversions, conversions made now, numbered passages.

    ``converter`` is called only for a file that no project has; ``passage_span`` gives the span
    of a numbered passage.
    """

    bundles: BundleStore
    converter: Callable[[], Converter]
    passage_span: Callable[[StoredDocument, int], CharSpan]

    def conversion(
        self, stored: StoredDocument | None, path: Path, digest: str, password: str | None
    ) -> ConversionResult:
        """The stored conversion of the content ``digest``, else one of the file at ``path``."""
        if stored is not None and stored.document_id == digest:
            return load_conversion(self.bundles, stored)
        return convert_single_file(self.converter(), path, digest, password)

    def passage(self, stored: StoredDocument, number: int) -> str:
        """The text of a numbered passage."""
        span = self.passage_span(stored, number)
        return load_conversion(self.bundles, stored).text_of(span)
