"""Connections to a database server, pooled: one pool for a URL in a process.

The stores of a workspace share it, so that a process takes ``POOLED`` connections and never more
than ``MOST``, however many stores and threads it has.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.plugins import Connections

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
    """Of the process to ``url``."""
    shared = ServerPool._shared.get((url, name))
    pool = shared.engine.pool if shared else None
    if not isinstance(pool, QueuePool):
        return Connections(0, 0)
    return Connections(pool.checkedout(), pool.checkedin())


def shown_url(url: str | URL) -> str:
    """``url`` without its password, wherever that stands in it."""
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
            f"catalogue.url: {url.partition('://')[0]!r} is no database that is known here, or "
            "what follows is no address; write postgresql://USER:PASSWORD@HOST/DATABASE, or leave "
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
