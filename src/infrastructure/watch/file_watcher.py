"""File system watcher: notifications of the operating system, or polling (port ``Watcher``)."""

import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final, Literal

from watchfiles import Change, watch

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.watch.network_mounts import is_remote
from citeloom.infrastructure.watch.polling import FolderPoller

Polling = Literal["auto", "always", "never"]

# Time slice of each watched folder, in milliseconds.
_WAIT_MS: Final = 50

_Changes = set[tuple[Change, str]]


class FileWatcher:
    """Watches with watchfiles, whose threads collect notifications between calls, or by polling.

    ``polling`` says which folders are polled (every ``poll_seconds``): with ``auto`` those on a
    network, and those for which the operating system has no watches left.
    """

    def __init__(
        self,
        polling: Polling = "auto",
        *,
        poll_seconds: float = 1.0,
        monotonic: Callable[[], float] = time.monotonic,
        remote: Callable[[Path], bool] = is_remote,
    ) -> None:
        self._polling = polling
        self._poll_seconds = poll_seconds
        self._monotonic = monotonic
        self._remote = remote
        self._sources: dict[tuple[Path, bool], _Notifications | FolderPoller] = {}
        self._files: set[Path] = set()
        self._folders: dict[Path, int] = {}
        self._inodes: dict[Path, tuple[int, int] | None] = {}

    def folder(self, path: Path) -> None:
        self._listen(path, below=True)
        self._folders[path] = _device(path) or 0

    def file(self, path: Path) -> None:
        folder = path.parent
        if (folder, False) not in self._sources or _inode(folder) != self._inodes.get(folder):
            self._listen(folder, below=False)
            self._inodes[folder] = _inode(folder)
        self._files.add(path)

    def wait(self, seconds: float) -> frozenset[Path] | None:
        end = self._monotonic() + seconds
        while True:
            changed: set[Path] = set()
            for (place, below), source in self._sources.items():
                try:
                    paths = source.changed_paths()
                except KeyboardInterrupt:
                    return None
                changed.update(self._watched_paths(place, paths, below=below))
            if changed or self._monotonic() >= end:
                return frozenset(changed)
            if not any(isinstance(one, _Notifications) for one in self._sources.values()):
                time.sleep(_WAIT_MS / 1000)

    def is_there(self, folder: Path) -> bool:
        return _device(folder) == self._folders.get(folder)

    def close(self) -> None:
        for source in self._sources.values():
            source.close()
        self._sources.clear()

    def _listen(self, path: Path, *, below: bool) -> None:
        if not path.is_dir():
            raise _unwatched(path, "no such folder")
        if earlier := self._sources.pop((path, below), None):
            earlier.close()
        use_polling = self._polling == "always" or (self._polling == "auto" and self._remote(path))
        try:
            source = self._poller(path, below) if use_polling else _Notifications(path, below=below)
        except OSError as error:
            if self._polling == "never":
                raise _unwatched(path, error) from error
            # The operating system limits the number of watches.
            source = self._poller(path, below)
        self._sources[path, below] = source

    def _poller(self, path: Path, below: bool) -> FolderPoller:
        return FolderPoller(path, below=below, every=self._poll_seconds, monotonic=self._monotonic)

    def _watched_paths(self, place: Path, paths: set[str], *, below: bool) -> set[Path]:
        """Paths as they were given: some systems report them with all links resolved."""
        given_paths = {_as_named(Path(path), place) for path in paths}
        return given_paths if below else given_paths & self._files


class _Notifications:
    """Notifications of one folder, from now on. Raises OSError."""

    def __init__(self, place: Path, *, below: bool) -> None:
        self._changes: Generator[_Changes, None, None] = watch(
            place,
            watch_filter=None,
            debounce=_WAIT_MS,
            step=_WAIT_MS,
            rust_timeout=_WAIT_MS,
            yield_on_timeout=True,
            recursive=below,
            force_polling=False,
            ignore_permission_denied=True,
        )
        self._first = self._next()

    def changed_paths(self) -> set[str]:
        """The paths that changed since the last call. Raises KeyboardInterrupt."""
        first, self._first = self._first, set()
        return first or self._next()

    def close(self) -> None:
        self._changes.close()

    def _next(self) -> set[str]:
        try:
            return {path for _, path in next(self._changes)}
        except RuntimeError as error:  # watchfiles' own
            raise OSError(str(error)) from error


def _as_named(path: Path, place: Path) -> Path:
    if path.is_relative_to(place):
        return path
    real = place.resolve()
    return place / path.relative_to(real) if path.is_relative_to(real) else path


def _device(folder: Path) -> int | None:
    """Number of the device of a folder."""
    try:
        return folder.stat().st_dev if folder.is_dir() else None
    except OSError:
        return None


def _inode(folder: Path) -> tuple[int, int] | None:
    """Device and inode: they distinguish a folder from another one at its path."""
    try:
        stat = folder.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _unwatched(path: Path, error: object) -> StorageFailed:
    return StorageFailed(
        f"{path}: cannot be watched ({error}); check that it is there and can be read, or set "
        'watch.polling = "always"',
        path=str(path),
    )
