"""Folder of a shard that is built beside the one in use.

``building-TOKEN/`` in the collection's folder has the new ``shard/`` and ``changed``, the ids of
documents changed since the copy. The builder holds ``build.lock`` throughout: a folder whose lock
is free was left by a killed process.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from uuid import uuid4

from citeloom.infrastructure.system.locks.os_lock import OsLock

_LOCK: Final = "build.lock"
_PLACES: Final = "building-*"


class Build:
    """One build. ``begin`` and ``changed_since`` require the collection's lock."""

    def __init__(self, place: Path, lock: OsLock) -> None:
        self.shard = place / "shard"
        self._place = place
        self._lock = lock

    @classmethod
    def begin(cls, folder: Path) -> "Build | None":
        """Remove leftovers of killed builders and start; None while another process builds."""
        lock = OsLock(folder / _LOCK)
        if not lock.acquire():
            return None
        clear_builds(folder)
        place = folder / f"building-{uuid4().hex[:8]}"
        place.mkdir()
        _log(place).touch()
        return cls(place, lock)

    def under_way(self) -> bool:
        """False if the collection was dropped meanwhile."""
        return _log(self._place).is_file()

    def changed_since(self, offset: int) -> tuple[list[str], int]:
        """The documents changed since ``offset`` of the log (in bytes), each once, in order; and
        the offset of its end."""
        with open(_log(self._place), "rb") as file:
            file.seek(offset)
            lines = file.read()
        return list(dict.fromkeys(lines.decode().split())), offset + len(lines)

    def end(self) -> None:
        """Remove the rest of the build."""
        shutil.rmtree(self._place, ignore_errors=True)
        self._lock.release()


class ChangeLog:
    """Log of changed documents for a build in progress."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def note(self, document_ids: Iterable[str]) -> None:
        """Called before the change: a superfluous entry costs little."""
        # Line breaks on both sides: half a line of a killed process does not damage the next.
        lines = "".join(f"\n{each}\n" for each in document_ids).encode()
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:  # the build has ended
            return
        try:
            os.write(descriptor, lines)
        finally:
            os.close(descriptor)


def change_log(folder: Path) -> ChangeLog | None:
    """The log of the build in progress, if any; leftovers of killed builders are removed. The
    caller holds the collection's lock."""
    places = list(folder.glob(_PLACES))
    if not places:
        return None
    lock = OsLock(folder / _LOCK)
    if not lock.acquire():
        return next((ChangeLog(_log(each)) for each in places if _log(each).is_file()), None)
    try:
        clear_builds(folder)
    finally:
        lock.release()
    return None


def clear_builds(folder: Path) -> None:
    """Remove all builds; one in progress notices, and ends. The caller holds the collection's
    lock."""
    for each in folder.glob(_PLACES):
        shutil.rmtree(each, ignore_errors=True)


def _log(place: Path) -> Path:
    return place / "changed"
