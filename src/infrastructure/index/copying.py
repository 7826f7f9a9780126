"""Copies of an engine's files, and their way to the disk."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_BLOCK: Final = 2**20
_NOTHING: Final = bytes(_BLOCK)
# What a killed optimize() leaves behind.
_LEFT_OUT: Final = frozenset({"temp_segments"})


def copy_tree(source: Path, target: Path) -> None:
    """A true copy of each file, since the engine changes them in place. Blocks of zeros are
    left as holes: the engine's files are mostly that. The shard is closed."""
    target.mkdir()
    for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
        if entry.name in _LEFT_OUT:
            continue
        if entry.is_dir():
            copy_tree(Path(entry.path), target / entry.name)
        else:
            _copy(Path(entry.path), target / entry.name)


def size_of(folder: Path) -> int:
    """Bytes on the disk; where holes cannot be told, those that the files could hold."""
    sizes = (path.stat() for path in _files(folder))
    return sum(getattr(s, "st_blocks", -(-s.st_size // 512)) * 512 for s in sizes)


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


def _write(descriptor: int, block: bytes) -> None:
    left = memoryview(block)
    while left:
        left = left[os.write(descriptor, left) :]


def _files(folder: Path) -> Iterator[Path]:
    for base, _, names in os.walk(folder):
        yield from (Path(base) / name for name in names)
