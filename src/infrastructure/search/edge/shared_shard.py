"""Shard that stays open between calls, until another process asks for it."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from citeloom.domain.errors import IndexUnavailable, ShardBusy

from .collection import EdgeCollection
from .graph_build import clear_killed_build
from .shard import open_shard
from .shard_lock import ShardLock

_RECHECK_SECONDS: Final = 0.05
# Opening costs a tenth of a second: a process may use the shard for longer than that before it
# gives way to others.
_TURN_SECONDS: Final = 0.2


class WarmShard:
    """Opens and closes the shard of a collection for a whole process.

    Several threads may be inside at once, and a thread may enter again while inside. Once another
    process asks and the minimum turn is over, no new thread enters, the last thread that leaves
    closes the shard, and this process queues behind the other.
    """

    def __init__(self, folder: Path, lock: ShardLock, *, copy_of: Path | None = None) -> None:
        """``copy_of`` is the collection's folder, if ``folder`` is a temporary copy of it."""
        self.folder = folder
        self._copy_of = copy_of
        self._lock = lock
        self._changed = threading.Condition()
        self._changing = False  # one thread is opening or closing, outside of the condition
        self._open: EdgeCollection | None = None
        self._opened_at = 0.0
        self._inside: dict[int, int] = {}
        self._unwanted = False

    def enter(self, dimension: int, wait_seconds: float) -> EdgeCollection:
        """The open collection. Raises ShardBusy, IndexUnavailable, StorageFailed."""
        thread = threading.get_ident()
        deadline = time.monotonic() + wait_seconds
        with self._changed:
            while not self._may_enter(thread):
                if not self._changing and not self._inside:
                    break
                self._wait(deadline)
            else:
                return self._count_entry(thread, dimension)
            self._changing = True
        try:
            self._close()
            self._lock.acquire(max(0.0, deadline - time.monotonic()))
            try:
                clear_killed_build(self.folder)
                shard = open_shard(self.folder, dimension)
            except BaseException:
                self._lock.release()
                raise
            with self._changed:
                self._open = EdgeCollection(shard, self.folder, dimension, copy_of=self._copy_of)
                self._opened_at = time.monotonic()
                return self._count_entry(thread, dimension)
        finally:
            self._end_change()

    def leave(self) -> None:
        thread = threading.get_ident()
        with self._changed:
            self._inside[thread] -= 1
            if not self._inside[thread]:
                del self._inside[thread]
            self._changed.notify_all()
        self.give_way()

    def give_way(self) -> None:
        """Close the shard if it is idle and another process waits for it."""
        with self._changed:
            if self._idle() and (self._unwanted or self._must_give_way()):
                self._close()

    def give_up(self) -> None:
        """Close the shard now, or when the last thread leaves it."""
        with self._changed:
            self._unwanted = True
            if self._idle():
                self._close()

    @contextmanager
    def emptied(self, wait_seconds: float) -> Iterator[None]:
        """Hold the lock with the shard closed and all threads outside. Raises ShardBusy."""
        deadline = time.monotonic() + wait_seconds
        with self._changed:
            while self._changing or self._inside:
                self._wait(deadline)
            self._changing = True
        try:
            self._close()
            self._lock.acquire(max(0.0, deadline - time.monotonic()))
            try:
                yield
            finally:
                self._lock.release()
        finally:
            self._end_change()

    def _may_enter(self, thread: int) -> bool:
        if self._open is None or self._changing:
            return False
        return thread in self._inside or not self._must_give_way()

    def _must_give_way(self) -> bool:
        turn_over = time.monotonic() - self._opened_at >= _TURN_SECONDS
        return turn_over and self._lock.is_requested()

    def _count_entry(self, thread: int, dimension: int) -> EdgeCollection:
        assert self._open is not None
        if self._open.dimension != dimension:
            raise IndexUnavailable(
                f"{self.folder.name}: its vectors have {self._open.dimension} dimensions, "
                f"not {dimension}; ask with the model of the project",
                collection=self.folder.name,
            )
        self._inside[thread] = self._inside.get(thread, 0) + 1
        self._unwanted = False
        return self._open

    def _wait(self, deadline: float) -> None:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise ShardBusy(
                f"{self.folder.name}: the index is in use by another call of this process; "
                "try again",
                collection=self.folder.name,
            )
        self._changed.wait(min(remaining, _RECHECK_SECONDS))

    def _idle(self) -> bool:
        return self._open is not None and not self._inside and not self._changing

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is not None:
            try:
                opened.close()
            finally:
                self._lock.release()

    def _end_change(self) -> None:
        with self._changed:
            self._changing = False
            self._changed.notify_all()
