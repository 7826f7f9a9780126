"""Atomic and durable replacement of files."""

import hashlib
import itertools
import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from citeloom.infrastructure.system.failure_messages import storage_failed

# A living writer renames its file within seconds; an older file is a leftover, also one of
# another machine on a network share.
_STALE_SECONDS = 3600.0
_TEMPORARY = re.compile(r"\..+\.([0-9a-f]{8})-(\d+)-\d+\.tmp")
_serial = itertools.count()


def write_atomic(path: Path, content: bytes, mode: int | None = None) -> None:
    """Replace ``path`` by ``content``: readers see the old file or the new one.

    ``mode`` is that of the file; without one that of new files. The bytes are synced before the
    rename, and the folder after it. On failure the old file remains
    and no temporary file is left. Raises StorageFailed.
    """
    with atomic_path(path) as temporary:
        try:
            temporary.write_bytes(content)
            if mode is not None:
                temporary.chmod(mode)
        except OSError as error:
            raise storage_failed(path, error) from error


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path to write; on success it replaces ``path`` as in ``write_atomic``. Raises
    StorageFailed."""
    with scratch_path(path) as temporary:
        yield temporary
        try:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
            sync_folder(path.parent)
        except OSError as error:
            raise storage_failed(path, error) from error


@contextmanager
def scratch_path(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path``, removed at the end of the block, and by
    ``remove_leftovers`` if the process is killed."""
    temporary = path.with_name(f".{path.name}.{_host()}-{os.getpid()}-{next(_serial)}.tmp")
    try:
        yield temporary
    finally:
        with suppress(OSError):  # what was renamed is not there to be removed
            temporary.unlink()


def remove_leftovers(folder: Path) -> int:
    """Remove temporary files in ``folder`` whose writers are dead; their number."""
    removed = 0
    with suppress(OSError):  # tidying must never make a write fail
        for path in folder.iterdir():
            if (match := _TEMPORARY.fullmatch(path.name)) and _dead(path, *match.groups()):
                path.unlink()
                removed += 1
    return removed


def _dead(path: Path, host: str, pid: str) -> bool:
    if time.time() - path.stat().st_mtime > _STALE_SECONDS:
        return True
    # Windows has no harmless signal: there, only the age counts.
    if os.name == "nt" or host != _host():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _host() -> str:
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]


def sync_folder(folder: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there; NTFS journals the rename
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
