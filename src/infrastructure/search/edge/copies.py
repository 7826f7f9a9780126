"""Sparse copies of the engine's files, and the copy of a collection that cannot be written.

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
from citeloom.infrastructure.system.files import sync_folder
from citeloom.infrastructure.system.locks import ReadLock

_BLOCK: Final = 2**20
_ZEROS: Final = bytes(_BLOCK)
# Leftovers of a killed optimize().
_EXCLUDED: Final = "temp_segments"


def copy_tree(source: Path, target: Path) -> None:
    """Copy a folder with the times of its files: copies, not links, since the engine changes files
    in place. Blocks of zeros become holes: the engine's files are mostly zeros."""
    for base, folders, names in os.walk(source):
        if _EXCLUDED in folders:
            folders.remove(_EXCLUDED)
        place = target / Path(base).relative_to(source)
        place.mkdir(exist_ok=True)
        for name in names:
            file, times = Path(base, name), Path(base, name).stat()
            copy_sparse(file, place / name)
            os.utime(place / name, ns=(times.st_atime_ns, times.st_mtime_ns))


def size_of(folder: Path) -> int:
    """Bytes on disk; where holes cannot be detected, the apparent size."""
    return sum(_bytes_of(path.stat()) for path in _files(folder))


def sync_tree(folder: Path) -> None:
    """Sync all files and folders to disk."""
    for path in _files(folder):
        descriptor = os.open(path, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    for each, _, _ in os.walk(folder):
        sync_folder(Path(each))


def copy_sparse(source: Path, target: Path) -> None:
    """Copy a file, with holes for blocks of zeros."""
    with open(source, "rb", buffering=0) as reader, open(target, "wb", buffering=0) as writer:
        while block := reader.read(_BLOCK):
            if block == _ZEROS[: len(block)]:
                writer.seek(len(block), os.SEEK_CUR)
            else:
                _write(writer.fileno(), block)
        writer.truncate()


def _bytes_of(stat: os.stat_result) -> int:
    return int(getattr(stat, "st_blocks", -(-stat.st_size // 512))) * 512


def _write(descriptor: int, block: bytes) -> None:
    rest = memoryview(block)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _files(folder: Path) -> Iterator[Path]:
    for base, _, names in os.walk(folder):
        yield from (Path(base) / name for name in names)


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
