"""Private copy of a database that another program is writing.

Zotero locks its database exclusively (and uses a write-ahead log without shared memory), so that it
cannot be opened; and opening a database may write to it. So the files are copied byte by byte: the
database, its log ``-wal`` and its rollback journal ``-journal`` (not ``-shm``, which SQLite
rebuilds). Opening the copy recovers it to the last committed transaction, as after a power failure
(SQLite, "Write-Ahead Logging", "Atomic Commit").
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
_SUFFIXES = ("", "-wal", "-journal")
_Stamp = tuple[object, ...]


class DatabaseCopy(NamedTuple):
    """``state`` is a digest of all copied bytes: it changes with each write, synced or not."""

    connection: sqlite3.Connection
    state: str


@contextmanager
def open_copy(database: Path, name: str) -> Iterator[DatabaseCopy]:
    """A read-only copy of ``database``, deleted afterwards; ``name`` is for errors.

    If the original changes during the copy, there is a second attempt. Raises LibraryUnavailable if
    it changes again, is not a database, is damaged or unreadable, or if the temporary folder is
    full.
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
    """Copy all files of a database; the digest of their bytes."""
    for _ in range(2):
        before = _stamp(database)
        digest = hashlib.blake2b(digest_size=16)
        for suffix in _SUFFIXES:
            copy.with_name(copy.name + suffix).unlink(missing_ok=True)
            digest.update(suffix.encode() + b"\0")
            _copy_file(_with_suffix(database, suffix), _with_suffix(copy, suffix), digest, name)
        if _stamp(database) == before:
            return digest.hexdigest()
    raise LibraryUnavailable(
        f"{name}: {database} was written to while it was copied, twice; wait until Zotero has "
        "finished (syncing, importing), then try again",
        database=str(database),
    )


def _copy_file(source: Path, target: Path, digest: hashlib.blake2b, name: str) -> None:
    """Copy a file if it exists; the database itself (whose name has no suffix) must exist."""
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
        reason = "is empty" if not start else "is not an SQLite database, or is encrypted"
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


def database_files(database: Path) -> list[Path]:
    """The possible files of a database."""
    return [_with_suffix(database, suffix) for suffix in _SUFFIXES]


def _with_suffix(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _stamp(database: Path) -> _Stamp:
    """Changes if the copied files do not belong to one moment.

    Of the database and its journal: size, modification time, inode and start (which has the
    transaction counter). Of a write-ahead log only the header, whose salt changes when the log is
    restarted: appended frames belong to later transactions and are harmless.
    """
    wal = _with_suffix(database, "-wal")
    return (_file_stamp(database), _start(wal, 32), _file_stamp(_with_suffix(database, "-journal")))


def _file_stamp(path: Path) -> tuple[int, int, int, bytes] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return (stat.st_size, stat.st_mtime_ns, stat.st_ino, _start(path, 100) or b"")


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
