"""Creation and upgrade of the schema."""

import sqlite3
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from sqlalchemy import (
    URL,
    Column,
    Connection,
    MetaData,
    NullPool,
    PrimaryKeyConstraint,
    String,
    Table,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateColumn

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.schema import metadata
from citeloom.infrastructure.system.files import storage_failed

from .database import HEAD, READ_REVISION, is_current
from .sqlite_errors import BUSY_SECONDS, sqlite_failed

# Advisory locks of PostgreSQL are identified by a number: the ASCII letters "citeloom".
_ADVISORY_LOCK = int.from_bytes(b"citeloom")
# Earlier versions upgraded with Alembic, whose table this is.
_VERSION: Final = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


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
    """Add the tables and columns that the database lacks, within the connection's transaction; new
    columns may be NULL. A revision that needs more does that here first. Raises WorkspaceTooOld,
    WorkspaceTooNew."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    _VERSION.create(connection, checkfirst=True)
    revision = connection.execute(text(READ_REVISION)).scalar()
    if revision is not None and is_current(revision, str(connection.engine.url.database)):
        return
    known = inspect(connection)
    for table in metadata.sorted_tables if revision is not None else ():
        if known.has_table(table.name):
            names = {column["name"] for column in known.get_columns(table.name)}
            for column in table.columns:
                if column.name not in names:
                    made = CreateColumn(column).compile(dialect=connection.dialect)
                    connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {made}")
    metadata.create_all(connection)
    connection.execute(_VERSION.delete())
    connection.execute(_VERSION.insert(), {"version_num": HEAD})


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
