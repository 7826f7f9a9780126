"""Temporary folders of tests in memory, where there is enough of it: on a disk, tests wait most of
their time until what they wrote is safe. They go with the test or the module that made them.

Tests of locks, of writes through memory maps and of kills have theirs on the disk all the same.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

MEMORY = Path("/dev/shm")
NEEDED_KB = 8 * 2**20
DISK = os.environ.setdefault("CITELOOM_TEST_DISK", tempfile.gettempdir())
#: What the ids of such tests begin with.
ON_DISK = (
    "tests/contract/system",
    "tests/faults",
    "tests/integration/search/test_crashes.py::test_any_change_since_the_last_clean_end_is_seen[wal",
    "tests/integration/search/test_crashes.py::test_no_acknowledged_document_is_lost",
    "tests/integration/storage",
    "tests/unit/infrastructure/system",
)


def _has_room() -> bool:
    try:
        told = Path("/proc/meminfo").read_text("ascii")
        available = re.search(r"^MemAvailable: +(\d+) kB", told, re.MULTILINE)
        free_kb = shutil.disk_usage(MEMORY).free // 1024
        return available is not None and min(free_kb, int(available[1])) >= NEEDED_KB
    except OSError:
        return False


def pytest_configure() -> None:
    if "TMPDIR" in os.environ or not _has_room():
        return  # or a process of such a session
    for left in MEMORY.glob("citeloom-tests-*"):
        if not Path("/proc", left.name.rpartition("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    own = MEMORY / f"citeloom-tests-{os.getpid()}"
    own.mkdir(mode=0o700)
    os.environ["TMPDIR"] = tempfile.tempdir = str(own)


def pytest_unconfigure() -> None:
    """What a session with failures left stays until the next session."""
    own = MEMORY / f"citeloom-tests-{os.getpid()}"
    if own.is_dir() and not any(own.glob("pytest-of-*/pytest-*/*")):
        shutil.rmtree(own, ignore_errors=True)


@pytest.fixture
def tmp_path(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    if not request.node.nodeid.startswith(ON_DISK):
        yield tmp_path
        return
    folder = tempfile.mkdtemp(prefix="citeloom-test-", dir=DISK)
    yield Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: "pytest.FixtureDef[Any]", request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    if fixturedef.scope not in ("module", "package"):
        return (yield)
    base: Path = request.getfixturevalue("tmp_path_factory").getbasetemp()
    before, made = set(base.iterdir()), set[Path]()

    def remove() -> None:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)

    fixturedef.addfinalizer(remove)
    value = yield
    made.update(set(base.iterdir()) - before)
    return value
