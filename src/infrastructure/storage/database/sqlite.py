"""SQLite connections and transactions, for several processes."""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Final

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.system.files import atomic_path, remove_leftovers, storage_failed
from citeloom.infrastructure.system.workspace import make_folder

from .database import READ_REVISION, ConflictError, NothingWritten, Row, bound, is_current
from .sqlite_errors import (
    BUSY_SECONDS,
    FOLDER,
    TIME,
    catalogue_damaged,
    catalogue_gone,
    catalogue_incomplete,
    is_forbidden,
    rebuilding,
    snapshots,
    sqlite_failed,
)

_log = logging.getLogger(__name__)


class Reason(StrEnum):
    """Why a snapshot was taken: after a run that wrote, by the first writer of a day, before a
    change of the schema, before a repair or a restoration."""

    RUN = "run"
    DAILY = "daily"
    UPGRADE = "upgrade"
    REPAIR = "repair"


#: Snapshots kept of each reason.
KEPT: Final = {Reason.RUN: 3, Reason.DAILY: 7, Reason.UPGRADE: 3, Reason.REPAIR: 3}
#: A larger database, in bytes, is copied after a run at most once in so many seconds.
_LARGE: Final = 32 * 2**20
_SELDOM: Final = 600.0
#: A process that goes on writing copies what it wrote after so many seconds.
_LONG_RUN: Final = 3600.0
# When this process last copied a database that it has written since (monotonic, in seconds).
_UNCOPIED: Final[dict[Path, float]] = {}


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
    """A snapshot, unless today's exists; none without room or the right to write. Raises
    StorageFailed for a damaged database."""
    today = datetime.now(UTC).date()
    daily = (one for one in snapshots(database) if one.reason == Reason.DAILY)
    if any(one.taken_at.date() == today for one in daily):
        return
    try:
        take_snapshot(database, Reason.DAILY)
    except StorageFailed as error:
        if error.details.get("damaged"):
            raise
        _log.warning("no backup of the catalogue was made: %s", error)


def take_after_run(database: Path) -> None:
    """A snapshot of what this process wrote, if anything; none of a damaged database."""
    if rebuilding(database).exists() or _UNCOPIED.pop(database, None) is None:
        return
    last = next((one for one in snapshots(database) if one.reason == Reason.RUN), None)
    age = (datetime.now(UTC) - last.taken_at).total_seconds() if last else _SELDOM
    try:
        if age >= _SELDOM or database.stat().st_size <= _LARGE:
            take_snapshot(database, Reason.RUN)
    except (StorageFailed, OSError) as error:
        _log.warning("no backup of the catalogue was made: %s", error)


def copy_database(database: Path, target: Path) -> None:
    """Copy the database as it is now, without a log, and check the copy. Raises StorageFailed."""
    try:
        with (
            closing(sqlite3.connect(f"{database.as_uri()}?mode=rw", uri=True)) as source,
            closing(sqlite3.connect(target, timeout=BUSY_SECONDS)) as copy,
        ):
            source.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
            copy.execute("PRAGMA synchronous = OFF")  # anyone who names the file syncs it
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        problems = problems_of(target)
    except sqlite3.Error as error:
        raise sqlite_failed(database, error) from error
    if problems:
        raise catalogue_damaged(database, problems[0])


def problems_of(database: Path, *, deep: bool = False) -> list[str]:
    """The damage that SQLite finds in a database without writers."""
    check = "integrity_check" if deep else "quick_check"
    uri = f"{database.as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA {check}(20)")]
    return [] if found == ["ok"] else found


# Folders beside the database, which nothing is written to before it is there.
_STORED: Final = ("bundles", "index")
# Databases, by path, identity and day, that this process found whole or made itself.
_VETTED: Final[set[tuple[Path, tuple[int, int] | None, date]]] = set()


class SqliteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, parameters: Row) -> list[Row]:
        return [dict(row) for row in self._connection.execute(statement, bound(parameters))]

    def each(self, statement: str) -> Iterator[Row]:
        for row in self._connection.execute(statement):
            yield dict(row)

    def run(self, statement: str, parameters: Row) -> int:
        return self._connection.execute(statement, bound(parameters)).rowcount

    def run_many(self, statement: str, parameters: Sequence[Row]) -> None:
        self._connection.executemany(statement, [bound(one) for one in parameters])

    def hold(self, name: str) -> None:
        """A write transaction locks the whole file."""


