"""In-memory adapter of port ``Watcher``: a script of changes over simulated time."""

from collections.abc import Callable, Iterable
from pathlib import Path

Change = Callable[[], Iterable[Path] | None]


class InMemoryWatcher:
    """Only ``wait`` advances ``clock``. A scripted change happens at its moment, in seconds; after
    the last one the watch ends at ``until``."""

    def __init__(self, clock: "ElapsedTime", until: float = float("inf")) -> None:
        self.clock = clock
        self.until = until
        self.folders: list[Path] = []
        self.files: list[Path] = []
        self.away: set[Path] = set()
        self._script: list[tuple[float, Change]] = []

    def at(self, moment: float, change: Change) -> None:
        """``change`` gives the paths that it changed; None stands for no notice of any."""
        self._script.append((moment, change))
        self._script.sort(key=lambda entry: entry[0])

    def folder(self, path: Path) -> None:
        self.folders.append(path)

    def file(self, path: Path) -> None:
        self.files.append(path)

    def wait(self, seconds: float) -> frozenset[Path] | None:
        end = self.clock.passed + seconds
        while self._script and self._script[0][0] <= end:
            moment, change = self._script.pop(0)
            self.clock.passed = max(self.clock.passed, moment)
            if changed := frozenset(path for path in change() or () if self._is_watched(path)):
                return changed
        if end > self.until:
            return None
        self.clock.passed = end
        return frozenset()

    def is_there(self, folder: Path) -> bool:
        return folder.is_dir() and folder not in self.away

    def close(self) -> None:
        """Nothing is held."""

    def _is_watched(self, path: Path) -> bool:
        return path in self.files or any(path.is_relative_to(one) for one in self.folders)


class ElapsedTime:
    """Simulated seconds since the start."""

    passed = 0.0
