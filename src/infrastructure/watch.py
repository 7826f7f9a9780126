"""File system watcher: notifications of the operating system, or polling (port ``Watcher``)."""

import os
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from watchfiles import Change, watch

from citeloom.domain.errors import StorageFailed

# Types of file systems as Linux names them in /proc/self/mounts (filesystems(5) and those of
# FUSE); what virtual machines share with their hosts counts as well.
_REMOTE: Final = frozenset(
    {"9p", "afs", "ceph", "cifs", "davfs", "fuse.davfs2", "fuse.glusterfs", "fuse.rclone",
     "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse", "glusterfs", "ncpfs", "nfs", "nfs4",
     "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs"}
)  # fmt: skip
_ESCAPES: Final = {"\\040": " ", "\\011": "\t", "\\012": "\n", "\\134": "\\"}


def is_remote(folder: Path) -> bool:
    """Whether ``folder`` is on a network file system; always False outside Linux."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return file_system_type(folder.resolve(), mounts) in _REMOTE


def file_system_type(folder: Path, mounts: str) -> str | None:
    """Type of the file system of an absolute folder, by the lines of ``/proc/self/mounts``: that of
    the deepest mount above it, and the last of several there."""
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        mount_point = Path(_unescaped(fields[1]))
        depth = len(mount_point.parts)
        if folder.is_relative_to(mount_point) and (best is None or depth >= best[0]):
            best = (depth, fields[2])
    return best[1] if best else None


def _unescaped(text: str) -> str:
    for escape, letter in _ESCAPES.items():
        text = text.replace(escape, letter)
    return text


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
        """Releases nothing, because nothing is open."""

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
        remote: Callable[[Path], bool] = is_remote,
    ) -> None:
        self._polling = polling
        self._poll_seconds = poll_seconds
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
        end = time.monotonic() + seconds
        while True:
            changed: set[Path] = set()
            for (place, below), source in self._sources.items():
                try:
                    paths = source.changed_paths()
                except KeyboardInterrupt:
                    return None
                changed.update(self._watched_paths(place, paths, below=below))
            if changed or time.monotonic() >= end:
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
        return FolderPoller(path, below=below, every=self._poll_seconds, monotonic=time.monotonic)

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
