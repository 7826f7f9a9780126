"""A copy of a shard has its files, times and holes."""

import os
import time

import pytest

from citeloom.infrastructure.search.edge.copies import copy_tree

LONG_AGO = time.time() - 3600
BLOCK = 2**20


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "shard"
    for name, content in {
        "a.dat": b"a" * 10,
        "deep/er/b.dat": bytes(3 * BLOCK) + b"end" + bytes(BLOCK),
        "deep/c.dat": b"c",
        "temp_segments/d.dat": b"d",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (LONG_AGO, LONG_AGO))
    (folder / "empty").mkdir()
    return folder


@pytest.fixture
def target(tmp_path):
    return tmp_path / "copy"


def held(folder):
    """The contents of all files, None for folders."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if "temp_segments" not in path.parts
    }


def test_all_is_copied_but_what_a_killed_process_left(source, target):
    copy_tree(source, target)
    assert held(target) == held(source)
    assert not (target / "temp_segments").exists()
    assert (target / "deep/er/b.dat").stat().st_blocks < (4 * BLOCK) // 512
    assert (target / "a.dat").stat().st_mtime == LONG_AGO
