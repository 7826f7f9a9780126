"""The verb *map*: the structure of one document, and its nodes."""

from collections.abc import Sequence

from citeloom.application.documents import find_document, load_conversion
from citeloom.application.mapping import map_document
from citeloom.application.ports.bundles import BundleStore
from citeloom.application.ports.catalogue import Catalogue, StoredDocument
from citeloom.domain.address import short_id
from citeloom.domain.errors import NodeNotFound
from citeloom.domain.project import ProjectId
from citeloom.domain.resource_map import Node, ResourceMap

_SHOWN = 20


class Structure:
    """Reads maps; one that is missing is made again from the stored conversion."""

    def __init__(self, *, catalogue: Catalogue, bundles: BundleStore) -> None:
        self._catalogue = catalogue
        self._bundles = bundles

    def map(self, project_id: ProjectId, name: str) -> ResourceMap:
        """Raises ProjectNotFound, DocumentNotFound, StorageFailed."""
        self._catalogue.project(project_id)
        return self._load(find_document(self._catalogue, project_id, name))

    def node(self, project_id: ProjectId, name: str, node_id: str) -> Node:
        """Raises NodeNotFound, naming the nodes there are."""
        resource = self.map(project_id, name)
        node = resource.get_node(node_id)
        if node is None:
            ids = resource.list_node_ids()
            more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
            raise NodeNotFound(
                f"Node '{node_id}' not found in resource '{resource.resource_id}'. "
                f"Available nodes: {', '.join(ids[:_SHOWN])}{more}",
                node_id=node_id,
                available_nodes=ids,
            )
        return node

    def resources(self, project_id: ProjectId | None = None) -> Sequence[str]:
        """Ids of all documents, of one project or of all."""
        projects = (
            [self._catalogue.project(project_id)] if project_id else self._catalogue.projects()
        )
        ids = {
            short_id(document.document_id)
            for project in projects
            for document in self._catalogue.documents(project.id)
        }
        return sorted(ids)

    def _load(self, document: StoredDocument) -> ResourceMap:
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
