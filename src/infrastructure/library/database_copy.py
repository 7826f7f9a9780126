"""A private copy of a database that another program is writing.

Zotero holds its database with an exclusive lock (and, with a write-ahead log, without shared
memory), so that it cannot be opened as it is; and what opens a database may write to it. So
its bytes are read as those of any file: the database, its log ``-wal`` and its rollback
journal ``-journal`` (never ``-shm``, which SQLite makes anew). Opening the copy then brings it
to the last finished transaction, as after a power cut (SQLite, "Write-Ahead Logging",
"Atomic Commit").
"""

import errno
import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from citeloom.domain.errors import LibraryUnavailable

_BLOCK = 1 << 20
_MAGIC = b"SQLite format 3\0"
_BESIDE = ("", "-wal", "-journal")
_Stamp = tuple[object, ...]


class DatabaseCopy(NamedTuple):
    """``state`` is a digest of all bytes that were copied: it changes with each write,
    synced or not, and with nothing else."""

    connection: sqlite3.Connection
    state: str


@contextmanager
def copied(database: Path, name: str) -> Iterator[DatabaseCopy]:
    """A copy of ``database``, open for reading, gone afterwards; ``name`` is for errors.

    If the original changes while it is copied, that is done once more. Raises
    LibraryUnavailable if it changed again, is no database, is damaged, cannot be read, or if
    the temporary folder has no room.
    """
    with _temporary(name) as folder:
        copy = folder / "copy.sqlite"
        state = _copy(database, copy, name)
        with closing(_opened(copy, database, name)) as connection:
            try:
                yield DatabaseCopy(connection, state)
            except sqlite3.DatabaseError as error:
                raise _damaged(database, name, error) from error


@contextmanager
def _temporary(name: str) -> Iterator[Path]:
    try:
        folder = tempfile.TemporaryDirectory(prefix="citeloom-", ignore_cleanup_errors=True)
    except OSError as error:
        raise LibraryUnavailable(
            f"{name}: no temporary folder for a copy ({error.strerror or error}); "
            "set TMPDIR to a folder that can be written to"
        ) from None
    with folder as path:
        yield Path(path)


def _copy(database: Path, copy: Path, name: str) -> str:
    """Copy all files of a database; gives the digest of their bytes."""
    for _ in range(2):
        before = _stamp(database)
        digest = hashlib.blake2b(digest_size=16)
        for suffix in _BESIDE:
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)
            digest.update(suffix.encode() + b"\0")
            _copy_file(_beside(database, suffix), _beside(copy, suffix), digest, name)
        if _stamp(database) == before:
            return digest.hexdigest()
    raise LibraryUnavailable(
        f"{name}: {database} was written to while it was copied, twice; wait until Zotero has "
        "finished (syncing, importing), then try again",
        database=str(database),
    )


def _copy_file(source: Path, target: Path, digest: hashlib.blake2b, name: str) -> None:
    """Copy a file if it is there; the database itself (whose name has no suffix) must be."""
    try:
        original = source.open("rb")
    except FileNotFoundError:
        if source.suffix.endswith(("-wal", "-journal")):
            return
        raise LibraryUnavailable(
            f"{name}: {source} is not there; check the path", database=str(source)
        ) from None
    except OSError as error:
        raise _unreadable(source, name, error) from None
    with original:
        try:
            copy = target.open("wb")
        except OSError as error:
            raise _no_room(target, name, error) from None
        with copy:
            while True:
                try:
                    block = original.read(_BLOCK)
                except OSError as error:
                    raise _unreadable(source, name, error) from None
                if not block:
                    return
                digest.update(block)
                try:
                    copy.write(block)
                except OSError as error:
                    raise _no_room(target, name, error) from None


def _opened(copy: Path, database: Path, name: str) -> sqlite3.Connection:
    with copy.open("rb") as file:
        start = file.read(len(_MAGIC))
    if start != _MAGIC:
        reason = "is empty" if not start else "is no SQLite database, or an encrypted one"
        raise LibraryUnavailable(
            f"{name}: {database} {reason}; name Zotero's data directory, or its zotero.sqlite",
            database=str(database),
        )
    connection = sqlite3.connect(copy)
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _damaged(database, name, error) from error
    return connection


def beside(database: Path) -> list[Path]:
    """The files of a database, which need not all be there."""
    return [_beside(database, suffix) for suffix in _BESIDE]


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _stamp(database: Path) -> _Stamp:
    """What changes if a copy is not of one moment.

    Of the database and its journal size, time of change, number and start (which counts
    transactions). Of a write-ahead log the header only, whose salt changes when the log is
    begun anew: what is appended meanwhile belongs to later transactions, and harms nothing.
    """
    wal = _beside(database, "-wal")
    return (_facts(database), _start(wal, 32), _facts(_beside(database, "-journal")))


def _facts(path: Path) -> tuple[int, int, int, bytes] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_size, found.st_mtime_ns, found.st_ino, _start(path, 100) or b"")


def _start(path: Path, size: int) -> bytes | None:
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return None


def _unreadable(path: Path, name: str, error: OSError) -> LibraryUnavailable:
    return LibraryUnavailable(
        f"{name}: {path} cannot be read ({error.strerror or error}); check its permissions, and "
        "that its disk is connected",
        database=str(path),
    )


def _no_room(target: Path, name: str, error: OSError) -> LibraryUnavailable:
    folder = target.parent.parent
    reason = (
        "is full"
        if error.errno in (errno.ENOSPC, errno.EDQUOT)
        else os.strerror(error.errno or errno.EIO)
    )
    return LibraryUnavailable(
        f"{name}: no copy could be made: the temporary folder {folder} {reason}; make room, or "
        "set TMPDIR to a folder on a larger disk",
        folder=str(folder),
    )


def _damaged(database: Path, name: str, error: sqlite3.DatabaseError) -> LibraryUnavailable:
    if "full" in str(error):
        return _no_room(database, name, OSError(errno.ENOSPC, "full"))
    return LibraryUnavailable(
        f"{name}: {database} is damaged ({error}); close Zotero, then have it repaired at "
        f"https://www.zotero.org/utils/dbfix/, or take {database.name}.bak from the same folder",
        database=str(database),
        reason=str(error),
    )
