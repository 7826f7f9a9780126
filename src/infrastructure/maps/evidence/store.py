"""Evidence store: excerpts of source files, kept in the workspace."""

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from citeloom.application.ports.maps import EvidenceFile
from citeloom.infrastructure.system.files import (
    atomic_path,
    remove_leftovers,
    storage_failed,
    write_atomic,
)
from citeloom.infrastructure.system.workspace import make_folder

_WARNINGS = ".warnings.json"
#: Anyone who was given a path has this long to open it before it may be removed.
SPARED_SECONDS = 3600.0


class FileEvidenceStore:
    """One folder of files; the warnings of ``NAME``, if any, are in ``NAME.warnings.json``.

    A name identifies its content, so no lock is needed: two processes that make the same file each
    rename a complete one into place, with the same bytes. The time of a file is that of its last
    request. If a new file exceeds ``max_bytes`` in total, the least recently requested ones are
    removed, but none from the last hour, of this process or another.
    """

    def __init__(self, folder: Path, *, max_bytes: int | None = None) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._tidied = False

    def keep(self, name: str, make: Callable[[Path], Sequence[str]]) -> EvidenceFile:
        if not self._is_name(name):
            raise ValueError(f"{name!r} is not a name of evidence")
        if (found := self.find(name)) is not None:
            return found
        path = self._folder / name
        make_folder(self._folder)
        if not self._tidied:
            remove_leftovers(self._folder)
            self._tidied = True
        with atomic_path(path) as temporary:
            warnings = tuple(make(temporary))
            if warnings:
                # First: a reader who sees the file finds what is to be said about it.
                write_atomic(
                    _warnings_path(path), json.dumps(warnings, ensure_ascii=False).encode()
                )
        if self._max_bytes is not None:
            with suppress(OSError):  # what was asked for is there; the next one tidies up
                _remove_oldest(self._folder, self._max_bytes)
        return EvidenceFile(path=path, warnings=warnings)

    def find(self, name: str) -> EvidenceFile | None:
        path = self._folder / name
        if not self._is_name(name) or not path.is_file():
            return None
        with suppress(OSError):  # in a workspace that can only be read it stays as it is
            os.utime(path)
        return EvidenceFile(path=path, warnings=_stored_warnings(path))

    def _is_name(self, name: str) -> bool:
        path = self._folder / name
        return path.parent == self._folder and path.name == name and not name.startswith(".")


def _remove_oldest(folder: Path, max_bytes: int) -> None:
    """Down to ``max_bytes``, each file before its warnings: without them it would say less."""
    with os.scandir(folder) as entries:
        files = {entry.name: entry.stat() for entry in entries if not entry.name.startswith(".")}
    total = sum(entry.st_size for entry in files.values())
    newest_removable = time.time() - SPARED_SECONDS
    for name, stat in sorted(files.items(), key=lambda entry: (entry[1].st_mtime, entry[0])):
        if total <= max_bytes or stat.st_mtime > newest_removable:
            return
        if (file_name := name.removesuffix(_WARNINGS)) != name and file_name in files:
            continue  # it goes with its file
        warnings_name = f"{name}{_WARNINGS}"
        for entry in (name, warnings_name) if warnings_name in files else (name,):
            (folder / entry).unlink(missing_ok=True)
            total -= files[entry].st_size


def _warnings_path(path: Path) -> Path:
    return path.with_name(f"{path.name}{_WARNINGS}")


def _stored_warnings(path: Path) -> tuple[str, ...]:
    try:
        return tuple(map(str, json.loads(_warnings_path(path).read_bytes())))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        failed = error if isinstance(error, OSError) else OSError(str(error))
        raise storage_failed(_warnings_path(path), failed, "read") from error
