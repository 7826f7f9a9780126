"""Files on this machine, watched by the system's own notices, or by looking again and again."""

import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final, Literal

from watchfiles import Change, watch

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.watch.network_mounts import is_remote
from citeloom.infrastructure.watch.polling import Looking

Polling = Literal["auto", "always", "never"]

# How long one place of several is listened to, in milliseconds.
_TURN: Final = 50

_Changes = set[tuple[Change, str]]


class FileWatcher:
    """watchfiles, whose threads collect notices while nobody waits; or looks.

    ``polling`` says where folders are looked at again and again (every ``look_seconds``)
    instead of waiting for notices: ``auto`` where they lie on a network, or the system has no
    notices left to give.
    """

    def __init__(
        self,
        polling: Polling = "auto",
        *,
        look_seconds: float = 1.0,
        monotonic: Callable[[], float] = time.monotonic,
        remote: Callable[[Path], bool] = is_remote,
    ) -> None:
        self._polling = polling
        self._look = look_seconds
        self._monotonic = monotonic
        self._remote = remote
        self._listening: dict[tuple[Path, bool], _Notices | Looking] = {}
        self._files: set[Path] = set()
        self._folders: dict[Path, int] = {}
        self._numbers: dict[Path, tuple[int, int] | None] = {}

    def folder(self, path: Path) -> None:
        self._listen(path, below=True)
        self._folders[path] = _disk(path) or 0

    def file(self, path: Path) -> None:
        folder = path.parent
        if (folder, False) not in self._listening or _number(folder) != self._numbers.get(folder):
            self._listen(folder, below=False)
            self._numbers[folder] = _number(folder)
        self._files.add(path)

    def wait(self, seconds: float) -> frozenset[Path] | None:
        end = self._monotonic() + seconds
        while True:
            changed: set[Path] = set()
            for (place, below), listening in self._listening.items():
                try:
                    found = listening.heard()
                except KeyboardInterrupt:
                    return None
                changed.update(self._meant(place, found, below=below))
            if changed or self._monotonic() >= end:
                return frozenset(changed)
            if not any(isinstance(one, _Notices) for one in self._listening.values()):
                time.sleep(_TURN / 1000)

    def is_there(self, folder: Path) -> bool:
        return _disk(folder) == self._folders.get(folder)

    def close(self) -> None:
        for listening in self._listening.values():
            listening.close()
        self._listening.clear()

    def _listen(self, path: Path, *, below: bool) -> None:
        if not path.is_dir():
            raise _unwatched(path, "no such folder")
        if earlier := self._listening.pop((path, below), None):
            earlier.close()
        polls = self._polling == "always" or (self._polling == "auto" and self._remote(path))
        try:
            listening = self._looking(path, below) if polls else _Notices(path, below=below)
        except OSError as error:
            if self._polling == "never":
                raise _unwatched(path, error) from error
            # The system has a limit on how many folders it gives notice of.
            listening = self._looking(path, below)
        self._listening[path, below] = listening

    def _looking(self, path: Path, below: bool) -> Looking:
        return Looking(path, below=below, every=self._look, monotonic=self._monotonic)

    def _meant(self, place: Path, paths: set[str], *, below: bool) -> set[Path]:
        """As they were named: some systems tell paths with all links resolved."""
        found = {_as_named(Path(path), place) for path in paths}
        return found if below else found & self._files


class _Notices:
    """Those of a place, from now on. Raises OSError."""

    def __init__(self, place: Path, *, below: bool) -> None:
        self._changes: Generator[_Changes, None, None] = watch(
            place,
            watch_filter=None,
            debounce=_TURN,
            step=_TURN,
            rust_timeout=_TURN,
            yield_on_timeout=True,
            recursive=below,
            force_polling=False,
            ignore_permission_denied=True,
        )
        self._first = self._next()

    def heard(self) -> set[str]:
        """The paths that changed since the last time. Raises KeyboardInterrupt."""
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


def _disk(folder: Path) -> int | None:
    """The number of the device that it lies on."""
    try:
        return folder.stat().st_dev if folder.is_dir() else None
    except OSError:
        return None


def _number(folder: Path) -> tuple[int, int] | None:
    """What tells it from another folder in its place."""
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
