"""Document lookup by name, and the document's stored conversion."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.citation.page_labels import with_confirmed_labels
from citeloom.domain.errors import DocumentNotFound, StorageFailed
from citeloom.domain.library.holding import DocumentRole
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.text.phrasing import listed

if TYPE_CHECKING:  # a query looks for documents too, and needs no conversions
    from citeloom.application.ports.ingest import BundleStore
    from citeloom.domain.documents.conversion import ConversionResult

_SHOWN = 5


def find_document(catalogue: Catalogue, project_id: ProjectId, name: str) -> StoredDocument:
    """The document with this citation key, id (or unique prefix), alias or path.

    Raises DocumentNotFound if there is none, or if there are several (then with ``options`` in
    its details).
    """
    matches = main_documents(catalogue.find_documents(project_id, name))
    if len(matches) == 1:
        return matches[0]
    if matches:
        options = ", ".join(
            f"{d.document_id[:16]} ({d.title or d.sources[0].path})" for d in matches[:_SHOWN]
        )
        raise DocumentNotFound(
            f"{name}: means {len(matches)} documents of {project_id}: {options}; "
            "name one by its id",
            name=name,
            options=[d.document_id for d in matches],
        )
    known = [d.citation.citekey for d in catalogue.documents(project_id) if d.citation]
    hint = f"citation keys here: {listed(known, _SHOWN)}" if known else "nothing is cited here"
    raise DocumentNotFound(f"{name}: no such document in {project_id}; {hint}", name=name)


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
