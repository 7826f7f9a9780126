"""Ports of the system: clock and correlation ids, trash, heartbeat, locks of processes, file
watcher."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol

from citeloom.domain.errors import Unavailable


class Clock(Protocol):
    """Wall clock, monotonic clock and correlation ids."""

    def now(self) -> datetime:
        """The current time in UTC."""

    def monotonic(self) -> float:
        """Monotonic seconds, for durations."""

    def correlation_id(self) -> str:
        """A unique id for one run."""


class Trash(Protocol):
    """Where files of persons go that they may want back."""

    def check(self, path: Path) -> None:
        """Raise StorageFailed if a file has no trash."""

    def put(self, path: Path) -> None:
        """Move a file to the trash. Raises StorageFailed."""


#: While the block runs, calls a function, which must not raise, at intervals of so many seconds in
#: the background, first after one; calls never overlap, and none follows the end of the block.
Heartbeat = Callable[[float, Callable[[], None]], AbstractContextManager[None]]


class LockHeld(Unavailable):
    """Another process holds a lock and did not release it in time. ``holder`` describes it: a
    process, its machine, since when."""

    def __init__(self, name: str, holder: str | None) -> None:
        by = holder or "another process"
        super().__init__(
            f"{name}: held by {by}; wait until it is done, or stop it", name=name, holder=holder
        )
        self.holder = holder


class ProcessLocks(Protocol):
    """Locks by name between all processes that share a workspace, or a catalogue on a server.

    A lock is released when its holder dies, however it dies.
    """

    def hold(self, name: str, wait_seconds: float) -> AbstractContextManager[None]:
        """Hold the lock during the block. It excludes other processes and other threads, and a
        second block of the same thread. Raises LockHeld, with the holder, if it is not released
        within ``wait_seconds``, and StorageFailed if no lock is available, or if it was lost before
        the end of the block."""

    def close(self) -> None: ...


class Watcher(Protocol):
    """Watches files and folders; changes are collected from the registration on, also between
    calls of ``wait``.

    A reported path was changed, created or deleted, or is a folder with any change below it.
    Unchanged paths may be reported; no change is missed.
    """

    def folder(self, path: Path) -> None:
        """Watch a folder recursively; calling it again renews the watch after the folder was
        absent. Raises StorageFailed if it cannot be watched."""

    def file(self, path: Path) -> None:
        """Watch one file, which may not exist yet and may be replaced. Raises StorageFailed if
        its folder cannot be watched."""

    def wait(self, seconds: float) -> frozenset[Path] | None:
        """The changed paths, as soon as there are any; empty after ``seconds``. None ends the
        watch."""

    def is_there(self, folder: Path) -> bool:
        """Whether a watched folder exists, on the same disk as when it was registered."""
