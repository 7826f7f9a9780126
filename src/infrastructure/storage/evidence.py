"""What was cut out of the researcher's files, in the workspace."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from citeloom.application.ports.evidence import Kept
from citeloom.infrastructure.storage.atomic import made_whole, remove_leftovers, write_atomic
from citeloom.infrastructure.storage.failures import storage_failed
from citeloom.infrastructure.storage.workspace import make_folder

_WARNINGS = ".warnings.json"


class FileEvidenceStore:
    """One folder of files; the warnings of ``NAME``, if any, are in ``NAME.warnings.json``.

    A name stands for its content, so that no lock is needed: of two processes that make
    the same file each renames its own into place, whole, over the same bytes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tidied = False

    def keep(self, name: str, make: Callable[[Path], Sequence[str]]) -> Kept:
        path = self._folder / name
        if path.parent != self._folder or path.name != name or name.startswith("."):
            raise ValueError(f"{name!r} is no name of evidence")
        if path.is_file():
            return Kept(path=path, warnings=_said(path))
        make_folder(self._folder)
        if not self._tidied:
            remove_leftovers(self._folder)
            self._tidied = True
        with made_whole(path) as temporary:
            warnings = tuple(make(temporary))
            if warnings:
                # First: whoever sees the file finds what is to be said about it.
                write_atomic(_beside(path), json.dumps(warnings, ensure_ascii=False).encode())
        return Kept(path=path, warnings=warnings)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}{_WARNINGS}")


def _said(path: Path) -> tuple[str, ...]:
    try:
        return tuple(map(str, json.loads(_beside(path).read_bytes())))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        failed = error if isinstance(error, OSError) else OSError(str(error))
        raise storage_failed(_beside(path), failed, "read") from error
