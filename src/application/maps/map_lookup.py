"""Lookup of resource maps and their nodes by name."""

import re
from collections.abc import Iterable, Sequence

from citeloom.application.documents.conversions import load_conversion
from citeloom.application.documents.finder import DocumentFinder
from citeloom.application.ports.catalogue import StoredDocument
from citeloom.application.ports.ingest import BundleStore
from citeloom.domain.errors import DocumentNotFound, NodeNotFound
from citeloom.domain.maps.address import short_id
from citeloom.domain.maps.document_map import map_document
from citeloom.domain.maps.resource_map import Node, ResourceMap
from citeloom.domain.messages import nearest
from citeloom.domain.naming import LEAST_PREFIX, Spelling
from citeloom.domain.projects.project import Project, ProjectId

from .prompt_index import ContextFormat, create_agent_context

_SHOWN = 20
_RESOURCE_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
_ID_PREFIX = re.compile(rf"[0-9a-f]{{{LEAST_PREFIX},64}}")


class MapLookup:
    """Looks up maps; a document's missing map is made from the stored conversion."""

    def __init__(self, *, documents: DocumentFinder, bundles: BundleStore) -> None:
        self.documents = documents
        self.bundles = bundles
        self._catalogue = documents.catalogue

    def map(self, project_id: ProjectId | None, name: str | Spelling) -> ResourceMap:
        """The map of a document of the project; without ``project_id`` of a document of any
        project, or of another mapped resource.

        Raises what ``DocumentFinder.find`` raises, and StorageFailed.
        """
        known = self.known(project_id, name)
        return known or self.of_document(self.documents.find(name, project_id))

    def known(self, project_id: ProjectId | None, name: str | Spelling) -> ResourceMap | None:
        """The same, for an exact name only; None if nothing has it."""
        document = self.documents.known(name, project_id)
        if document is not None:
            return self.of_document(document)
        return self._other(name) if project_id is None else None

    def node(self, project_id: ProjectId | None, name: str, node_id: str) -> Node:
        """Raises what ``map`` raises, and NodeNotFound, which names the nearest nodes."""
        return node_of(self.map(project_id, name), node_id)

    def resources(self, project_id: ProjectId | None = None) -> Sequence[str]:
        """Resource ids of the project's documents; without ``project_id`` of all documents and
        other mapped resources."""
        projects = (
            [self._catalogue.project(project_id)] if project_id else self._catalogue.projects()
        )
        ids = self._documents_of(projects)
        if project_id is None:
            ids.update(self.bundles.map_ids())
        return sorted(ids)

    def file_resources(self) -> Sequence[str]:
        """Resource ids of mapped files that are not documents of a project."""
        documents = self._documents_of(self._catalogue.projects())
        return sorted(set(self.bundles.map_ids()) - documents)

    def _documents_of(self, projects: Iterable[Project]) -> set[str]:
        return {
            short_id(document.document_id)
            for project in projects
            for document in self._catalogue.documents(project.id)
        }

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
        stored = self.bundles.load_map(document.document_id)
        if stored is not None:
            return _of_own_file(stored, document)
        converted = load_conversion(self.bundles, document)
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

    def _other(self, name: str | Spelling) -> ResourceMap | None:
        """The stored map of a resource id, or of a unique prefix of one."""
        id = name if isinstance(name, str) else _resource_id(name)
        if not _RESOURCE_ID.fullmatch(id):
            return None
        if (stored := self.bundles.load_map(id)) is not None:
            return stored
        if not _ID_PREFIX.fullmatch(id.lower()):
            return None
        ids = [one for one in self.bundles.map_ids() if one.startswith(id.lower())]
        if len(ids) > 1:
            raise DocumentNotFound(
                f"{id}: means {len(ids)} resources: {', '.join(sorted(ids)[:_SHOWN])}; "
                "name one by its whole id",
                name=id,
                options=sorted(ids),
            )
        return self.bundles.load_map(ids[0]) if ids else None


def _of_own_file(stored: ResourceMap, document: StoredDocument) -> ResourceMap:
    """The map is that of the content, stored for whichever project wrote it last: it names the
    file of this one."""
    paths = [source.path for source in document.sources]
    if not paths or stored.source_path in paths or stored.source_hash != document.document_id:
        return stored
    return stored.model_copy(update={"source_path": paths[0]})


def _resource_id(spelling: Spelling) -> str:
    return spelling.address.resource_id if spelling.address else spelling.text


def node_of(resource: ResourceMap, node_id: str) -> Node:
    """Raises NodeNotFound, which names the nearest nodes."""
    node = resource.get_node(node_id)
    if node is None:
        printable_id = node_id if node_id.isprintable() else repr(node_id)[1:-1]
        ids = resource.list_node_ids()
        raise NodeNotFound(
            f"Node '{printable_id}' not found in resource '{resource.resource_id}'. "
            f"Available nodes: {_near_nodes(node_id, ids)}",
            node_id=node_id,
            available_nodes=ids,
        )
    return node


def _near_nodes(node_id: str, ids: Sequence[str]) -> str:
    """The nodes whose ids, or last parts of them, are most like ``node_id``."""
    near = nearest(node_id, {one: (one, one.rpartition(".")[2]) for one in ids})
    shown = ", ".join(near)
    return shown if len(ids) <= len(near) else f"{shown} (the nearest of {len(ids)})"
