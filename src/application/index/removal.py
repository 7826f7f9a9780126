"""Removal of documents, projects and indexes of other models."""

from collections.abc import Sequence

from citeloom.application.index.collection import open_collection
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Index
from citeloom.application.ports.ingest import BundleStore, SourceCopies
from citeloom.domain.projects import ModelIndex, Project


class Remover:
    """Removes passages first and the catalogue entry last, so that an interrupted removal is
    repeated; until then the entry says that passages may be missing, so that a document that is
    to stay after all is stored again. Bundles and
    copies stay while another project has the document."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        index: Index,
        bundles: BundleStore,
        copies: SourceCopies,
        wait_seconds: float,
    ) -> None:
        self._catalogue = catalogue
        self._index = index
        self._bundles = bundles
        self._copies = copies
        self._wait = wait_seconds

    def documents(self, project: Project, document_ids: Sequence[str]) -> None:
        if not document_ids:
            return
        self._catalogue.unfinish_documents(project.id, document_ids)
        for index in (project.index_of(project.embedding_model), *self._others(project)):
            with open_collection(
                self._index, project.on(index), self._wait, writing=True
            ) as collection:
                collection.delete_documents(document_ids)
                collection.flush()
        self._forget(project, document_ids)

    def project(self, project: Project) -> None:
        """Delete a project with its collections, documents and unshared bundles."""
        ids = [d.document_id for d in self._catalogue.documents(project.id)]
        self._catalogue.unfinish_documents(project.id, ids)
        for collection in project.collections:
            self._index.drop(collection)
        self._forget(project, ids)
        self._catalogue.delete_project(project.id)

    def other(self, project: Project, index: ModelIndex) -> None:
        """Delete the collection of a model that is not in use."""
        self._index.drop(index.collection)
        self._catalogue.remove_other(project.id, index.collection)

    def _others(self, project: Project) -> list[ModelIndex]:
        """The project's other indexes, read again: a migration may have begun meanwhile."""
        now = self._catalogue.project(project.id)
        indexes = (now.index_of(now.embedding_model), *now.others)
        return [
            one
            for one in indexes
            if one.collection != project.collection and self._index.exists(one.collection)
        ]

    def _forget(self, project: Project, document_ids: Sequence[str]) -> None:
        orphans = [i for i in document_ids if not self._catalogue.used_elsewhere(project.id, i)]
        self._catalogue.remove_documents(project.id, document_ids)
        for document_id in orphans:
            self._bundles.delete(document_id)
            self._copies.delete(document_id)
