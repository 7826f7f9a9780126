"""PostgreSQL through SQLAlchemy: pooled connections, transactions, locks of processes.

There is one pool for a URL in a process. The stores of a workspace share it, so that a process
takes ``POOLED`` connections and never more than ``MOST``, however many stores and threads it has.
"""

import os
import socket
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import RLock
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)

from citeloom.application.ports.system import LockHeld
from citeloom.domain.errors import ConfigurationError, StorageFailed
from citeloom.infrastructure.plugins import Connections
from citeloom.infrastructure.storage.database.database import (
    READ_REVISION,
    ConflictError,
    NothingWritten,
    Row,
    bound,
    is_current,
)
from citeloom.infrastructure.storage.database.upgrade import upgrade

#: Connections that are kept, and those that there are at most.
POOLED: Final = 5
MOST: Final = 10
#: How long a statement waits for the lock of another process.
BUSY_SECONDS: Final = 30.0
#: A server that was reached before is given this long to restart.
RESTART_SECONDS: Final = 15.0

_RETRY_SECONDS: Final = 0.2
_POSTGRESQL: Final = "postgresql"
# A transaction takes milliseconds. A process that was stopped in the middle of one (a laptop that
# sleeps) keeps others waiting no longer than this.
_ABANDONED_SECONDS: Final = 60.0
# A machine that went away without a word is noticed within a minute, by the server (which takes two
# hours by default) and by this side.
_KEEPALIVES: Final = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
_SESSION: Final = "; ".join(
    (
        f"SET lock_timeout = {BUSY_SECONDS * 1000:.0f}",
        f"SET idle_in_transaction_session_timeout = {_ABANDONED_SECONDS * 1000:.0f}",
        *(f"SET tcp_{name} = {value}" for name, value in _KEEPALIVES.items()),
    )
)
_CONNECT: Final = {"connect_timeout": 10, **_KEEPALIVES}


@dataclass
class _Shared:
    engine: Engine
    users: int = 0


