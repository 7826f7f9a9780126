"""A small disk of its own, and a workspace with papers on it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.machine.disk import SmallDisk
from support.command_line import citeloom
from support.paths import LIBRARY

# More than a gigabyte: only then is there a reserve for a full disk.
MEGABYTES = 2000


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted here: {done.stderr.strip()}")
    yield SmallDisk(place)
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def workspace(disk: SmallDisk) -> Path:
    """The sample library in project ``samples``, on the small disk."""
    place = disk.place / "workspace"
    done = citeloom("ingest", LIBRARY / "papers", "-p", "samples", workspace=place)
    assert done.code == 0, done.err
    return place
