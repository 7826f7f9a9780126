"""Finding the one document that a name means, and its stored conversion."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.citation.page_labels import with_confirmed_labels
from citeloom.domain.errors import DocumentNotFound, StorageFailed
from citeloom.domain.library.holding import DocumentRole
from citeloom.domain.projects.project_id import ProjectId

if TYPE_CHECKING:  # a query looks for documents too, and needs no conversions
    from citeloom.application.ports.ingest import BundleStore
    from citeloom.domain.documents.conversion import ConversionResult

_SHOWN = 5


def find_document(catalogue: Catalogue, project_id: ProjectId, name: str) -> StoredDocument:
    """The document with this citation key, id (or unique prefix), alias or path.

    Raises DocumentNotFound if there is none, or several: ``options`` in its details then.
    """
    found = meant(catalogue.find_documents(project_id, name))
    if len(found) == 1:
        return found[0]
    if found:
        options = ", ".join(
            f"{d.document_id[:16]} ({d.title or d.sources[0].path})" for d in found[:_SHOWN]
        )
        raise DocumentNotFound(
            f"{name}: means {len(found)} documents of {project_id}: {options}; name one by its id",
            name=name,
            options=[d.document_id for d in found],
        )
    known = [d.citation.citekey for d in catalogue.documents(project_id) if d.citation]
    hint = f"citation keys here: {', '.join(known[:_SHOWN])}" if known else "nothing is cited here"
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    raise DocumentNotFound(f"{name}: no such document in {project_id}; {hint}{more}", name=name)


def meant(found: Sequence[StoredDocument]) -> Sequence[StoredDocument]:
    """Of all that a library's item has (paper, supplement, notes), its main document; other
    documents of one name as they are."""
    main = [d for d in found if d.held is None or d.held.role is DocumentRole.MAIN]
    return main if len(main) == 1 else found


def load_conversion(bundles: "BundleStore", document: StoredDocument) -> "ConversionResult":
    """With the page labels that its citation confirms. Raises StorageFailed, also if there
    is none."""
    converted = bundles.load(document.document_id)
    if converted is None:
        raise StorageFailed(
            f"{document.sources[0].path}: its conversion is missing; "
            "run `citeloom ingest` on it with --force"
        )
    return with_confirmed_labels(converted, document.citation)
