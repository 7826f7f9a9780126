"""The index as a principal sees it: only collections of projects that it may read are opened.

An engine searches one collection, or in a shared one the part of one tenant, whose name is that
collection's: what is refused here is never a candidate, and nothing is left out afterwards.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Collection, Index
from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.projects.project import Project
from citeloom.domain.projects.server_condition import ServerCondition
from citeloom_server.application.access.current_rights import CurrentRights
from citeloom_server.domain.access.rights import only_owners


class PermittedIndex:
    """``index`` within ``rights``; whose a collection is, ``catalogue`` knows, which is that of the
    whole workspace. Raises IndexUnavailable for a collection of no project that may be read,
    NotPermitted for a change of one that may only be read."""

    def __init__(self, index: Index, catalogue: Catalogue, rights: CurrentRights) -> None:
        self._index = index
        self._catalogue = catalogue
        self._rights = rights

    @contextmanager
    def open(
        self,
        collection: str,
        *,
        dimension: int,
        wait_seconds: float = 30.0,
        writing: bool = False,
    ) -> Iterator[Collection]:
        self._check(collection, writing=writing)
        with self._index.open(
            collection, dimension=dimension, wait_seconds=wait_seconds, writing=writing
        ) as opened:
            yield opened

    def exists(self, collection: str) -> bool:
        """Also one of no project here, of another workspace: a new project must not take it."""
        project = self._catalogue.holder(collection)
        if project is not None and not self._rights.may_read(project.id):
            return False
        return self._index.exists(collection)

    def optimize(
        self,
        collection: str,
        *,
        dimension: int,
        wait_seconds: float = 30.0,
        on_start: Callable[[], None] | None = None,
    ) -> bool:
        self._check(collection, writing=True)
        return self._index.optimize(
            collection, dimension=dimension, wait_seconds=wait_seconds, on_start=on_start
        )

    @contextmanager
    def renewal(
        self, collection: str, *, dimension: int, wait_seconds: float = 30.0
    ) -> Iterator[Index]:
        self._check(collection, writing=True)
        with self._index.renewal(
            collection, dimension=dimension, wait_seconds=wait_seconds
        ) as renewed:
            yield renewed

    def damaged_files(self, collection: str, *, wait_seconds: float = 30.0) -> Sequence[str]:
        self._check(collection)
        return self._index.damaged_files(collection, wait_seconds=wait_seconds)

    def condition(self, collection: str, *, try_write: bool = False) -> ServerCondition | None:
        if self._seen(collection) is None:
            return None
        return self._index.condition(collection, try_write=try_write)

    def drop(self, collection: str) -> None:
        self._check(collection, writing=True)
        self._index.drop(collection)

    def close(self) -> None:
        """Others use it too."""

    def _seen(self, collection: str) -> Project | None:
        project = self._catalogue.holder(collection)
        return project if project is not None and self._rights.may_read(project.id) else None

    def _check(self, collection: str, *, writing: bool = False) -> None:
        if (project := self._seen(collection)) is None:
            raise IndexUnavailable(f"{collection}: no such collection", collection=collection)
        rights = self._rights()
        if writing and not rights.may_change(project.id):
            raise only_owners(rights, project.id)
