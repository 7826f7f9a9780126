"""Copies of an engine's files, and their way to the disk."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_BLOCK: Final = 2**20
_NOTHING: Final = bytes(_BLOCK)
# What a killed optimize() leaves behind.
_LEFT_OUT: Final = "temp_segments"
# In nanoseconds: no file system tells times more coarsely (FAT: two seconds).
_COARSEST: Final = 2_000_000_000


class TreeCopy:
    """A true copy of each file of ``source`` in ``target``, since the engine changes them in
    place. Blocks of zeros are left as holes: the engine's files are mostly that.

    Others may use the files between ``__init__`` and ``look_again``, which are called while
    nobody does. What they wrote is told by the times of the files: who writes maps a file anew,
    and the first write to a page so mapped sets the time (POSIX, ``mmap``: before it is synced).
    """

    def __init__(self, source: Path, target: Path) -> None:
        self._source = source
        self._target = target
        self._since = time.time_ns()
        self._left = set(self._there())
        target.mkdir()

    def go_on(self) -> None:
        """Copy what is left; what is removed meanwhile will not be missed."""
        for folder, _, _ in os.walk(self._source):
            if _LEFT_OUT not in (path := Path(folder).relative_to(self._source)).parts:
                (self._target / path).mkdir(exist_ok=True)
        for path in sorted(self._left):
            with suppress(FileNotFoundError):
                _copy(self._source / path, self._target / path)
                self._left.remove(path)

    def look_again(self) -> int:
        """Find what was written or removed since the last look. Bytes that are left to copy."""
        now, there = time.time_ns(), self._there()
        written = (p for p, stat in there.items() if stat.st_mtime_ns > self._since - _COARSEST)
        self._left = {path for path in self._left if path in there}.union(written)
        self._since = now
        for path in _files(self._target):
            if path.relative_to(self._target) not in there:
                path.unlink()
        for folder, _, _ in os.walk(self._target, topdown=False):
            if not (self._source / Path(folder).relative_to(self._target)).is_dir():
                Path(folder).rmdir()
        return sum(_bytes_of(there[path]) for path in self._left)

    def _there(self) -> dict[Path, os.stat_result]:
        paths = (path.relative_to(self._source) for path in _files(self._source))
        return {p: (self._source / p).stat() for p in paths if _LEFT_OUT not in p.parts}


def size_of(folder: Path) -> int:
    """Bytes on the disk; where holes cannot be told, those that the files could hold."""
    return sum(_bytes_of(path.stat()) for path in _files(folder))


def sync_tree(folder: Path) -> None:
    """Have all files, and the folders that name them, on the disk."""
    for path in _files(folder):
        descriptor = os.open(path, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    for each, _, _ in os.walk(folder):
        sync_folder(Path(each))


def sync_folder(folder: Path) -> None:
    if sys.platform == "win32":  # a folder cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _copy(source: Path, target: Path) -> None:
    with open(source, "rb", buffering=0) as read, open(target, "wb", buffering=0) as written:
        while block := read.read(_BLOCK):
            if block == _NOTHING[: len(block)]:
                written.seek(len(block), os.SEEK_CUR)
            else:
                _write(written.fileno(), block)
        written.truncate()


def _bytes_of(stat: os.stat_result) -> int:
    return int(getattr(stat, "st_blocks", -(-stat.st_size // 512))) * 512


def _write(descriptor: int, block: bytes) -> None:
    left = memoryview(block)
    while left:
        left = left[os.write(descriptor, left) :]


def _files(folder: Path) -> Iterator[Path]:
    for base, _, names in os.walk(folder):
        yield from (Path(base) / name for name in names)
