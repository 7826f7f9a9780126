"""Index on a server, to which one process writes at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from citeloom.application.ports.index import Collection, Index
from citeloom.application.ports.system import LockHeld, ProcessLocks
from citeloom.domain.errors import ShardBusy
from citeloom.domain.projects.project import ServerCondition


class GuardedIndex:
    """``index``, whose engine lets all processes write at once. What takes several of its calls (a
    document's new passages in place of its old ones; a move that copies what changed and then
    switches) is undisturbed here by other writers, as it is in an index in the workspace. Readers
    never wait. ``place`` distinguishes the locks of this server from others.
    """

    def __init__(self, index: Index, locks: ProcessLocks, *, place: str) -> None:
        self._index = index
        self._locks = locks
        self._place = place

    @contextmanager
    def open(
        self,
        collection: str,
        *,
        dimension: int,
        wait_seconds: float = 30.0,
        writing: bool = False,
    ) -> Iterator[Collection]:
        if not writing:
            with self._index.open(collection, dimension=dimension) as opened:
                yield opened
            return
        with (
            self._alone(collection, wait_seconds),
            self._index.open(collection, dimension=dimension, writing=True) as opened,
        ):
            yield opened

    def exists(self, collection: str) -> bool:
        return self._index.exists(collection)

    def optimize(
        self,
        collection: str,
        *,
        dimension: int,
        wait_seconds: float = 30.0,
        on_start: Callable[[], None] | None = None,
    ) -> bool:
        return self._index.optimize(
            collection, dimension=dimension, wait_seconds=wait_seconds, on_start=on_start
        )

    @contextmanager
    def renewal(
        self, collection: str, *, dimension: int, wait_seconds: float = 30.0
    ) -> Iterator[Index]:
        """The index without guard, since the lock is held during the whole block."""
        with (
            self._alone(collection, wait_seconds),
            self._index.renewal(
                collection, dimension=dimension, wait_seconds=wait_seconds
            ) as renewed,
        ):
            yield renewed

    def condition(self, collection: str, *, try_write: bool = False) -> ServerCondition | None:
        return self._index.condition(collection, try_write=try_write)

    def drop(self, collection: str, *, wait_seconds: float = 30.0) -> None:
        with self._alone(collection, wait_seconds):
            self._index.drop(collection)

    def close(self) -> None:
        self._index.close()

    @contextmanager
    def _alone(self, collection: str, wait_seconds: float) -> Iterator[None]:
        """Raises ShardBusy."""
        try:
            with self._locks.hold(f"index {collection} at {self._place}", wait_seconds):
                yield
        except LockHeld as error:
            by = error.holder or "another process"
            raise ShardBusy(
                f"{collection}: the index is held by {by}; wait until it is done, or stop it",
                collection=collection,
                holder=error.holder,
            ) from error
