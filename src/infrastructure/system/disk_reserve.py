"""Disk reserve: space of a workspace that is kept for the time when its disk is full.

Reading and deleting need some space: SQLite for shared memory and a log, an index for files that it
fills when it is opened. On a full disk the reserve is given back, so that they go on.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Free space below which the reserve is given back.
LOW_BYTES: Final = 56 * 2**20
# Free space above which there is room for a reserve.
_PLENTY_BYTES: Final = 1 << 30


def release_if_full(home: Path) -> None:
    """Delete the reserve in the folder ``home`` if nearly nothing else is free. Where that is not
    possible, what is done next says why."""
    with suppress(OSError):
        if shutil.disk_usage(home).free < LOW_BYTES:
            _reserve(home).unlink(missing_ok=True)


def keep_reserve(home: Path, megabytes: int) -> None:
    """Have a reserve of ``megabytes`` in the folder ``home``, if the folder is there and a lot of
    space is free; 0 for none. Without one only a full disk is harder to bear, so that no failure
    is raised."""
    reserve, wanted = _reserve(home), megabytes * 2**20
    with suppress(OSError):
        if not wanted:
            reserve.unlink(missing_ok=True)
        elif _size(reserve) != wanted and shutil.disk_usage(home).free > _PLENTY_BYTES:
            _allocate(reserve, wanted)


def _reserve(home: Path) -> Path:
    return home / "reserve"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _allocate(path: Path, count: int) -> None:
    """Make a file that has its blocks: no later write can take them."""
    with path.open("wb") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, count)
        else:
            file.write(bytes(count))
