"""Watch job: recurring work with retries at growing intervals."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from citeloom.application.watch.events import EventReporter

#: Seconds after which what failed is tried again: the first time, and at most.
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0

Work = Callable[[], None]


class WatchJob(ABC):
    """A kind of recurring work; ``name`` stands for it in events. Work stays pending until it
    succeeds; after a failure it waits, twice as long each time, or until something changes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._failures = 0
        self._not_before = float("-inf")

    @abstractmethod
    def note(self, paths: Iterable[Path], now: float) -> None:
        """Report changed paths; irrelevant ones are ignored."""

    def due(self) -> float | None:
        """The time of the next call of ``work``; None: after the next change."""
        next_time = self._wanted()
        return None if next_time is None else max(next_time, self._not_before)

    @abstractmethod
    def work(self, now: float, reporter: EventReporter) -> Work | None:
        """The work that is due; None if there is none. May raise what the work may raise."""

    def succeeded(self, now: float) -> None:
        """The work was done, or there was none."""
        self._failures = 0
        self._not_before = now

    def failed(self, now: float) -> float:
        """The work failed; returns the seconds until the next attempt."""
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**self._failures)
        self._failures += 1
        self._not_before = now + pause
        return pause

    @abstractmethod
    def _wanted(self) -> float | None:
        """The time of the next work, retries aside; None: after the next change."""
