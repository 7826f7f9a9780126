"""Sparse copies of the engine's files, and their synchronization to disk."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from citeloom.infrastructure.search.edge.files.modification_times import tell_of_mapped_writes
from citeloom.infrastructure.system.atomic_files import sync_folder

_BLOCK: Final = 2**20
_ZEROS: Final = bytes(_BLOCK)
# Leftovers of a killed optimize().
_EXCLUDED: Final = "temp_segments"
# In nanoseconds: coarsest resolution of modification times (FAT: two seconds).
_TIME_RESOLUTION: Final = 2_000_000_000


class TreeCopy:
    """A copy of each file of ``source`` in ``target``, not a link, since the engine changes files
    in place. Blocks of zeros become holes: the engine's files are mostly zeros.

    Other processes may use the files between ``__init__`` and ``look_again``, which are called
    under the lock. Their writes show in the modification times of files: each writer maps a file
    anew, and the first write to a mapped page updates the time (POSIX, ``mmap``: before it is
    synced). On a file system where it does not, all files are copied again.
    """

    def __init__(self, source: Path, target: Path) -> None:
        self._source = source
        self._target = target
        self._times_tell = tell_of_mapped_writes(source.parent)
        self._since = time.time_ns()
        self._remaining = set(self._source_files())
        target.mkdir()

    def go_on(self) -> None:
        """Copy the remaining files; files removed meanwhile are skipped."""
        for folder, _, _ in os.walk(self._source):
            if _EXCLUDED not in (path := Path(folder).relative_to(self._source)).parts:
                (self._target / path).mkdir(exist_ok=True)
        for path in sorted(self._remaining):
            with suppress(FileNotFoundError):
                copy_sparse(self._source / path, self._target / path)
                self._remaining.remove(path)

    def look_again(self) -> int:
        """Detect files written or removed since the last call. Number of bytes left to copy."""
        now, current = time.time_ns(), self._source_files()
        written = (
            p
            for p, stat in current.items()
            if not self._times_tell or stat.st_mtime_ns > self._since - _TIME_RESOLUTION
        )
        self._remaining = {path for path in self._remaining if path in current}.union(written)
        self._since = now
        for path in _files(self._target):
            if path.relative_to(self._target) not in current:
                path.unlink()
        for folder, _, _ in os.walk(self._target, topdown=False):
            if not (self._source / Path(folder).relative_to(self._target)).is_dir():
                Path(folder).rmdir()
        return sum(_bytes_of(current[path]) for path in self._remaining)

    def _source_files(self) -> dict[Path, os.stat_result]:
        paths = (path.relative_to(self._source) for path in _files(self._source))
        return {p: (self._source / p).stat() for p in paths if _EXCLUDED not in p.parts}


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
