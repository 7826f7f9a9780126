"""Taking documents out of a project."""

from collections.abc import Sequence

from citeloom.application.ports.bundles import BundleStore
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Index
from citeloom.application.project_index import open_collection
from citeloom.domain.project import Project


class Remover:
    """Removes passages first and the catalogue's entry last, so that a removal that was
    interrupted is seen and done again. Bundles stay while another project needs them."""

    def __init__(
        self, *, catalogue: Catalogue, index: Index, bundles: BundleStore, wait_seconds: float
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._bundles = bundles
        self._wait = wait_seconds

    def documents(self, project: Project, document_ids: Sequence[str]) -> None:
        if not document_ids:
            return
        with open_collection(self._index, project, self._wait) as collection:
            collection.delete_documents(document_ids)
            collection.flush()
        self._forget(project, document_ids)

    def project(self, project: Project) -> None:
        """The project itself, with everything that only it needs."""
        ids = [d.document_id for d in self._catalogue.documents(project.id)]
        self._index.drop(project.collection)
        self._forget(project, ids)
        self._catalogue.delete_project(project.id)

    def _forget(self, project: Project, document_ids: Sequence[str]) -> None:
        orphans = [i for i in document_ids if not self._catalogue.used_elsewhere(project.id, i)]
        self._catalogue.remove_documents(project.id, document_ids)
        for document_id in orphans:
            self._bundles.delete(document_id)
