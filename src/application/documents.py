"""Finding the one document that a name means."""

from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.errors import DocumentNotFound
from citeloom.domain.project import ProjectId

_SHOWN = 5


def find_document(catalogue: Catalogue, project_id: ProjectId, name: str) -> StoredDocument:
    """The document with this citation key, id (or unique prefix), alias or path.

    Raises DocumentNotFound if there is none, or several.
    """
    found = catalogue.find_documents(project_id, name)
    if len(found) == 1:
        return found[0]
    if found:
        options = ", ".join(
            f"{d.document_id[:16]} ({d.title or d.sources[0].path})" for d in found[:_SHOWN]
        )
        raise DocumentNotFound(
            f"{name}: means {len(found)} documents of {project_id}: {options}; name one by its id",
            name=name,
        )
    known = [d.citation.citekey for d in catalogue.documents(project_id) if d.citation]
    hint = f"citation keys here: {', '.join(known[:_SHOWN])}" if known else "nothing is cited here"
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    raise DocumentNotFound(f"{name}: no such document in {project_id}; {hint}{more}", name=name)
