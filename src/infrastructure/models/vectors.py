"""Cache of text vectors in a SQLite file, by text and model, for all projects of a workspace.

It can be deleted at any time. A failure of the file is logged once; from then on nothing is cached,
and texts are embedded again.
"""

import hashlib
import logging
import sqlite3
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Final, TypeVar

from citeloom.application.ports.models import Embedder, TokenCounter
from citeloom.domain.errors import StorageFailed
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.infrastructure.system.files import shown_path
from citeloom.infrastructure.system.workspace import make_folder

_T = TypeVar("_T")
_log: Final = logging.getLogger(__name__)
_BUSY_SECONDS: Final = 10.0
# Below SQLite's limit of parameters in its oldest builds, 999.
_KEYS_A_QUERY: Final = 500
# Share of the keys removed when the cache has reached its size, the longest unused first.
_PRUNED_SHARE: Final = 0.2
_CHECKSUM_BYTES: Final = 4
_FAILED: Final = (
    "%s: vectors cannot be cached (%s), so texts are embedded each time. Free some space, or "
    "delete the cache"
)
# Keys are apart from vectors, so that the day of use is a small write.
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS keys (
    key BLOB PRIMARY KEY, vector INTEGER NOT NULL, used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
"""


def key_of(fingerprint: str, text: str) -> bytes:
    """sha256 (32 bytes) of a model's fingerprint and a text."""
    return hashlib.sha256(f"{fingerprint}\n{text}".encode("utf-8", "surrogatepass")).digest()


class VectorCache:
    """Vectors as 32-bit floats with a checksum. The file has at most ``max_bytes``, and up to one
    batch more: then the longest unused fifth is removed. Thread-safe, and safe beside other
    processes."""

    def __init__(self, path: Path, *, max_bytes: int) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._failed = False

    def vectors(self, keys: Sequence[bytes], dimension: int) -> Mapping[bytes, Sequence[float]]:
        """The vectors of the keys that are known; damaged ones are left out."""
        if not self._path.exists():
            return {}
        return self._try(lambda connection: _found(connection, keys, dimension)) or {}

    def add(self, vectors: Mapping[bytes, Sequence[float]]) -> None:
        """Insert or replace vectors, in one transaction."""
        self._try(lambda connection: _insert(connection, vectors, self._max_bytes))

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _try(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """The result of ``work``. None if another process held the file too long, and after a
        failure, which ends the use of the cache."""
        with self._lock:
            if self._failed:
                return None
            try:
                return work(self._open())
            except (sqlite3.Error, StorageFailed) as error:
                self._close()
                if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                    return None
                self._failed = True
                reason = error.message if isinstance(error, StorageFailed) else str(error)
                _log.warning(_FAILED, shown_path(self._path), reason)
                return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            make_folder(self._path.parent)
            connection = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection = connection
            connection.execute("PRAGMA journal_mode = WAL")
            # A power failure may cost the last vectors, not the file.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.executescript(_SCHEMA)
        return self._connection


def _found(
    connection: sqlite3.Connection, keys: Sequence[bytes], dimension: int
) -> dict[bytes, Sequence[float]]:
    found: dict[bytes, Sequence[float]] = {}
    today, stale = _today(), []
    for start in range(0, len(keys), _KEYS_A_QUERY):
        some = keys[start : start + _KEYS_A_QUERY]
        rows = connection.execute(
            "SELECT key, used, vectors.vector FROM keys JOIN vectors ON vectors.id = keys.vector "
            f"WHERE key IN ({','.join('?' * len(some))})",
            some,
        )
        for key, used, blob in rows:
            if (vector := _unpacked(blob, dimension)) is not None:
                found[key] = vector
                stale += [(today, key)] if used != today else []
    if stale:
        with _transaction(connection):
            connection.executemany("UPDATE keys SET used = ? WHERE key = ?", stale)
    return found


def _insert(
    connection: sqlite3.Connection, vectors: Mapping[bytes, Sequence[float]], max_bytes: int
) -> None:
    today = _today()
    with _transaction(connection):
        _remove(connection, list(vectors))
        for key, vector in vectors.items():
            statement = "INSERT INTO vectors (vector) VALUES (?)"
            row = connection.execute(statement, (_packed(vector),))
            connection.execute("INSERT INTO keys VALUES (?, ?, ?)", (key, row.lastrowid, today))
        if _size(connection) > max_bytes:
            _prune(connection)


def _prune(connection: sqlite3.Connection) -> None:
    (count,) = connection.execute("SELECT count(*) FROM keys").fetchone()
    longest_unused = connection.execute(
        "SELECT key FROM keys ORDER BY used, vector LIMIT ?", (int(count * _PRUNED_SHARE) + 1,)
    )
    _remove(connection, [key for (key,) in longest_unused])


def _remove(connection: sqlite3.Connection, keys: Sequence[bytes]) -> None:
    rows = [(key,) for key in keys]
    connection.executemany(
        "DELETE FROM vectors WHERE id = (SELECT vector FROM keys WHERE key = ?)", rows
    )
    connection.executemany("DELETE FROM keys WHERE key = ?", rows)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _size(connection: sqlite3.Connection) -> int:
    """Bytes of the pages in use."""
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _packed(vector: Sequence[float]) -> bytes:
    data = array("f", vector).tobytes()
    return data + zlib.crc32(data).to_bytes(_CHECKSUM_BYTES)


def _unpacked(blob: bytes, dimension: int) -> list[float] | None:
    """None if the bytes differ from the stored ones."""
    data, checksum = blob[:-_CHECKSUM_BYTES], blob[-_CHECKSUM_BYTES:]
    vector = array("f")
    if len(data) != dimension * vector.itemsize:
        return None
    if zlib.crc32(data).to_bytes(_CHECKSUM_BYTES) != checksum:
        return None
    vector.frombytes(data)
    return vector.tolist()


def _today() -> int:
    return datetime.now(UTC).toordinal()


# Texts of one look-up. At most so many vectors are held, and lost by a kill.
_WINDOW = 1000


class CachingEmbedder:
    """``embedder``, which is asked only for texts that ``cache`` does not have. Questions are
    not cached."""

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self._embedder = embedder
        self._cache = cache

    @property
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    @property
    def tokens(self) -> TokenCounter:
        return self._embedder.tokens

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        stream = iter(texts)
        while window := list(islice(stream, _WINDOW)):
            yield from self._window(window)

    def embed_query(self, text: str, is_claim: bool = False) -> Sequence[float]:
        return self._embedder.embed_query(text, is_claim)

    def _window(self, texts: Sequence[str]) -> Iterator[Sequence[float]]:
        model = self._embedder.model
        keys = [key_of(model.fingerprint, text) for text in texts]
        vectors = self._cache.vectors(keys, model.dimension)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        if missing:
            made: dict[bytes, Sequence[float]] = {}
            try:
                made.update(zip(missing, self._embedder.embed(missing.values()), strict=True))
            finally:  # what was embedded before it was stopped is kept
                self._cache.add(made)
            vectors = {**vectors, **made}
        return (vectors[key] for key in keys)
