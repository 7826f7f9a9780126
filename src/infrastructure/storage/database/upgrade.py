"""Creation and upgrade of the schema with Alembic."""

import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from filelock import FileLock, Timeout
from sqlalchemy import URL, Connection, NullPool, create_engine, event, text
from sqlalchemy.exc import DBAPIError

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.schema import metadata
from citeloom.infrastructure.system.files import storage_failed

from .sqlite_errors import BUSY_SECONDS, sqlite_failed

# Advisory locks of PostgreSQL are identified by a number: the ASCII letters "citeloom".
_ADVISORY_LOCK = int.from_bytes(b"citeloom")


def upgrade_sqlite(path: Path) -> None:
    """Create or upgrade the database at ``path``, atomically. A concurrent process waits and then
    finds it done. Raises StorageFailed."""
    try:
        with FileLock(path.with_suffix(".lock"), timeout=BUSY_SECONDS):
            _switch_to_wal(path)
            engine = create_engine(
                URL.create("sqlite", database=str(path)),
                poolclass=NullPool,
                connect_args={"timeout": BUSY_SECONDS},
            )
            # sqlite3 starts no transaction before CREATE TABLE unless transactions are manual.
            event.listen(engine, "connect", _manual_transactions)
            event.listen(engine, "begin", _begin)
            with engine.begin() as connection:
                upgrade(connection)
    except Timeout:
        raise StorageFailed(
            f"{path}: another process has been preparing the workspace for "
            f"{BUSY_SECONDS:g} s; try again when it is done",
            path=str(path),
        ) from None
    except OSError as error:
        raise storage_failed(path, error) from error
    except (DBAPIError, sqlite3.Error) as error:
        raise sqlite_failed(path, getattr(error, "orig", None) or error) from error


def upgrade(connection: Connection) -> None:
    """Create the tables of a new database, or run the missing migrations of an older one, within
    the connection's transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    config = Config()
    config.set_main_option("script_location", "citeloom.infrastructure.storage:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    if MigrationContext.configure(connection).get_current_revision() is None:
        metadata.create_all(connection)
        command.stamp(config, "head")
    else:
        command.upgrade(config, "head")


def _switch_to_wal(path: Path) -> None:
    """Persistent; requires exclusive access, so it is done once, under the lock."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _manual_transactions(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
