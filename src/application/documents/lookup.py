"""The main document of a library item, and a document's stored conversion."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeloom.application.ports.catalogue import StoredDocument
from citeloom.domain.citation.page_labels import with_confirmed_labels
from citeloom.domain.errors import StorageFailed
from citeloom.domain.library.holding import DocumentRole
from citeloom.domain.messages import Action, NextStep

if TYPE_CHECKING:  # a query looks for documents too, and needs no conversions
    from citeloom.application.ports.ingest import BundleStore
    from citeloom.domain.documents.conversion import ConversionResult


def main_documents(matches: Sequence[StoredDocument]) -> Sequence[StoredDocument]:
    """Reduce the documents of one library item (paper, supplement, notes) to the main one;
    other ambiguous matches stay as they are."""
    main = [d for d in matches if d.held is None or d.held.role is DocumentRole.MAIN]
    return main if len(main) == 1 else matches


def load_conversion(bundles: "BundleStore", document: StoredDocument) -> "ConversionResult":
    """The stored conversion, with the page labels that the citation confirms. Raises
    StorageFailed, also if the conversion is missing."""
    converted = bundles.load(document.document_id)
    if converted is None:
        raise StorageFailed(
            f"{document.sources[0].path}: its conversion is missing",
            NextStep(Action.INGEST_AGAIN, project=document.project_id.value),
        )
    return with_confirmed_labels(converted, document.citation)
