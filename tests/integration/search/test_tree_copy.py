"""A copy of files that others use meanwhile is as the files are in the end."""

import os
import time

import pytest

from citeloom.infrastructure.search.edge.files.tree_copy import TreeCopy

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
    copy = TreeCopy(source, target)
    copy.go_on()
    assert copy.look_again() == 0
    assert held(target) == held(source)
    assert not (target / "temp_segments").exists()
    assert (target / "deep/er/b.dat").stat().st_blocks < (4 * BLOCK) // 512


def test_what_was_written_meanwhile_is_copied_again(source, target):
    copy = TreeCopy(source, target)
    copy.go_on()
    with open(source / "deep/er/b.dat", "r+b") as file:  # in place, of the same size
        file.write(b"new")
    (source / "e.dat").write_bytes(b"e")
    assert copy.look_again() > 0
    copy.go_on()
    assert held(target) == held(source)


def test_what_was_removed_meanwhile_is_not_in_the_copy(source, target):
    copy = TreeCopy(source, target)
    (source / "a.dat").unlink()  # before it could be copied
    copy.go_on()
    (source / "deep/er/b.dat").unlink()
    (source / "deep/er").rmdir()
    copy.look_again()
    copy.go_on()
    assert set(held(target)) == {"deep", "deep/c.dat", "empty"}


def test_the_time_of_what_had_just_been_written_is_not_believed(source, target):
    just_now = time.time()
    os.utime(source / "a.dat", (just_now, just_now))
    copy = TreeCopy(source, target)
    copy.go_on()
    (source / "a.dat").write_bytes(b"b" * 10)
    os.utime(source / "a.dat", (just_now, just_now))  # as where times are coarse
    copy.look_again()
    copy.go_on()
    assert held(target) == held(source)
