"""Files of a workspace are for their user alone, unless the workspace is a group's."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from citeloom.infrastructure.system import files as private_files
from citeloom.infrastructure.system.files import (
    create_privately,
    is_readable_by_all,
    public_mode,
    write_atomic,
)
from citeloom.infrastructure.system.workspace import make_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no modes of files")


@pytest.fixture(autouse=True)
def usual_mask(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(private_files, "_user_masks", [])
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_made_is_private_and_what_is_exported_is_not(tmp_path: Path) -> None:
    home = tmp_path / ".citeloom"
    create_privately(home)
    create_privately(home)
    folder = make_folder(home / "bundles")
    write_atomic(folder / "a", b"x")
    write_atomic(tmp_path / "report.md", b"x", mode=public_mode())
    found = [mode(home), mode(folder), mode(folder / "a"), mode(home / ".gitignore")]
    assert found == [0o700, 0o700, 0o600, 0o600]
    assert mode(tmp_path / "report.md") == 0o644


def test_an_open_workspace_is_closed_by_who_writes_next(tmp_path: Path) -> None:
    home = tmp_path / ".citeloom"
    (home / "logs").mkdir(parents=True)
    (home / "logs" / "ingests.jsonl").write_text("{}")
    mine = tmp_path / "citeloom.toml"
    mine.write_text("")
    (home / "link").symlink_to(mine)
    make_folder(home / "logs")
    found = [mode(home), mode(home / "logs"), mode(home / "logs" / "ingests.jsonl"), mode(mine)]
    assert found == [0o700, 0o700, 0o600, 0o644]


def test_the_workspace_of_a_group_stays_its(tmp_path: Path) -> None:
    home = tmp_path / ".citeloom"
    home.mkdir()
    home.chmod(0o2775)
    create_privately(home)
    assert mode(make_folder(home)) == 0o2775
    (home / "file").write_text("")
    assert mode(home / "file") == 0o644
    assert public_mode() is None


def test_who_can_read_a_file(tmp_path: Path) -> None:
    path = tmp_path / "citeloom.toml"
    assert not is_readable_by_all(path)
    path.write_text("")
    assert is_readable_by_all(path)
    path.chmod(0o640)
    assert not is_readable_by_all(path)