class ServerPool:
    """The connections to ``url`` (as SQLAlchemy writes it), shared with all other pools of this URL
    and ``name`` in the process; closed with the last of them. ``name`` is what the server calls
    them. Raises ConfigurationError for an invalid URL or a missing driver."""

    _shared: Final[dict[tuple[str, str], _Shared]] = {}
    _guard: Final = RLock()

    def __init__(self, url: str, *, name: str = "citeloom", most: int = MOST) -> None:
        self._key = (url, name)
        self._most = most
        self._is_open = False
        self._was_reached = False
        self.place = shown_url(self._engine().url)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection that works: one that the server has closed is replaced."""
        with self._connected() as connection:
            yield connection

    def close(self) -> None:
        """Give up this use of the pool; a later call of ``connection`` opens it again."""
        with self._guard:
            if not self._is_open:
                return
            self._is_open = False
            shared = self._shared[self._key]
            shared.users -= 1
            if not shared.users:
                del self._shared[self._key]
                shared.engine.dispose()

    def _engine(self) -> Engine:
        with self._guard:
            if not self._is_open:
                shared = self._shared.get(self._key) or _Shared(_engine(*self._key, self._most))
                shared.users += 1
                self._shared[self._key] = shared
                self._is_open = True
            return self._shared[self._key].engine

    def _connected(self) -> Connection:
        """While a known server restarts, it is asked again: nothing was sent yet that could be
        done twice."""
        deadline = time.monotonic() + RESTART_SECONDS
        while True:
            try:
                connection = self._engine().connect()
            except OperationalError:
                if not self._was_reached or time.monotonic() >= deadline:
                    raise
                time.sleep(_RETRY_SECONDS)
            else:
                self._was_reached = True
                return connection


def connections_of(url: str, *, name: str = "citeloom") -> Connections:
    """The connections of the process to ``url``."""
    shared = ServerPool._shared.get((url, name))
    pool = shared.engine.pool if shared else None
    if not isinstance(pool, QueuePool):
        return Connections(0, 0)
    return Connections(pool.checkedout(), pool.checkedin())


def shown_url(url: str | URL) -> str:
    """``url`` without its password, wherever the password occurs."""
    parsed = make_url(url)
    if "password" in parsed.query:
        parsed = parsed.update_query_dict({"password": "***"})
    return parsed.render_as_string(hide_password=True)


def _engine(url: str, name: str, most: int) -> Engine:
    try:
        parsed = make_url(url)
        options: dict[str, Any] = {}
        if parsed.get_backend_name() == _POSTGRESQL:
            options["connect_args"] = _CONNECT | {"application_name": name}
        engine = create_engine(
            parsed,
            pool_pre_ping=True,
            pool_size=POOLED,
            max_overflow=most - POOLED,
            pool_timeout=BUSY_SECONDS,
            **options,
        )
    except (ArgumentError, NoSuchModuleError, ValueError):  # the last for a port
        raise ConfigurationError(
            f"catalogue.url: {url.partition('://')[0]!r} is not a known database, or what "
            "follows is not an address; write postgresql://USER:PASSWORD@HOST/DATABASE, or leave "
            "it out for SQLite",
            setting="catalogue.url",
        ) from None
    except ModuleNotFoundError as error:
        package = '"citeloom[postgresql]"' if error.name == "psycopg" else error.name
        raise ConfigurationError(
            f"catalogue.url: the driver {error.name} is not installed; run `pip install {package}`",
            setting="catalogue.url",
        ) from None
    is_postgresql = engine.dialect.name == _POSTGRESQL
    event.listen(engine, "connect", _bound_waits if is_postgresql else _enforce_references)
    return engine


def _bound_waits(connection: Any, _record: object) -> None:
    connection.execute(_SESSION)
    connection.commit()


def _enforce_references(connection: sqlite3.Connection, _record: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")


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
    def reading(self) -> Iterator[ServerTransaction | NothingWritten]:
        with translated_errors(self._pool.place):
            if not self._prepare(create=False):
                yield NothingWritten()
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


# Held locks of one process: each takes a connection for as long as it is held.
_MOST_HELD: Final = 16
# PostgreSQL cuts the name of a connection at 63 bytes.
_LONGEST_NAME: Final = 63

# Apart from the names of ``Transaction.hold``, which are of the same kind.
_KEY: Final = "hashtextextended('lock ' || :name, 0)"
_TRY: Final = f"SELECT pg_try_advisory_lock({_KEY})"
_WAIT: Final = f"SELECT pg_advisory_lock({_KEY})"
_RELEASE: Final = f"SELECT pg_advisory_unlock({_KEY})"
# A 64-bit key is in two columns of 32 bits.
_HOLDER: Final = (
    "SELECT a.application_name AS name, a.client_addr AS address, a.query_start AS since "
    "FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
    "WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    f"AND ((l.classid::bigint << 32) | l.objid::bigint) = {_KEY} LIMIT 1"
)


class AdvisoryLocks:
    """Locks in the database at ``url``; ``owner`` describes this process. A lock belongs to a
    connection of its own: the server releases it when that ends, also when the process or its
    machine dies. Who waits is served in order."""

    def __init__(self, url: str, owner: str) -> None:
        self._pool = ServerPool(url, name=_connection_name(owner), most=_MOST_HELD)

    @contextmanager
    def hold(self, name: str, wait_seconds: float) -> Iterator[None]:
        with self._pool.connection() as connection:
            with translated_errors(self._pool.place):
                connection.execution_options(isolation_level="AUTOCOMMIT")
                if not _acquired(connection, name, wait_seconds):
                    raise LockHeld(name, _holder(connection, name))
            try:
                yield
            finally:
                kept = _released(connection, name)
            if not kept:
                raise StorageFailed(
                    f"{name}: the lock was lost while it was held, since the connection to "
                    f"{self._pool.place} broke; another process may have written meanwhile; "
                    "run it again",
                    url=self._pool.place,
                )

    def close(self) -> None:
        self._pool.close()


def _acquired(connection: Connection, name: str, wait_seconds: float) -> bool:
    key = {"name": name}
    if connection.execute(text(_TRY), key).scalar():
        return True
    milliseconds = int(wait_seconds * 1000)
    if milliseconds <= 0:  # to the server, 0 is without end
        return False
    connection.execute(text(f"SET lock_timeout = {milliseconds}"))
    try:
        connection.execute(text(_WAIT), key)
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
            raise
        return False
    return True


def _released(connection: Connection, name: str) -> bool:
    """Whether the lock was still held. A connection that cannot release it is closed, which does;
    it must not go back to the pool with a lock."""
    try:
        released = bool(connection.execute(text(_RELEASE), {"name": name}).scalar())
    except SQLAlchemyError:
        released = False
    if not released:
        with suppress(SQLAlchemyError):
            connection.invalidate()
    return released


def _holder(connection: Connection, name: str) -> str | None:
    """The holder's connection asks nothing while it holds the lock: its last query began it."""
    row = connection.execute(text(_HOLDER), {"name": name}).mappings().first()
    if row is None or not row["name"]:
        return None
    since = f" since {row['since'].astimezone():%H:%M}" if row["since"] else ""
    return f"{row['name']}{since}"


def _connection_name(owner: str) -> str:
    """``citeloom ingest (process 4711 on lab-2)``, in ASCII: the server replaces other letters."""
    where = f" (process {os.getpid()} on {socket.gethostname().split('.')[0][:24]})"
    name = owner[: _LONGEST_NAME - len(where)] + where
    return name.encode("ascii", "replace").decode()
