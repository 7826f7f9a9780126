"""Database servers through SQLAlchemy (PostgreSQL)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Final

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.database.database import (
    READ_REVISION,
    ConflictError,
    Row,
    bound,
    is_current,
)
from citeloom.infrastructure.storage.database.upgrade import upgrade
from citeloom_server.infrastructure.database.pool import BUSY_SECONDS, ServerPool

# Rows of a long result that are fetched at once.
_FETCHED: Final = 1000
LOCK_NOT_AVAILABLE: Final = "55P03"


class ServerTransaction:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, parameters: Row) -> list[Row]:
        result = self._connection.execute(text(statement), bound(parameters))
        return [dict(row) for row in result.mappings()]

    def each(self, statement: str) -> Iterator[Row]:
        options = {"yield_per": _FETCHED}
        for row in self._connection.execute(text(statement), execution_options=options).mappings():
            yield dict(row)

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
        self._pool = ServerPool(url)
        self._lock = RLock()
        self._ready = False

    @contextmanager
    def reading(self) -> Iterator[ServerTransaction | None]:
        with translated_errors(self._pool.place):
            if not self._prepare(create=False):
                yield None
                return
            with self._pool.connection() as connection:
                if connection.dialect.name == "postgresql":  # all statements in one snapshot
                    connection.execution_options(isolation_level="REPEATABLE READ")
                yield ServerTransaction(connection)

    @contextmanager
    def writing(self) -> Iterator[ServerTransaction]:
        with translated_errors(self._pool.place):
            self._prepare(create=True)
            with self._pool.connection() as connection, connection.begin():
                yield ServerTransaction(connection)

    def verify(self, *, deep: bool) -> None:
        """Does nothing: the server looks after its own files."""

    def close(self) -> None:
        self._pool.close()

    def _prepare(self, *, create: bool) -> bool:
        with self._lock:
            if self._ready:
                return True
            with self._pool.connection() as connection, connection.begin():
                revision = _revision(connection)
                if revision is None and not create:
                    return False
                if revision is None or not is_current(revision, self._pool.place):
                    upgrade(connection)
            self._ready = True
            return True


@contextmanager
def translated_errors(place: str) -> Iterator[None]:
    """Errors of the database at ``place`` as ConflictError and StorageFailed."""
    try:
        yield
    except IntegrityError as error:
        raise ConflictError(str(error.orig)) from error
    except SQLAlchemyError as error:
        original = getattr(error, "orig", None)
        if getattr(original, "sqlstate", None) == LOCK_NOT_AVAILABLE:
            raise StorageFailed(
                f"{place}: another process has been writing, or preparing the database, for "
                f"{BUSY_SECONDS:g} s; try again when it is done",
                url=place,
            ) from error
        reason = " ".join(str(original or error).split())
        raise StorageFailed(
            f"{place}: the catalogue's database cannot be used ({reason}); "
            "check that it runs and that `catalogue.url` is right",
            url=place,
        ) from error


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.execute(text(READ_REVISION)).scalar()
    return str(revision) if revision is not None else None
