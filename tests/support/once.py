"""Folders that take long to make: made by one test process, copied by the others."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def copied(source: Path, target: Path) -> Path:
    """``target``, a copy that keeps the holes of files: an index has a third of a gigabyte of them,
    which its readers would read."""
    return Path(shutil.copytree(source, target, copy_function=_copy))


def _copy(source: str, target: str) -> None:
    with open(source, "rb", buffering=0) as reader, open(target, "wb", buffering=0) as writer:
        at, size = 0, os.fstat(reader.fileno()).st_size
        while at < size:
            try:
                start = os.lseek(reader.fileno(), at, os.SEEK_DATA)
            except OSError:  # nothing but a hole up to the end
                break
            at = os.lseek(reader.fileno(), start, os.SEEK_HOLE)
            writer.seek(reader.seek(start))
            writer.write(reader.read(at - start))
        writer.truncate(size)
    shutil.copystat(source, target)


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder of this test process's own with what ``make`` writes into an empty one."""
    own = factory.mktemp(name) / name
    if "PYTEST_XDIST_WORKER" not in os.environ:
        own.mkdir()
        make(own)
        return own
    shared = factory.getbasetemp().parent / name
    with FileLock(shared.with_suffix(".lock")):
        if not shared.exists():
            unfinished = shared.with_suffix(".unfinished")
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(shared)
    return copied(shared, own)
