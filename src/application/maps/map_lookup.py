"""Lookup of resource maps and their nodes by name."""

import re
from collections.abc import Sequence

from citeloom.application.documents.lookup import find_document, load_conversion, main_documents
from citeloom.application.maps.prompt_index import ContextFormat, create_agent_context
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.errors import DocumentNotFound, NodeNotFound
from citeloom.domain.maps.address import short_id
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import Node, ResourceMap
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.text.phrasing import listed

_SHOWN = 20
_RESOURCE_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
_ID_PREFIX = re.compile(r"[0-9a-f]{6,64}")


class MapLookup:
    """Looks up maps; a document's missing map is made from the stored conversion."""

    def __init__(self, *, catalogue: Catalogue, bundles: BundleStore) -> None:
        self._catalogue = catalogue
        self._bundles = bundles

    def map(self, project_id: ProjectId | None, name: str) -> ResourceMap:
        """The map of a document of the project; without ``project_id`` of a document of any
        project, or of another mapped resource.

        Raises ProjectNotFound, DocumentNotFound (none, or several), StorageFailed.
        """
        if project_id is not None:
            self._catalogue.project(project_id)
            return self.of_document(find_document(self._catalogue, project_id, name))
        documents = self._anywhere(name)
        if len(documents) == 1:
            return self.of_document(next(iter(documents.values())))
        if documents:
            options = ", ".join(
                f"{short_id(document_id)} ({document.project_id})"
                for document_id, document in sorted(documents.items())
            )
            raise DocumentNotFound(
                f"{name}: means {len(documents)} documents: {options}; name one by its id",
                name=name,
                options=sorted(documents),
            )
        stored = self._other(name)
        if stored is None:
            raise DocumentNotFound(
                f"No map found for resource '{name}': no document and no mapped file has this name",
                NextStep(Action.LIST_MAPS),
                name=name,
            )
        return stored

    def node(self, project_id: ProjectId | None, name: str, node_id: str) -> Node:
        """Raises what ``map`` raises, and NodeNotFound, which names existing nodes."""
        return node_of(self.map(project_id, name), node_id)

    def resources(self, project_id: ProjectId | None = None) -> Sequence[str]:
        """Resource ids of the project's documents; without ``project_id`` of all documents and
        other mapped resources."""
        projects = (
            [self._catalogue.project(project_id)] if project_id else self._catalogue.projects()
        )
        ids = {
            short_id(document.document_id)
            for project in projects
            for document in self._catalogue.documents(project.id)
        }
        if project_id is None:
            ids.update(self._bundles.map_ids())
        return sorted(ids)

    def agent_context(
        self,
        project_id: ProjectId | None = None,
        format: ContextFormat = "markdown",
        budget: int | None = None,
    ) -> str:
        """An index of ``resources`` and their nodes for a prompt, at most ``budget`` tokens.

        Raises StorageFailed, ProjectNotFound, and InvalidRequest where the budget is too small.
        """
        maps = [self.map(project_id, name) for name in self.resources(project_id)]
        return create_agent_context(maps, format, budget)

    def of_document(self, document: StoredDocument) -> ResourceMap:
        """Raises StorageFailed."""
        stored = self._bundles.load_map(document.document_id)
        if stored is not None:
            return stored
        converted = load_conversion(self._bundles, document)
        source = document.sources[0]
        return map_document(
            converted,
            source_path=source.path,
            source_size=source.size,
            created_at=document.stored_at,
        )

    def holding(
        self, document_id: str, project_id: ProjectId | None = None
    ) -> StoredDocument | None:
        """The document with this id, in the project or in any; None if there is none."""
        if project_id is not None:
            return self._catalogue.document(project_id, document_id)
        documents = (
            self._catalogue.document(project.id, document_id)
            for project in self._catalogue.projects()
        )
        return next((document for document in documents if document is not None), None)

    def _anywhere(self, name: str) -> dict[str, StoredDocument]:
        return {
            document.document_id: document
            for project in self._catalogue.projects()
            for document in main_documents(self._catalogue.find_documents(project.id, name))
        }

    def _other(self, name: str) -> ResourceMap | None:
        """The stored map of a resource id, or of a unique prefix of one."""
        if _RESOURCE_ID.fullmatch(name) and (stored := self._bundles.load_map(name)) is not None:
            return stored
        if not _ID_PREFIX.fullmatch(name.lower()):
            return None
        ids = [one for one in self._bundles.map_ids() if one.startswith(name.lower())]
        if len(ids) > 1:
            raise DocumentNotFound(
                f"{name}: means {len(ids)} resources: {', '.join(sorted(ids)[:_SHOWN])}; "
                "name one by its whole id",
                name=name,
                options=sorted(ids),
            )
        return self._bundles.load_map(ids[0]) if ids else None


def node_of(resource: ResourceMap, node_id: str) -> Node:
    """Raises NodeNotFound, which names existing nodes."""
    node = resource.get_node(node_id)
    if node is None:
        printable_id = node_id if node_id.isprintable() else repr(node_id)[1:-1]
        raise NodeNotFound(
            f"Node '{printable_id}' not found in resource '{resource.resource_id}'. "
            f"Available nodes: {first_nodes(resource)}",
            node_id=node_id,
            available_nodes=resource.list_node_ids(),
        )
    return node


def first_nodes(resource: ResourceMap) -> str:
    """The ids of the first nodes and the number of the others."""
    ids = resource.list_node_ids()
    return listed(ids, _SHOWN)
