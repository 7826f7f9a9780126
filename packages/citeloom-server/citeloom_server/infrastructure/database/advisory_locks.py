"""Locks of processes as advisory locks of PostgreSQL (port ``ProcessLocks``): for all machines that
share a catalogue."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from citeloom.application.ports.system import LockHeld
from citeloom.domain.errors import StorageFailed
from citeloom_server.infrastructure.database.pool import ServerPool
from citeloom_server.infrastructure.database.postgresql import (
    LOCK_NOT_AVAILABLE,
    translated_errors,
)

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
