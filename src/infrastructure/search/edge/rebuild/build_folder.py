"""A shard that is being built beside the one in use.

``building-TOKEN/`` in the collection's folder holds the new ``shard/`` and ``changed``, the
ids of the documents that were changed since the copy was made. Who builds holds
``build.lock`` all the while: a folder whose lock is free was left behind by a killed process.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from uuid import uuid4

from citeloom.infrastructure.search.edge.file_lock import OsLock

_LOCK: Final = "build.lock"
_PLACES: Final = "building-*"


class Build:
    """One build. ``begin`` and ``changed_since`` need the collection's lock."""

    def __init__(self, place: Path, lock: OsLock) -> None:
        self.shard = place / "shard"
        self._place = place
        self._lock = lock

    @classmethod
    def begin(cls, folder: Path) -> "Build | None":
        """Clear what dead builders left and start one; None while another process builds."""
        lock = OsLock(folder / _LOCK)
        if not lock.acquire():
            return None
        _clear(folder)
        place = folder / f"building-{uuid4().hex[:8]}"
        place.mkdir()
        _log(place).touch()
        return cls(place, lock)

    def under_way(self) -> bool:
        """False when the collection was dropped meanwhile."""
        return _log(self._place).is_file()

    def changed_since(self, offset: int) -> tuple[list[str], int]:
        """The documents changed since ``offset`` of the log (bytes), each once, in order; and
        the offset of its end."""
        with open(_log(self._place), "rb") as file:
            file.seek(offset)
            lines = file.read()
        return list(dict.fromkeys(lines.decode().split())), offset + len(lines)

    def end(self) -> None:
        """Remove what is left of the build."""
        shutil.rmtree(self._place, ignore_errors=True)
        self._lock.release()


class ChangeLog:
    """Where changes are noted for the build under way; the next one needs no note."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def note(self, document_ids: Iterable[str]) -> None:
        """Called before the change is made: a note too many costs little."""
        # A line break on both sides: half a line that a killed process wrote spoils no other.
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
    """That of the build under way, if there is one; leftovers of dead builders are removed.
    The caller holds the collection's lock."""
    places = list(folder.glob(_PLACES))
    if not places:
        return None
    lock = OsLock(folder / _LOCK)
    if not lock.acquire():
        return next((ChangeLog(_log(each)) for each in places if _log(each).is_file()), None)
    try:
        _clear(folder)
    finally:
        lock.release()
    return None


def _clear(folder: Path) -> None:
    for each in folder.glob(_PLACES):
        shutil.rmtree(each, ignore_errors=True)


def _log(place: Path) -> Path:
    return place / "changed"
