"""Where a workspace is, and that only writing creates it."""

import errno
import re
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigurationError, StorageFailed
from citeloom.infrastructure.cli.shared.output import in_words
from citeloom.infrastructure.system.workspace import (
    Workspace,
    find_workspace,
    make_folder,
    served_workspace,
    user_data_folder,
)


def test_the_nearest_folder_with_settings_is_the_workspace(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b" / "c"
    inner.mkdir(parents=True)
    (tmp_path / "citeloom.toml").touch()
    assert find_workspace(inner).root == tmp_path
    (tmp_path / "a" / "b" / "citeloom.toml").touch()
    assert find_workspace(inner).root == tmp_path / "a" / "b"


def test_without_settings_it_is_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "data"))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert find_workspace(tmp_path).root == user_data_folder()
    assert list(tmp_path.iterdir()) == []


def test_a_named_folder_goes_first_and_need_not_exist(tmp_path: Path) -> None:
    (tmp_path / "citeloom.toml").touch()
    named = find_workspace(tmp_path, tmp_path / "x" / ".." / "y")
    assert named.root == tmp_path / "y"
    assert not named.home.exists()


def test_naming_the_inner_folder_means_the_same(tmp_path: Path) -> None:
    assert Workspace(tmp_path / ".citeloom").catalogue == Workspace(tmp_path).catalogue


def test_a_relative_folder_becomes_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_workspace(Path(), Path("w")).root == tmp_path / "w"


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, "HOME/.local/share/citeloom"),
        ("linux", {"XDG_DATA_HOME": "/xdg"}, "/xdg/citeloom"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "HOME/.local/share/citeloom"),
        ("darwin", {"XDG_DATA_HOME": "/xdg"}, "HOME/Library/Application Support/citeloom"),
        ("win32", {"APPDATA": "/roaming"}, "/roaming/citeloom"),
        ("win32", {}, "HOME/AppData/Roaming/citeloom"),
    ],
)
def test_the_data_folder_of_each_system(
    platform: str,
    environment: dict[str, str],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    found = user_data_folder(environment, platform)
    assert found == Path(expected.replace("HOME", str(tmp_path)))


def test_a_new_workspace_keeps_out_of_version_control(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    make_folder(workspace.bundles / "ab")
    assert (workspace.home / ".gitignore").read_text(encoding="utf-8") == "*\n"
    (workspace.home / ".gitignore").unlink()
    make_folder(workspace.logs)
    assert not (workspace.home / ".gitignore").exists()


def test_no_git_ignore_where_there_is_no_workspace(tmp_path: Path) -> None:
    make_folder(tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EROFS, "read-only file system.*--workspace"),
        (errno.EACCES, "permission denied.*CITELOOM_WORKSPACE"),
        (errno.ENOSPC, "the disk is full; free some space"),
    ],
)
def test_a_folder_that_cannot_be_made_is_named(
    number: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(
            number, {errno.EROFS: "Read-only file system"}.get(number, "Permission denied")
        )

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StorageFailed) as raised:
        make_folder(tmp_path / "x")
    assert re.search(said, in_words(raised.value.message))
    assert str(tmp_path / "x") in raised.value.message


def test_a_server_makes_no_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citeloom.infrastructure.system.workspace.user_data_folder", lambda: data)
    data = tmp_path / "data" / "citeloom"
    (tmp_path / "a file").touch()
    assert served_workspace(None) is None
    assert served_workspace(tmp_path / ".citeloom") == tmp_path / ".citeloom"
    assert served_workspace(data) == data
    for name, reason in (("typo", "the folder does not exist"), ("a file", "is not a folder")):
        with pytest.raises(ConfigurationError, match=f"{name}: {reason}, so it is not a workspace"):
            served_workspace(tmp_path / name)
