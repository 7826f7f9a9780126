"""Index on a server, to which one process writes at a time."""

from collections.abc import Iterator
from contextlib import contextmanager

from citeloom.application.index.placed_index import WrappingIndex
from citeloom.application.ports.index import Collection, Index
from citeloom.application.ports.system import LockHeld, ProcessLocks
from citeloom.domain.errors import ShardBusy


class GuardedIndex(WrappingIndex):
    """``index``, whose engine lets all processes write at once. What takes several of its calls (a
    document's new passages in place of its old ones; a move that copies what changed and then
    switches) is undisturbed here by other writers, as it is in an index in the workspace. Readers
    never wait, writers ``wait_seconds`` at most. ``place`` distinguishes the locks of this server
    from others.
    """

    def __init__(
        self, index: Index, locks: ProcessLocks, *, place: str, wait_seconds: float = 30.0
    ) -> None:
        self._index = index
        self._locks = locks
        self._place = place
        self._wait = wait_seconds

    @contextmanager
    def open(
        self, collection: str, *, dimension: int, writing: bool = False
    ) -> Iterator[Collection]:
        if not writing:
            with self._index.open(collection, dimension=dimension) as opened:
                yield opened
            return
        with (
            self._alone(collection),
            self._index.open(collection, dimension=dimension, writing=True) as opened,
        ):
            yield opened

    def _behind(self, _collection: str, *, writing: bool = False) -> Index:  # noqa: ARG002
        return self._index

    @contextmanager
    def renewal(self, collection: str, *, dimension: int) -> Iterator[Index]:
        """The index without guard, since the lock is held during the whole block."""
        with (
            self._alone(collection),
            self._index.renewal(collection, dimension=dimension) as renewed,
        ):
            yield renewed

    def drop(self, collection: str) -> None:
        with self._alone(collection):
            self._index.drop(collection)

    def close(self) -> None:
        self._index.close()

    @contextmanager
    def _alone(self, collection: str) -> Iterator[None]:
        """Raises ShardBusy."""
        try:
            with self._locks.hold(f"index {collection} at {self._place}", self._wait):
                yield
        except LockHeld as error:
            by = error.holder or "another process"
            raise ShardBusy(
                f"{collection}: the index is held by {by}; wait until it is done, or stop it",
                collection=collection,
                holder=error.holder,
            ) from error
