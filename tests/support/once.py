"""Folders that take long to make: made by one test process, copied by the others."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


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
    shutil.copytree(shared, own)
    return own
