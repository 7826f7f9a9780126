"""Database servers through SQLAlchemy (PostgreSQL)."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    IntegrityError,
    NoSuchModuleError,
    SQLAlchemyError,
)

from citeloom.domain.errors import ConfigurationError, StorageFailed
from citeloom.infrastructure.storage.database.database import (
    READ_REVISION,
    ConflictError,
    Row,
    bound,
    is_current,
)
from citeloom.infrastructure.storage.database.upgrade import upgrade


class ServerTransaction:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, parameters: Row) -> list[Row]:
        result = self._connection.execute(text(statement), bound(parameters))
        return [dict(row) for row in result.mappings()]

    def run(self, statement: str, parameters: Row) -> int:
        return self._connection.execute(text(statement), bound(parameters)).rowcount

    def run_many(self, statement: str, parameters: Sequence[Row]) -> None:
        if parameters:
            self._connection.execute(text(statement), [bound(one) for one in parameters])

    def hold(self, name: str) -> None:
        if self._connection.dialect.name == "postgresql":
            lock = "SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"
            self._connection.execute(text(lock), {"name": name})
        else:  # SQLite would start its transaction with the first change
            self._connection.exec_driver_sql("BEGIN IMMEDIATE")


class ServerDatabase:
    """The database at ``url`` (as in SQLAlchemy). Raises ConfigurationError for an invalid URL or a
    missing driver."""

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        self._place = self._engine.url.render_as_string(hide_password=True)
        self._lock = RLock()
        self._ready = False

    @contextmanager
    def reading(self) -> Iterator[ServerTransaction | None]:
        with self._translated_errors():
            if not self._prepare(create=False):
                yield None
                return
            with self._engine.connect() as connection:
                if connection.dialect.name == "postgresql":  # all statements in one snapshot
                    connection.execution_options(isolation_level="REPEATABLE READ")
                yield ServerTransaction(connection)

    @contextmanager
    def writing(self) -> Iterator[ServerTransaction]:
        with self._translated_errors():
            self._prepare(create=True)
            with self._engine.begin() as connection:
                yield ServerTransaction(connection)

    def verify(self, *, deep: bool) -> None:
        """Does nothing: the server looks after its own files."""

    def close(self) -> None:
        self._engine.dispose()

    def _prepare(self, *, create: bool) -> bool:
        with self._lock:
            if self._ready:
                return True
            with self._engine.begin() as connection:
                revision = _revision(connection)
                if revision is None and not create:
                    return False
                if revision is None or not is_current(revision, self._place):
                    upgrade(connection)
            self._ready = True
            return True

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError as error:
            raise ConflictError(str(error.orig)) from error
        except SQLAlchemyError as error:
            reason = " ".join(str(getattr(error, "orig", None) or error).split())
            raise StorageFailed(
                f"{self._place}: the catalogue's database cannot be used ({reason}); "
                "check that it runs and that `catalogue.url` is right",
                url=self._place,
            ) from error


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        engine = create_engine(parsed, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError):
        raise ConfigurationError(
            f"catalogue.url: {url.partition('://')[0]!r} is no database that is known here; "
            "write postgresql://USER:PASSWORD@HOST/DATABASE, or leave it out for SQLite",
            setting="catalogue.url",
        ) from None
    except ModuleNotFoundError as error:
        package = '"citeloom[postgresql]"' if error.name == "psycopg" else error.name
        raise ConfigurationError(
            f"catalogue.url: the driver {error.name} is not installed; run `pip install {package}`",
            setting="catalogue.url",
        ) from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _enforce_references)
    return engine


def _enforce_references(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.execute(text(READ_REVISION)).scalar()
    return str(revision) if revision is not None else None
