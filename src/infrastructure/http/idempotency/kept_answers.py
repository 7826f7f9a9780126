"""Answers to requests with an idempotency key, in a SQLite file of the workspace."""

import json
import secrets
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.system.failure_messages import shown_path
from citeloom.infrastructure.system.workspace import make_folder

#: How long an answer is kept.
SECONDS: Final = 24 * 3600
#: Answers that are kept; the oldest are forgotten first.
MOST: Final = 1000
_BUSY_SECONDS: Final = 10.0
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, target TEXT NOT NULL, start TEXT NOT NULL, begun REAL NOT NULL,
    digest TEXT, status INTEGER, headers TEXT, body BLOB
)
"""

Headers = Sequence[tuple[str, str]]


class GivenAnswer(NamedTuple):
    """``digest`` is that of the request's body."""

    digest: str
    status: int
    headers: Headers
    body: bytes


class KeyedRequest(NamedTuple):
    """``target`` is its method and path. ``is_passing``: what it does ends with the process, so
    that a later one does it anew."""

    key: str
    target: str
    is_passing: bool


class KnownKey(NamedTuple):
    """A key that was sent before, with which ``target``. ``answer`` is None while it is not there;
    ``is_lost``: it will never be, from a process that has ended or as it could not be stored."""

    target: str
    answer: GivenAnswer | None
    is_lost: bool


class KeptAnswers:
    """Safe for several threads, and beside other processes; ``now``: seconds since 1970. All
    methods raise StorageFailed."""

    def __init__(self, path: Path, now: Callable[[], float], most: int = MOST) -> None:
        self._path = path
        self._now = now
        self._most = most
        self._start = secrets.token_hex(8)
        self._lock = Lock()
        # Keys whose answers could not be stored: their rows say nothing of that.
        self._lost = set[str]()
        self._connection: sqlite3.Connection | None = None

    def begin(self, request: KeyedRequest) -> KnownKey | None:
        """None: the key was not known, and is from now on."""
        with self._transaction() as connection:
            self._forget_old(connection)
            row = connection.execute(
                "SELECT target, start, digest, status, headers, body FROM answers WHERE key = ?",
                (request.key,),
            ).fetchone()
            if row is not None and not (request.is_passing and row[1] != self._start):
                return self._known(request.key, row)
            self._lost.discard(request.key)
            connection.execute(
                "INSERT OR REPLACE INTO answers (key, target, start, begun) VALUES (?, ?, ?, ?)",
                (request.key, request.target, self._start, self._now()),
            )
        return None

    def keep(self, key: str, answer: GivenAnswer) -> None:
        """The answer to a request that was begun. Where it cannot be stored, it is lost."""
        headers, body = json.dumps(list(answer.headers)), zlib.compress(answer.body, 1)
        with self._settling(key) as connection:
            connection.execute(
                "UPDATE answers SET digest = ?, status = ?, headers = ?, body = ? WHERE key = ?",
                (answer.digest, answer.status, headers, body, key),
            )

    def forget(self, key: str) -> None:
        """Nothing was done: the key is free again. Where that cannot be stored, its answer is
        lost."""
        with self._settling(key) as connection:
            connection.execute("DELETE FROM answers WHERE key = ?", (key,))

    def _known(self, key: str, row: tuple[str, str, str | None, int, str, bytes]) -> KnownKey:
        target, start, digest, status, headers, body = row
        if digest is None:
            return KnownKey(target, None, is_lost=start != self._start or key in self._lost)
        told = [(name, value) for name, value in json.loads(headers)]
        answer = GivenAnswer(digest, status, told, zlib.decompress(body))
        return KnownKey(target, answer, is_lost=False)

    def _forget_old(self, connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM answers WHERE begun <= ?", (self._now() - SECONDS,))
        connection.execute(
            "DELETE FROM answers WHERE key IN (SELECT key FROM answers WHERE digest IS NOT NULL "
            "ORDER BY begun DESC, rowid DESC LIMIT -1 OFFSET ?)",
            (self._most - 1,),
        )

    @contextmanager
    def _settling(self, key: str) -> Iterator[sqlite3.Connection]:
        try:
            with self._transaction() as connection:
                yield connection
        except StorageFailed:
            self._lost.add(key)
            raise

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                connection = self._open()
                connection.execute("BEGIN IMMEDIATE")
                with connection:
                    yield connection
            except sqlite3.Error as error:
                raise StorageFailed(
                    f"{shown_path(self._path)}: cannot be used ({error}); free space, or delete "
                    "it: it only has answers that were given before",
                    path=str(self._path),
                ) from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            make_folder(self._path.parent)
            connection = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(_SCHEMA)
            self._connection = connection
        return self._connection
