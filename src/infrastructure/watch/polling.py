"""Polling of a folder for changed files."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

# A poll takes at most one part in so many of the time.
_SHARE: Final = 10


class _FileState(NamedTuple):
    size: int
    mtime_ns: int
    inode: int


class FolderPoller:
    """Compares sizes, modification times (in nanoseconds) and inodes of files with those of the
    last poll, at most every ``every`` seconds, less often where a poll takes long. Below a
    folder, hidden folders and links to folders are skipped."""

    def __init__(
        self, place: Path, *, below: bool, every: float, monotonic: Callable[[], float]
    ) -> None:
        self._place = place
        self._below = below
        self._every = every
        self._monotonic = monotonic
        self._seen = self._poll()

    def changed_paths(self) -> set[str]:
        """The paths that changed since the last poll; none before the next one is due."""
        if self._monotonic() < self._next:
            return set()
        before, self._seen = self._seen, self._poll()
        paths = before.keys() | self._seen.keys()
        return {path for path in paths if before.get(path) != self._seen.get(path)}

    def close(self) -> None:
        """Nothing is held open."""

    def _poll(self) -> dict[str, _FileState]:
        started = self._monotonic()
        files = dict(_files(str(self._place), below=self._below))
        now = self._monotonic()
        self._next = now + max(self._every, (now - started) * _SHARE)
        return files


def _files(folder: str, *, below: bool) -> Iterator[tuple[str, _FileState]]:
    """Files with their states; unreadable ones are skipped."""
    try:
        with os.scandir(folder) as scan:
            entries = list(scan)
    except OSError:
        return
    for entry in entries:
        try:
            if entry.is_dir(follow_symlinks=False):
                if below and not entry.name.startswith("."):
                    yield from _files(entry.path, below=True)
            else:
                stat = entry.stat()
                yield entry.path, _FileState(stat.st_size, stat.st_mtime_ns, stat.st_ino)
        except OSError:
            continue
