"""Conversions of documents: stored ones, those made now, and the reference lists in them."""

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore, ConversionJob, Converter
from citeloom.domain.citation.metadata import with_confirmed_labels
from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.errors import NothingThere, StorageFailed, UnsupportedFormat
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.entries.reference_list import READER_VERSION, CitedWork, cited_works

from .finder import DocumentFinder, short_name


def load_conversion(bundles: BundleStore, document: StoredDocument) -> ConversionResult:
    """The stored conversion, with the page labels that the citation confirms. Raises
    StorageFailed, also if the conversion is missing, and NothingThere for a work without text."""
    require_text(document)
    converted = bundles.load(document.document_id)
    if converted is None:
        raise StorageFailed(
            f"{document.sources[0].path}: its conversion is missing",
            NextStep(Action.INGEST_AGAIN, project=document.project_id.value),
        )
    return with_confirmed_labels(converted, document.citation)


def require_text(document: StoredDocument) -> None:
    """Raise NothingThere for a work that was added without text, with the way to it."""
    if not document.has_file:
        step = NextStep(Action.ADD_TEXT, project=document.project_id.value)
        raise NothingThere(f"{short_name(document)}: has no text yet", step)


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


def reference_list(bundles: BundleStore, document: StoredDocument) -> Sequence[CitedWork]:
    """The works that a document cites, in the order of its list, which is read of its conversion
    once and stored beside it. Raises StorageFailed, also if the conversion is missing."""
    if not document.has_file:
        return ()
    stored = bundles.load_works(document.document_id, _fingerprint(document.conversion))
    if stored is not None:
        return stored
    return keep_reference_list(bundles, load_conversion(bundles, document))


def keep_reference_list(bundles: BundleStore, converted: ConversionResult) -> Sequence[CitedWork]:
    """Read the list of a conversion, and store it; returns it."""
    works = cited_works(converted)
    with suppress(StorageFailed):  # a read-only workspace: it is read again the next time
        bundles.save_works(converted.doc_id, _fingerprint(converted.converter), works)
    return works


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceLists:
    """The works that a document cites."""

    documents: DocumentFinder
    bundles: BundleStore

    def __call__(self, project_id: ProjectId, name: str) -> Sequence[CitedWork]:
        """In the order of the list. Raises ProjectNotFound, DocumentNotFound, StorageFailed."""
        return reference_list(self.bundles, self.documents.find(name, project_id))


def _fingerprint(conversion: str) -> str:
    return f"{conversion} list-{READER_VERSION}"
