"""Ports of the system: clock and correlation ids, heartbeat, file watcher."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, in UTC."""

    def monotonic(self) -> float:
        """Seconds from some fixed moment."""

    def correlation_id(self) -> str:
        """A name for one run, never given twice."""


class Pulse(Protocol):
    def every(self, seconds: float, do: Callable[[], None]) -> AbstractContextManager[None]:
        """While the block runs, ``do`` is called every ``seconds`` (the first time after as
        many), beside it and never twice at a time; when the block is left, it is not called any
        more. ``do`` raises nothing."""


class Watcher(Protocol):
    """Collects changes from the moment on at which a place is named, also while nobody waits.

    A path that is told has changed, is new, is gone, or is a folder below which anything may
    have; too many may be told, never too few.
    """

    def folder(self, path: Path) -> None:
        """Watch all that lies below; naming it again begins anew, after it was away. Raises
        StorageFailed if it cannot be watched."""

    def file(self, path: Path) -> None:
        """Watch one file, whether it is there yet or not, and however it is replaced. Raises
        StorageFailed if its folder cannot be watched."""

    def wait(self, seconds: float) -> frozenset[Path] | None:
        """What changed, as soon as anything did; nothing after ``seconds``. None: it is time
        to end."""

    def is_there(self, folder: Path) -> bool:
        """Whether a folder that was named is there, on the disk on which it was then."""

    def close(self) -> None: ...
