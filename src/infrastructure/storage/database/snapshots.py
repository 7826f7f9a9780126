"""Snapshots of a SQLite database: copies made by its online backup, while it is in use."""

import logging
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.database.snapshot_files import FOLDER, TIME, snapshots
from citeloom.infrastructure.storage.database.sqlite_errors import (
    BUSY_SECONDS,
    catalogue_damaged,
    sqlite_failed,
)
from citeloom.infrastructure.system.atomic_files import atomic_path, remove_leftovers
from citeloom.infrastructure.system.workspace import make_folder

_log = logging.getLogger(__name__)


class Reason(StrEnum):
    """Why a snapshot was taken: by the first writer of a day, before a change of the schema, before
    a repair or a restoration."""

    DAILY = "daily"
    UPGRADE = "upgrade"
    REPAIR = "repair"


#: Snapshots kept of each reason.
KEPT: Final = {Reason.DAILY: 7, Reason.UPGRADE: 3, Reason.REPAIR: 3}


def take_snapshot(database: Path, reason: Reason) -> Path:
    """Copy and check the database; older copies beyond those kept are removed. Raises
    StorageFailed, also for a damaged database: of that no copy is kept."""
    folder = make_folder(database.parent / FOLDER)
    remove_leftovers(folder)
    stamp = datetime.now(UTC).strftime(TIME)
    target = folder / f"catalogue-{stamp}-{reason}.sqlite"
    with atomic_path(target) as temporary:
        copy_database(database, temporary)
    same = [one for one in snapshots(database) if one.reason == reason and one.path != target]
    for old in same[KEPT[reason] - 1 :]:
        with suppress(OSError):
            old.path.unlink()
    return target


def take_daily(database: Path) -> None:
    """A snapshot, unless there is one of today; without room for one, or the right to write it,
    none is taken. Raises StorageFailed for a damaged database."""
    today = datetime.now(UTC).date()
    if any(one.taken_at.date() == today for one in snapshots(database)):
        return
    try:
        take_snapshot(database, Reason.DAILY)
    except StorageFailed as error:
        if error.details.get("damaged"):
            raise
        _log.warning("no backup of the catalogue was made: %s", error)


def copy_database(database: Path, target: Path) -> None:
    """Copy the database as it is now, without a log, and check the copy. Raises StorageFailed."""
    try:
        with (
            closing(sqlite3.connect(f"{database.as_uri()}?mode=rw", uri=True)) as source,
            closing(sqlite3.connect(target, timeout=BUSY_SECONDS)) as copy,
        ):
            source.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
            copy.execute("PRAGMA synchronous = OFF")  # whoever names the file syncs it
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        problems = problems_of(target)
    except sqlite3.Error as error:
        raise sqlite_failed(database, error) from error
    if problems:
        raise catalogue_damaged(database, problems[0])


def problems_of(database: Path, *, deep: bool = False) -> list[str]:
    """What SQLite finds damaged in a database that nobody writes."""
    check = "integrity_check" if deep else "quick_check"
    uri = f"{database.as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}(20)")]
    return [] if found == ["ok"] else found
