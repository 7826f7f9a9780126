"""SQLite errors as errors of the domain."""

import shutil
from pathlib import Path

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.system.failure_messages import ELSEWHERE, FREE_SPACE

BUSY_SECONDS = 30.0


_NEARLY_FULL_BYTES = 1 << 20


def sqlite_failed(path: Path, error: BaseException) -> StorageFailed:
    """The domain error for an error of SQLite (result codes: sqlite.org/rescode.html)."""
    name = _name(error)
    folder = path.parent
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        message = (
            f"{path}: another process has been writing for {BUSY_SECONDS:g} s; "
            "try again when it is done"
        )
    elif name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and _is_nearly_full(folder)):
        message = f"{path}: the disk is full; {FREE_SPACE}"
    elif is_forbidden(error):
        message = f"{path}: cannot be opened for writing ({error}); {ELSEWHERE}"
    elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        message = (
            f"{path}: the catalogue is damaged ({error}); move the file away and "
            "ingest again: converted documents are kept in the bundles"
        )
    else:
        message = f"{path}: the catalogue cannot be used ({error}); check the disk and try again"
    return StorageFailed(message, path=str(path), reason=name or type(error).__name__)


def _name(error: BaseException) -> str:
    return getattr(error, "sqlite_errorname", None) or ""


def is_forbidden(error: BaseException) -> bool:
    return _name(error).startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN"))


def _is_nearly_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _NEARLY_FULL_BYTES
    except OSError:
        return False
