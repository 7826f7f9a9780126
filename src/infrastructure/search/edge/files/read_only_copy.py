"""Temporary copy of a collection that this process may not write.

The engine cannot open a shard without writing to its folder.
"""

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from citeloom.domain.errors import ShardBusy, StorageFailed
from citeloom.infrastructure.search.edge.files.tree_copy import copy_tree, size_of
from citeloom.infrastructure.system.locks.os_lock import ReadLock

_POLL_SECONDS: Final = 0.1
_log = logging.getLogger(__name__)


def is_read_only(folder: Path) -> bool:
    """Whether there is a collection that may be read but not written: a read-only disk, or the
    folder of somebody else."""
    return folder.is_dir() and not os.access(folder, os.W_OK)


def copy_to_temporary(folder: Path, wait_seconds: float) -> Path:
    """A copy of the collection's folder, with its name, in a temporary folder that only the user
    can enter; the caller deletes the parent.

    No process changes the original meanwhile. Raises ShardBusy after ``wait_seconds``,
    StorageFailed where the copy has no room.
    """
    temporary = Path(tempfile.gettempdir())
    size = size_of(folder)
    if shutil.disk_usage(temporary).free < 2 * size:
        raise StorageFailed(
            f"{folder} cannot be written, and {temporary} has no room for a copy of its index "
            f"({size >> 20} MB); make the folder writable, or set TMPDIR",
            path=str(folder),
        )
    with _unchanged(folder, wait_seconds):
        place = Path(tempfile.mkdtemp(prefix="citeloom-index-"))
        try:
            copy_tree(folder, place / folder.name)
        except OSError as error:
            shutil.rmtree(place, ignore_errors=True)
            raise StorageFailed(
                f"{folder} cannot be written, nor its index copied to {place} "
                f"({error.strerror or error}); make the folder writable",
                path=str(folder),
            ) from error
    _log.warning("%s cannot be written: its index is read from a copy of %d MB", folder, size >> 20)
    return place / folder.name


@contextmanager
def _unchanged(folder: Path, wait_seconds: float) -> Iterator[None]:
    lock = ReadLock(folder / "lock")
    if not lock.path.exists():  # it was never opened
        yield
        return
    deadline = time.monotonic() + wait_seconds
    while not lock.acquire():
        if time.monotonic() >= deadline:
            raise ShardBusy(
                f"{folder.name}: the index is held by another process, and its folder cannot be "
                "written to ask for it; try again when that is done",
                collection=folder.name,
            )
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        lock.release()
