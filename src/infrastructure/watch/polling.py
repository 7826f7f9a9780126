"""Looking again and again at what lies in a folder, where the system tells of no changes."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

# Of the time that passes, a look may take one part in as many.
_SHARE: Final = 10


class _Seen(NamedTuple):
    size: int
    mtime_ns: int
    number: int


class Looking:
    """Compares sizes, times (to the nanosecond, older ones as well) and numbers of files with
    those of the last look, at most each ``every`` seconds, less often where a look takes
    long. Below a folder, hidden ones and links to folders are passed over."""

    def __init__(
        self, place: Path, *, below: bool, every: float, monotonic: Callable[[], float]
    ) -> None:
        self._place = place
        self._below = below
        self._every = every
        self._monotonic = monotonic
        self._seen = self._look()

    def heard(self) -> set[str]:
        """The paths that changed since the last look; none if it is not time for another."""
        if self._monotonic() < self._next:
            return set()
        before, self._seen = self._seen, self._look()
        paths = before.keys() | self._seen.keys()
        return {path for path in paths if before.get(path) != self._seen.get(path)}

    def close(self) -> None:
        """Nothing is held."""

    def _look(self) -> dict[str, _Seen]:
        begun = self._monotonic()
        found = dict(_files(str(self._place), below=self._below))
        now = self._monotonic()
        self._next = now + max(self._every, (now - begun) * _SHARE)
        return found


def _files(folder: str, *, below: bool) -> Iterator[tuple[str, _Seen]]:
    """What cannot be read is not there."""
    try:
        with os.scandir(folder) as listed:
            entries = list(listed)
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if below and not entry.name.startswith("."):
                    yield from _files(entry.path, below=True)
            else:
                stat = entry.stat()
                yield entry.path, _Seen(stat.st_size, stat.st_mtime_ns, stat.st_ino)
        except OSError:
            continue
