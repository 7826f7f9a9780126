"""Writing a file whole or not at all, also when the power goes."""

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

# A writer that is alive renames its file within seconds; older ones are left over
# wherever they come from (another machine on a network share included).
_STALE_SECONDS = 3600.0
_TEMPORARY = re.compile(r"\..+\.([0-9a-f]{8})-(\d+)-\d+\.tmp")
_serial = itertools.count()


def write_atomic(path: Path, content: bytes) -> None:
    """Replace ``path`` by ``content``: readers see the old file or the new one.

    The bytes are synced before the rename, and the folder after it. On failure the old
    file stands and nothing is left over. Raises StorageFailed.
    """
    with made_whole(path) as temporary:
        try:
            temporary.write_bytes(content)
        except OSError as error:
            raise storage_failed(path, error) from error


@contextmanager
def made_whole(path: Path) -> Iterator[Path]:
    """A path to write a new file to; where the block ends well it becomes ``path``, as with
    ``write_atomic``. Raises StorageFailed for what goes wrong here."""
    temporary = path.with_name(f".{path.name}.{_host()}-{os.getpid()}-{next(_serial)}.tmp")
    try:
        yield temporary
        try:
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
            _sync_folder(path.parent)
        except OSError as error:
            raise storage_failed(path, error) from error
    finally:
        with suppress(OSError):  # after the rename there is nothing to remove
            temporary.unlink()


def remove_leftovers(folder: Path) -> int:
    """Remove temporary files in ``folder`` whose writers are dead; how many there were."""
    removed = 0
    with suppress(OSError):  # tidying must never make a write fail
        for path in folder.iterdir():
            if (found := _TEMPORARY.fullmatch(path.name)) and _dead(path, *found.groups()):
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


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there; NTFS journals the rename
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
