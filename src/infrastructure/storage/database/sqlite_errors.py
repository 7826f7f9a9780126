"""SQLite errors as errors of the domain."""

import os
import re
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from citeloom.domain.errors import StorageFailed
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.text.phrasing import on_one_line
from citeloom.infrastructure.system.files import SHORTER, shown_path

FOLDER: Final = "backups"
TIME: Final = "%Y%m%dT%H%M%SZ"
_NAME: Final = re.compile(r"catalogue-(\d{8}T\d{6}Z)-([a-z]+)\.sqlite")
_NAMED: Final = 3


class Snapshot(NamedTuple):
    """``order`` sorts copies of one second."""

    taken_at: datetime
    order: int
    path: Path
    reason: str


def snapshots(database: Path) -> list[Snapshot]:
    """The snapshots of a database, the newest first."""
    found = []
    with suppress(OSError):
        for path in (database.parent / FOLDER).iterdir():
            if match := _NAME.fullmatch(path.name):
                taken_at = datetime.strptime(match[1], TIME).replace(tzinfo=UTC)
                found.append(Snapshot(taken_at, path.stat().st_mtime_ns, path, match[2]))
    return sorted(found, reverse=True)


def in_words(found: list[Snapshot]) -> str:
    """``backups of 2026-11-22 09:10 (daily), …``, in local time."""
    if not found:
        return "there is no backup of it"
    times = [f"{one.taken_at.astimezone():%Y-%m-%d %H:%M} ({one.reason})" for one in found]
    more = f" and {len(times) - _NAMED} older" if len(times) > _NAMED else ""
    return f"backups of it: {', '.join(times[:_NAMED])}{more}"


BUSY_SECONDS = 30.0


# SQLite's MAX_PATHNAME on Unix is 512, with what it appends for journals.
_LONGEST_PATH = 500
_NEARLY_FULL_BYTES = 1 << 20


def sqlite_failed(path: Path, error: BaseException) -> StorageFailed:
    """The domain error for an error of SQLite (result codes: sqlite.org/rescode.html)."""
    name = _name(error)
    folder, next_step = path.parent, None
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        message = (
            f"{path}: another process has been writing for {BUSY_SECONDS:g} s; "
            "try again when it is done"
        )
    elif name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and _is_nearly_full(folder)):
        message, next_step = f"{path}: the disk is full", NextStep(Action.FREE_SPACE)
    elif len(os.fsencode(path)) > _LONGEST_PATH and name.startswith("SQLITE_CANTOPEN"):
        message = (
            f"{shown_path(path)}: the path is too long for SQLite ({len(os.fsencode(path))} bytes, "
            f"at most {_LONGEST_PATH}); {SHORTER}"
        )
    elif is_forbidden(error):
        message = f"{path}: cannot be opened for writing ({error})"
        next_step = NextStep(Action.MAKE_WRITABLE)
    elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return catalogue_damaged(path, str(error))
    else:
        message = f"{path}: the catalogue cannot be used ({error}); check the disk and try again"
    return StorageFailed(message, next_step, path=str(path), reason=name or type(error).__name__)


def catalogue_damaged(path: Path, reason: str) -> StorageFailed:
    """The error for a damaged database; it names the backups."""
    return _lost(path, f"{path}: the catalogue is damaged ({on_one_line(reason)})")


def rebuilding(database: Path) -> Path:
    """The file that marks a lost catalogue as being filled again; it outlasts a kill."""
    return database.with_name("catalogue.rebuilding")


def catalogue_incomplete(path: Path) -> StorageFailed:
    """The error for a database whose filling was stopped."""
    return StorageFailed(
        f"{path}: the catalogue is incomplete: storing the papers again was stopped before its end",
        NextStep(Action.REPAIR),
        path=str(path),
        damaged=True,
    )


def catalogue_gone(path: Path) -> StorageFailed:
    """The error for a missing database where documents were stored with one."""
    if (unpacked := path.parent.with_name(f"{path.parent.name}.restoring")).is_dir():
        return StorageFailed(
            f"{unpacked}: a restoration was stopped before its end; run it again",
            path=str(unpacked),
            damaged=True,
        )
    return _lost(
        path,
        f"{path}: the catalogue is gone or empty, though there are converted documents or an "
        "index beside it",
    )


def _lost(path: Path, what: str) -> StorageFailed:
    message = f"{what}; {in_words(snapshots(path))}"
    return StorageFailed(message, NextStep(Action.REPAIR), path=str(path), damaged=True)


def _name(error: BaseException) -> str:
    return getattr(error, "sqlite_errorname", None) or ""


def is_forbidden(error: BaseException) -> bool:
    return _name(error).startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN"))


def _is_nearly_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _NEARLY_FULL_BYTES
    except OSError:
        return False
