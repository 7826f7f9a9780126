"""Checksums of a shard's files: what counts as changed, and what does not."""

import errno
import os
from pathlib import Path

import pytest

from citeloom.infrastructure.search.edge import checksums

BLOCK = 2**17


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed shard of two files, one of them sparse."""
    shard = tmp_path / "shard"
    (shard / "segments").mkdir(parents=True)
    (shard / "segments" / "small.json").write_text("{}")
    with open(shard / "page.dat", "wb") as file:
        file.truncate(8 * BLOCK)
        file.seek(5 * BLOCK + 100)
        file.write(b"passage")
    checksums.end_use(tmp_path)
    return tmp_path


def changed(folder: Path) -> list[str]:
    sums = checksums.noted(folder)
    assert sums is not None
    return checksums.differences(folder, sums)


def rewrite(file: Path, content: bytes) -> None:
    """Bytes at the beginning of a file, whose time stays: as a bad sector, or a mapped write."""
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    with open(file, "rb+") as opened:
        opened.write(content)
    os.utime(file, ns=times)


def test_what_was_closed_is_as_it_was(folder: Path) -> None:
    assert changed(folder) == []


def test_a_hole_and_written_zeros_are_the_same_and_places_are_not(tmp_path: Path) -> None:
    sparse, dense, moved = (tmp_path / name for name in ("sparse", "dense", "moved"))
    with open(sparse, "wb") as file:
        file.truncate(4 * BLOCK)
        file.seek(2 * BLOCK)
        file.write(b"x")
    dense.write_bytes(bytes(2 * BLOCK) + b"x" + bytes(2 * BLOCK - 1))
    moved.write_bytes(bytes(BLOCK) + b"x" + bytes(3 * BLOCK - 1))
    assert checksums.sum_of(sparse) == checksums.sum_of(dense) != checksums.sum_of(moved)


def test_where_holes_cannot_be_found_all_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "shard" / "page.dat"
    expected = checksums.sum_of(file)

    def unknown(descriptor: int, position: int, how: int) -> int:
        raise OSError(errno.EINVAL, "not supported")

    monkeypatch.setattr(os, "lseek", unknown)
    assert checksums.sum_of(file) == expected != 0


def test_a_changed_a_missing_and_an_added_file_are_named(folder: Path) -> None:
    shard = folder / "shard"
    with open(shard / "page.dat", "rb+") as file:
        file.seek(BLOCK)
        file.write(b"y")
    assert changed(folder) == ["page.dat"]
    (shard / "segments" / "small.json").unlink()
    (shard / "added").touch()
    assert changed(folder) == ["added", "page.dat", "segments/small.json"]


def test_files_of_the_same_size_and_time_are_read(folder: Path) -> None:
    for name in ("page.dat", "segments/small.json"):
        rewrite(folder / "shard" / name, b"[]")
    assert changed(folder) == ["page.dat", "segments/small.json"]


def test_any_changed_word_of_a_block_changes_its_sum(tmp_path: Path) -> None:
    file = tmp_path / "page.dat"
    file.write_bytes(bytes(range(256)) * 1000 + b"end")
    sums = {checksums.sum_of(file)}
    for offset in (0, 7, 8, BLOCK - 1, BLOCK, 255_999, 256_002):
        with open(file, "rb+") as opened:
            opened.seek(offset)
            opened.write(b"\xfe")
        sums.add(checksums.sum_of(file))
    assert len(sums) == 8


def test_while_a_shard_is_open_nothing_is_said_of_it(folder: Path) -> None:
    checksums.begin_use(folder)
    assert checksums.noted(folder) is None
    (folder / "shard" / "segments" / "small.json").write_text("[1]")
    checksums.end_use(folder)
    assert changed(folder) == []


def test_damage_during_a_use_without_writes_is_seen_by_the_next(folder: Path) -> None:
    checksums.begin_use(folder)
    rewrite(folder / "shard" / "page.dat", b"damage")
    checksums.end_use(folder)
    assert changed(folder) == ["page.dat"]


@pytest.mark.parametrize("end", ["a write", "a kill before this use"])
def test_after_writes_and_kills_no_time_is_trusted(folder: Path, end: str) -> None:
    checksums.begin_use(folder)
    if end == "a write":
        checksums.discard(folder)
    else:
        checksums.begin_use(folder)
    rewrite(folder / "shard" / "page.dat", b"through a map")
    checksums.end_use(folder)
    assert changed(folder) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}', '{"version": 9}'])
def test_sums_that_cannot_be_read_are_none(folder: Path, content: str) -> None:
    (folder / "sums.json").write_text(content)
    assert checksums.noted(folder) is None
