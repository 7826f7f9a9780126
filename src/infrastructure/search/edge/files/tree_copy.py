"""Sparse copies of the engine's files, and their synchronization to disk."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from citeloom.infrastructure.system.atomic_files import sync_folder

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
