"""Space that is kept, and given back when the disk is full."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from citeloom.infrastructure.system.files import keep_reserve, release_if_full


def free(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=count))


def held(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.iterdir())


def test_the_reserve_has_its_space_until_the_disk_is_full(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    free(monkeypatch, 2 << 30)
    keep_reserve(tmp_path, 1)
    keep_reserve(tmp_path, 1)
    assert held(tmp_path) >= 2**20
    release_if_full(tmp_path)
    assert held(tmp_path) >= 2**20
    free(monkeypatch, 1 << 20)
    release_if_full(tmp_path)
    assert not list(tmp_path.iterdir())
    keep_reserve(tmp_path, 1)
    assert not list(tmp_path.iterdir())


def test_without_a_setting_or_a_folder_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    free(monkeypatch, 2 << 30)
    keep_reserve(tmp_path / "none", 1)
    release_if_full(tmp_path / "none")
    keep_reserve(tmp_path, 1)
    keep_reserve(tmp_path, 0)
    assert not list(tmp_path.iterdir())
