"""Index that routes each collection to its place: the workspace or a server."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Collection, Index
from citeloom.domain.projects.project import EmbeddingModel, IndexPlace, Project, ServerCondition

from .collection import require_index


class WrappingIndex(ABC):
    """An index whose calls are those of another, which ``_behind`` gives for each collection."""

    @abstractmethod
    def _behind(self, collection: str, *, writing: bool = False) -> Index:
        """Raises what forbids a call; ``writing``: one that changes the collection."""

    @contextmanager
    def open(
        self, collection: str, *, dimension: int, writing: bool = False
    ) -> Iterator[Collection]:
        with self._behind(collection, writing=writing).open(
            collection, dimension=dimension, writing=writing
        ) as opened:
            yield opened

    def exists(self, collection: str) -> bool:
        return self._behind(collection).exists(collection)

    def optimize(
        self, collection: str, *, dimension: int, on_start: Callable[[], None] | None = None
    ) -> bool:
        return self._behind(collection, writing=True).optimize(
            collection, dimension=dimension, on_start=on_start
        )

    @contextmanager
    def renewal(self, collection: str, *, dimension: int) -> Iterator[Index]:
        with self._behind(collection, writing=True).renewal(
            collection, dimension=dimension
        ) as renewed:
            yield renewed

    def condition(self, collection: str, *, try_write: bool = False) -> ServerCondition | None:
        return self._behind(collection).condition(collection, try_write=try_write)

    def drop(self, collection: str) -> None:
        self._behind(collection, writing=True).drop(collection)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlacedIndex(WrappingIndex):
    """Routes each collection to the place of its project, as the catalogue has it at the time
    of the call. Collections without a project are in the workspace.

    ``server`` gives the index at a place for a model.
    """

    catalogue: Catalogue
    local: Index
    server: Callable[[IndexPlace, EmbeddingModel], Index]
    _used: dict[int, Index] = field(default_factory=dict, init=False)

    def at(self, place: IndexPlace | None, model: EmbeddingModel) -> Index:
        """The index at a place; None is the workspace."""
        if place is None:
            return self.local
        index = self.server(place, model)
        self._used[id(index)] = index
        return index

    @contextmanager
    def open(
        self, collection: str, *, dimension: int, writing: bool = False
    ) -> Iterator[Collection]:
        """As in the port. If the project is relocated meanwhile, opens it at the new place. A
        collection in use that is gone is not created: raises IndexUnavailable."""
        while True:
            project = self.catalogue.holder(collection)
            if project is not None and not self.local.exists(collection):
                self._require_local(project, collection)
            with self._index(project, collection).open(
                collection, dimension=dimension, writing=writing
            ) as opened:
                if _place(self.catalogue.holder(collection)) == _place(project):
                    yield opened
                    return

    def _behind(self, collection: str, *, writing: bool = False) -> Index:  # noqa: ARG002
        return self._index(self.catalogue.holder(collection), collection)

    def holds(self, project: Project) -> bool:
        """Whether the project's collection exists at its place."""
        return self._index(project, project.collection).exists(project.collection)

    def close(self) -> None:
        for index in (self.local, *self._used.values()):
            index.close()

    def _require_local(self, project: Project, collection: str) -> None:
        """Raise IndexUnavailable if it is the collection in use, in the workspace, that is gone.
        Servers are not asked."""
        used = self.catalogue.project(project.id)
        if used.collection == collection and used.retrieval.place is None:
            require_index(self.local, self.catalogue, used)

    def _index(self, project: Project | None, collection: str) -> Index:
        if project is None:
            return self.local
        others = (other.model for other in project.others if other.collection == collection)
        return self.at(project.retrieval.place, next(others, project.embedding_model))


def _place(project: Project | None) -> IndexPlace | None:
    return project.retrieval.place if project else None
