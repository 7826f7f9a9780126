"""A file is written whole or not at all."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.system import files as atomic_files
from citeloom.infrastructure.system.files import remove_leftovers, write_atomic


def test_replaces_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_on_a_full_disk_the_old_file_stands(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.json"
    write_atomic(path, b"old")

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*{"fsync": (os, "fsync"), "replace": (Path, "replace")}[step], refuse)
    with pytest.raises(StorageFailed, match=r"f\.json: the disk is full"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageFailed, match="no such file or directory"):
        write_atomic(tmp_path / "none" / "f", b"")


def test_the_file_is_synced_before_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    sync, replace = os.fsync, Path.replace

    def note_sync(handle: int) -> None:
        steps.append("sync")
        sync(handle)

    def note_replace(path: Path, target: Path) -> Path:
        steps.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(Path, "replace", note_replace)
    write_atomic(tmp_path / "f", b"x")
    assert steps[:2] == ["sync", "rename"]
    assert steps[2:] == ([] if os.name == "nt" else ["sync"])


def leftover(folder: Path, pid: int, host: str | None = None) -> Path:
    path = folder / f".f.json.{host or atomic_files._host()}-{pid}-0.tmp"
    path.touch()
    return path


@pytest.mark.skipif(os.name == "nt", reason="there, only the age of a file counts")
def test_leftovers_of_dead_writers_go_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    dead = leftover(tmp_path, child.pid)
    folder = dead.with_name(dead.name.replace(".tmp", "0.tmp"))
    folder.mkdir()
    (folder / "page.dat").touch()
    stay = [leftover(tmp_path, os.getpid()), leftover(tmp_path, child.pid, host="0123abcd")]
    stay.append(tmp_path / "user.tmp")
    stay[-1].touch()
    os.utime(stay[0], (0, 0))  # a backup may take hours
    assert remove_leftovers(tmp_path) == 2
    assert not dead.exists()
    assert not folder.exists()
    assert all(path.exists() for path in stay)


def test_old_leftovers_go_wherever_they_come_from(tmp_path: Path) -> None:
    path = leftover(tmp_path, 1, host="0123abcd")
    hours_ago = time.time() - 3 * 3600
    os.utime(path, (hours_ago, hours_ago))
    assert remove_leftovers(tmp_path) == 1
    assert remove_leftovers(tmp_path / "none") == 0
