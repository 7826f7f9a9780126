"""Ingest journal: append-only JSON Lines, rotated by size."""

import errno
import os
from pathlib import Path

from citeloom.application.ports.ingest import JournalEntry
from citeloom.infrastructure.system.files import storage_failed
from citeloom.infrastructure.system.workspace import make_folder

MAX_BYTES = 10 * 1024 * 1024
_LOCK_SECONDS = 5.0


class FileIngestJournal:
    """Records in the file at ``path``, one a line. At ``max_bytes`` it becomes ``PATH.1``,
    in place of the one before, and a new file begins."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes

    def append(self, record: JournalEntry) -> None:
        line = record.model_dump_json(exclude_none=True).encode() + b"\n"
        make_folder(self._path.parent)
        try:
            if self._is_long():
                self._rotate()
            _append(self._path, line)
        except OSError as error:
            raise storage_failed(self._path, error) from error

    def _is_long(self) -> bool:
        return self._path.exists() and self._path.stat().st_size >= self._max_bytes

    def _rotate(self) -> None:
        from filelock import FileLock, Timeout  # seldom needed, slow to import

        try:
            with FileLock(self._path.with_name(".ingests.lock"), timeout=_LOCK_SECONDS):
                if self._is_long():  # else another process has just done it
                    self._path.replace(self._path.with_name(f"{self._path.name}.1"))
        except (Timeout, PermissionError):
            # Windows renames no file that is open elsewhere: the next record tries again.
            pass


def _append(path: Path, line: bytes) -> None:
    """One write at the end of the file, so that lines of several processes do not mix. A line
    cut short by a full disk is ended first."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o644)
    try:
        size = os.fstat(handle).st_size
        if size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":
                line = b"\n" + line
        if os.write(handle, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(handle)
