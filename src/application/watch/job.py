"""One kind of work that a watched project needs again and again."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from citeloom.application.watch.events import Teller

#: Seconds after which what failed is tried again: the first time, and at most.
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0

Work = Callable[[], None]


class WatchJob(ABC):
    """``name`` is what is told of it. What is to be done stays until it is done; after a
    failure it waits, twice as long each time, or until something changes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._failures = 0
        self._not_before = float("-inf")

    @abstractmethod
    def note(self, paths: Iterable[Path], now: float) -> None:
        """What changed; most of it may be of no concern."""

    def due(self) -> float | None:
        """When to look whether there is something to do; None: when something changes."""
        wanted = self._wanted()
        return None if wanted is None else max(wanted, self._not_before)

    @abstractmethod
    def work(self, now: float, teller: Teller) -> Work | None:
        """What is to be done now. May raise what the work itself may."""

    def succeeded(self, now: float) -> None:
        """There was nothing to do, or it is done."""
        self._failures = 0
        self._not_before = now

    def failed(self, now: float) -> float:
        """It could not be done; gives the seconds until it is tried again."""
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**self._failures)
        self._failures += 1
        self._not_before = now + pause
        return pause

    @abstractmethod
    def _wanted(self) -> float | None:
        """When there is something to do, whatever failed before; None: when something changes."""
