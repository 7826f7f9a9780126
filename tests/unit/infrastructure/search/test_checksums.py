"""Checksums of a shard's files: what counts as changed, and what does not."""

import errno
import os
from pathlib import Path

import pytest

from citeloom.infrastructure.search.edge import checksums
from citeloom.infrastructure.search.edge.checksums import tell_of_mapped_writes

BLOCK = 2**16


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


def changed(folder: Path, *, thorough: bool = False) -> list[str]:
    sums = checksums.noted(folder)
    assert sums is not None
    return checksums.differences(folder, sums, thorough=thorough)


def test_what_was_closed_is_as_it_was(folder: Path) -> None:
    assert changed(folder) == changed(folder, thorough=True) == []


def test_a_hole_and_written_zeros_are_the_same_and_places_are_not(tmp_path: Path) -> None:
    sparse, dense, moved = (tmp_path / name for name in ("sparse", "dense", "moved"))
    with open(sparse, "wb") as file:
        file.truncate(4 * BLOCK)
        file.seek(2 * BLOCK)
        file.write(b"x")
    dense.write_bytes(bytes(2 * BLOCK) + b"x" + bytes(2 * BLOCK - 1))
    moved.write_bytes(bytes(BLOCK) + b"x" + bytes(3 * BLOCK - 1))
    assert checksums.crc_of(sparse) == checksums.crc_of(dense) != checksums.crc_of(moved)


def test_where_holes_cannot_be_found_all_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "shard" / "page.dat"
    expected = checksums.crc_of(file)

    def unknown(descriptor: int, position: int, how: int) -> int:
        raise OSError(errno.EINVAL, "not supported")

    monkeypatch.setattr(os, "lseek", unknown)
    assert checksums.crc_of(file) == expected != 0


def test_a_changed_a_missing_and_an_added_file_are_named(folder: Path) -> None:
    shard = folder / "shard"
    with open(shard / "page.dat", "rb+") as file:
        file.seek(BLOCK)
        file.write(b"y")
    assert changed(folder) == ["page.dat"]
    (shard / "segments" / "small.json").unlink()
    (shard / "added").touch()
    assert changed(folder) == ["added", "page.dat", "segments/small.json"]


def test_a_large_file_of_the_same_size_and_time_is_read_when_asked_a_small_one_always(
    folder: Path,
) -> None:
    for name in ("page.dat", "segments/small.json"):
        file = folder / "shard" / name
        times = file.stat().st_atime_ns, file.stat().st_mtime_ns
        with open(file, "rb+") as opened:
            opened.write(b"[]")
        os.utime(file, ns=times)
    assert changed(folder) == ["segments/small.json"]
    assert changed(folder, thorough=True) == ["page.dat", "segments/small.json"]


def test_while_a_shard_is_open_nothing_is_said_of_it(folder: Path) -> None:
    checksums.begin_use(folder)
    assert checksums.noted(folder) is None
    (folder / "shard" / "segments" / "small.json").write_text("[]")
    checksums.end_use(folder)
    assert changed(folder, thorough=True) == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 1}', '{"version": 9}'])
def test_sums_that_cannot_be_read_are_none(folder: Path, content: str) -> None:
    (folder / "sums.json").write_text(content)
    assert checksums.noted(folder) is None


def test_files_are_read_where_times_do_not_tell_of_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shard = tmp_path / "shard"
    shard.mkdir()
    file = shard / "vectors"
    file.write_bytes(b"a" * 100_000)
    os.utime(file, ns=(0, 0))
    checksums.end_use(tmp_path)
    checksums.begin_use(tmp_path)
    file.write_bytes(b"b" * 100_000)
    os.utime(file, ns=(0, 0))
    monkeypatch.setattr(checksums, "tell_of_mapped_writes", lambda folder: False)
    checksums.end_use(tmp_path)
    sums = checksums.noted(tmp_path)
    assert sums is not None
    assert checksums.differences(tmp_path, sums, thorough=True) == []


def test_a_file_system_tells_of_mapped_writes_or_not(tmp_path: Path) -> None:
    assert tell_of_mapped_writes(tmp_path) in (True, False)
    assert not list(tmp_path.iterdir())
