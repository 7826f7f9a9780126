"""Collections of projects: opening, removal of documents, the search graph."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Collection, Index
from citeloom.application.ports.ingest import BundleStore, Progress, SourceCopies
from citeloom.domain.errors import IndexUnavailable, ShardBusy, StorageFailed
from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.domain.projects.project import ModelIndex, Project, ProjectId
from citeloom.domain.text.phrasing import counted
from citeloom.domain.value import Value


def require_index(index: Index, catalogue: Catalogue, project: Project) -> None:
    """Raise IndexUnavailable if the project's collection is gone, though it has passages by the
    catalogue."""
    if not index.exists(project.collection) and (expected := catalogue.passages(project.id)):
        raise index_gone(project, expected)


def missing_passages(
    collection: Collection, catalogue: Catalogue, project: Project
) -> UserMessage | None:
    """A warning if the collection has fewer passages than the catalogue says. Raises
    IndexUnavailable if it has none of them."""
    found, expected = collection.count(), catalogue.passages(project.id)
    if found >= expected:
        return None
    if not found:
        raise index_gone(project, expected)
    missing = f"{project.id}: only {found:,} of {expected:,} passages are in its index"
    return UserMessage(
        f"{missing}, unless documents are being added right now",
        NextStep(Action.REPAIR, project=project.id.value),
    )


def is_damage(error: IndexUnavailable) -> bool:
    """Whether a repair helps, rather than another try or another server."""
    return error.next_step is not None and error.next_step.action is Action.REPAIR


def index_gone(project: Project, expected: int) -> IndexUnavailable:
    """The error for a collection without passages; ``expected`` are those of the catalogue."""
    return IndexUnavailable(
        f"{project.id}: its index is gone: it should hold {counted(expected, 'passage')}",
        NextStep(Action.REPAIR, project=project.id.value),
        project_id=project.id.value,
        collection=project.collection,
        expected=expected,
    )


@contextmanager
def open_collection(
    index: Index, project: Project, *, writing: bool = False
) -> Iterator[Collection]:
    """The project's collection; with ``writing`` no other process writes to it meanwhile. Raises
    ShardBusy, IndexUnavailable."""
    try:
        with index.open(
            project.collection, dimension=project.embedding_model.dimension, writing=writing
        ) as collection:
            yield collection
    except IndexUnavailable as error:
        if is_damage(error):
            repair = NextStep(Action.REPAIR, project=project.id.value)
            error.message = UserMessage(error.message, repair)
        raise


class Optimized(Value):
    """``rebuilt`` is False if the index was up to date."""

    project: str
    rebuilt: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimize:
    """Optimizes on request; ingest, relocation and migration optimize by themselves."""

    catalogue: Catalogue
    index: Index

    def __call__(self, project_id: ProjectId, progress: Progress) -> Optimized:
        """Raises ProjectNotFound, ShardBusy, IndexUnavailable, StorageFailed."""
        project = self.catalogue.project(project_id)
        rebuilt = optimize(self.index, project, progress)
        return Optimized(project=project.id.value, rebuilt=rebuilt)


def optimize(index: Index, project: Project, progress: Progress) -> bool:
    """Optimize the project's collection if that is due; returns whether it was."""
    return index.optimize(
        project.collection,
        dimension=project.embedding_model.dimension,
        on_start=lambda: progress.notice(
            f"{project.id} has grown; its index is being rebuilt, and queries still work"
        ),
    )


def optimize_as_well(index: Index, project: Project, progress: Progress) -> None:
    """Optimize after another operation, whose result does not depend on it: errors become
    notices."""
    try:
        optimize(index, project, progress)
    except (IndexUnavailable, ShardBusy, StorageFailed) as error:
        step = NextStep(Action.OPTIMIZE, project=project.id.value)
        progress.notice(
            UserMessage(f"{error.message}; queries are slower until it is optimized", step)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Remover:
    """Removes passages first and the catalogue entry last, so that an interrupted removal is
    repeated; until then the entry says that passages may be missing, so that a document that is
    to stay after all is stored again. Bundles and
    copies stay while another project has the document."""

    catalogue: Catalogue
    index: Index
    bundles: BundleStore
    copies: SourceCopies

    def documents(self, project: Project, document_ids: Sequence[str]) -> None:
        if not document_ids:
            return
        self.catalogue.unfinish_documents(project.id, document_ids)
        for index in (project.index_of(project.embedding_model), *self._others(project)):
            with open_collection(self.index, project.on(index), writing=True) as collection:
                collection.delete_documents(document_ids)
                collection.flush()
        self._forget(project, document_ids)

    def project(self, project: Project) -> None:
        """Delete a project with its collections, documents and unshared bundles."""
        ids = [d.document_id for d in self.catalogue.documents(project.id)]
        self.catalogue.unfinish_documents(project.id, ids)
        for collection in project.collections:
            self.index.drop(collection)
        self._forget(project, ids)
        self.catalogue.delete_project(project.id)

    def other(self, project: Project, index: ModelIndex) -> None:
        """Delete the collection of a model that is not in use."""
        self.index.drop(index.collection)
        self.catalogue.remove_other(project.id, index.collection)

    def _others(self, project: Project) -> list[ModelIndex]:
        """The project's other indexes, read again: a migration may have started meanwhile."""
        now = self.catalogue.project(project.id)
        indexes = (now.index_of(now.embedding_model), *now.others)
        return [
            one
            for one in indexes
            if one.collection != project.collection and self.index.exists(one.collection)
        ]

    def _forget(self, project: Project, document_ids: Sequence[str]) -> None:
        orphans = [i for i in document_ids if not self.catalogue.used_elsewhere(project.id, i)]
        self.catalogue.remove_documents(project.id, document_ids)
        for document_id in orphans:
            self.bundles.delete(document_id)
            self.copies.delete(document_id)