class SqliteDatabase:
    """The database at ``path``, in WAL mode: readers and a writer do not block each other, a second
    writer waits up to 30 s. One connection, used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None

    @contextmanager
    def reading(self) -> Iterator[SqliteTransaction | NothingWritten]:
        with self._lock, self._translated_errors():
            frozen = None
            try:
                connection = self._open(create=False)
            except sqlite3.OperationalError as error:
                if not is_forbidden(error) or (frozen := self._open_frozen()) is None:
                    raise
                connection = frozen
            if connection is None:
                yield NothingWritten()
                return
            try:
                connection.execute("BEGIN")
                yield SqliteTransaction(connection)
            finally:
                self._roll_back(connection)
                if frozen is not None:
                    frozen.close()

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        with self._lock, self._translated_errors():
            connection = self._open(create=True)
            assert connection is not None
            self._vet(connection)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteTransaction(connection)
                connection.execute("COMMIT")
            except BaseException:
                self._roll_back(connection)
                raise
            since = _UNCOPIED.setdefault(self._path, monotonic())
            if monotonic() - since > _LONG_RUN:
                take_after_run(self._path)

    def verify(self, *, deep: bool) -> None:
        if rebuilding(self._path).exists():
            raise catalogue_incomplete(self._path)
        with self.reading() as transaction:
            if isinstance(transaction, NothingWritten):
                return
            check = "integrity_check" if deep else "quick_check"
            found = [str(row[check]) for row in transaction.rows(f"PRAGMA {check}(20)", {})]
            if found == ["ok"]:
                found = []
            if deep and not found:
                found += [
                    f"{row['table']}: a row without its {row['parent']}"
                    for row in transaction.rows("PRAGMA foreign_key_check", {})
                ]
            if found:
                raise catalogue_damaged(self._path, found[0])

    def close(self) -> None:
        """Close the connection; what was written is copied to the backups."""
        with self._lock:
            self._disconnect()
            take_after_run(self._path)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _open(self, *, create: bool) -> sqlite3.Connection | None:
        identity = _identity(self._path)
        if self._connection is not None:
            if identity == self._opened:
                return self._connection
            self._disconnect()  # the file was removed: writes to it would be lost
        revision = None
        if identity is not None:
            connection = _connect(self._path, "mode=rw")
            try:
                revision = _revision(connection)
                if revision is not None and is_current(revision, str(self._path.parent)):
                    self._connection, self._opened = connection, identity
                    return connection
            finally:
                if self._connection is None:
                    connection.close()
        if revision is None:
            if _was_used(self._path):
                raise catalogue_gone(self._path)
            if not create:
                return None
        else:
            take_snapshot(self._path, Reason.UPGRADE)
        make_folder(self._path.parent)
        # Imports SQLAlchemy, which a current schema does not need.
        from .upgrade import upgrade_sqlite

        upgrade_sqlite(self._path)
        self._connection = _connect(self._path, "mode=rw")
        self._opened = _identity(self._path)
        _VETTED.add(self._as_of_today())
        return self._connection

    def _vet(self, connection: sqlite3.Connection) -> None:
        """Before this process writes for the first time on a day: check the database, and take
        the snapshot of the day. Raises StorageFailed."""
        key = self._as_of_today()
        if key in _VETTED:
            return
        if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise catalogue_damaged(self._path, str(found))
        take_daily(self._path)
        _VETTED.add(key)

    def _as_of_today(self) -> tuple[Path, tuple[int, int] | None, date]:
        return self._path, self._opened, datetime.now(UTC).date()

    def _open_frozen(self) -> sqlite3.Connection | None:
        """WAL cannot be used in a read-only folder. Nobody writes there, so the file alone is
        complete (unless a log was left beside it)."""
        self._disconnect()
        log = self._path.with_name(f"{self._path.name}-wal")
        if log.exists() and log.stat().st_size:
            return None
        with suppress(sqlite3.Error):
            connection = _connect(self._path, "mode=ro&immutable=1")
            if (revision := _revision(connection)) and is_current(revision, str(self._path.parent)):
                return connection
            connection.close()
        return None

    @staticmethod
    def _roll_back(connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise ConflictError(str(error)) from error
        except sqlite3.Error as error:
            self._disconnect()
            raise sqlite_failed(self._path, error) from error


def _was_used(path: Path) -> bool:
    """Whether documents were stored with the database, which has no schema or is gone."""
    if not path.parent.exists() and path.parent.with_name(f"{path.parent.name}.restoring").exists():
        return True
    stored = [path.parent / name for name in _STORED]
    return bool(snapshots(path)) or any(one.is_dir() and any(one.iterdir()) for one in stored)


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and inode of a file; None if it does not exist."""
    try:
        stat = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise storage_failed(path, error, "read") from error
    return stat.st_dev, stat.st_ino


def _connect(path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{options}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # FULL: commits survive a power failure; NORMAL may lose the last ones.
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _revision(connection: sqlite3.Connection) -> str | None:
    """None for a file without a schema, as after an interrupted first use."""
    tables = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    if connection.execute(tables).fetchone() is None:
        return None
    row = connection.execute(READ_REVISION).fetchone()
    return str(row[0]) if row else None
