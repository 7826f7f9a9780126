"""Where Zotero's database is looked for: settings, profiles, the usual folder."""

import json
from pathlib import Path

import pytest

from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.library.database import ZoteroLocation, find_zotero


@pytest.fixture(params=["linux", "darwin", "win32"])
def profiles(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The folder of Zotero's profiles, by system."""
    monkeypatch.setattr("sys.platform", request.param)
    monkeypatch.setenv("APPDATA", str(tmp_path / "Roaming"))
    return (
        tmp_path
        / {
            "linux": ".zotero/zotero",
            "darwin": "Library/Application Support/Zotero",
            "win32": "Roaming/Zotero/Zotero",
        }[request.param]
    )


def database(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "zotero.sqlite"
    path.touch()
    return path


def profile(folder: Path, **prefs: object) -> None:
    folder.mkdir(parents=True)
    lines = [
        f'user_pref("extensions.zotero.{name}", {json.dumps(value)});'
        for name, value in prefs.items()
    ]
    text = "\n".join(["// Mozilla User Preferences", *lines, 'user_pref("broken", );'])
    (folder / "prefs.js").write_text(text, encoding="utf-8")


def test_zotero_is_found_in_its_usual_folder(tmp_path: Path) -> None:
    path = database(tmp_path / "Zotero")
    found = find_zotero(home=tmp_path)
    assert (found.database, found.files.data_dir, found.files.linked_base) == (
        path, tmp_path / "Zotero", None,
    )  # fmt: skip


def test_a_profile_names_another_folder(tmp_path: Path, profiles: Path) -> None:
    moved, base = database(tmp_path / "Ünï moved"), tmp_path / "papers"
    database(tmp_path / "Zotero")
    profile(
        profiles / "Profiles" / "ab12.default", useDataDir=True, dataDir=str(moved.parent),
        baseAttachmentPath=str(base),
    )  # fmt: skip
    found = find_zotero(home=tmp_path)
    assert (found.database, found.files.linked_base) == (moved, base)


def test_a_folder_that_is_not_in_use_is_not_taken(tmp_path: Path, profiles: Path) -> None:
    database(tmp_path / "old")
    usual = database(tmp_path / "Zotero")
    profile(profiles / "ab12.default", useDataDir=False, dataDir=str(tmp_path / "old"))
    assert find_zotero(home=tmp_path).database == usual


def test_the_default_profile_goes_first(tmp_path: Path, profiles: Path) -> None:
    for name in ("one", "two"):
        moved = database(tmp_path / name)
        profile(profiles / "Profiles" / name, useDataDir=True, dataDir=str(moved.parent))
    (profiles / "profiles.ini").write_text(
        "[Profile0]\nName=one\nIsRelative=1\nPath=Profiles/one\n\n"
        f"[Profile1]\nName=two\nIsRelative=0\nPath={profiles / 'Profiles' / 'two'}\nDefault=1\n",
        encoding="utf-8",
    )
    assert find_zotero(home=tmp_path).database == tmp_path / "two" / "zotero.sqlite"


def test_a_profile_whose_folder_is_gone_gives_way(tmp_path: Path, profiles: Path) -> None:
    usual = database(tmp_path / "Zotero")
    profile(profiles / "Profiles" / "x", useDataDir=True, dataDir=str(tmp_path / "gone"))
    assert find_zotero(home=tmp_path).database == usual


def test_a_folder_named_in_the_settings_is_the_only_one_looked_at(
    tmp_path: Path, profiles: Path
) -> None:
    database(tmp_path / "Zotero")
    here = database(tmp_path / "here")
    profile(profiles / "Profiles" / "x", baseAttachmentPath="/papers")
    for wanted in (here.parent, here):
        found = find_zotero(str(wanted), home=tmp_path)
        assert found == ZoteroLocation(here, found.files)
        assert (found.files.data_dir, found.files.linked_base) == (here.parent, Path("/papers"))
    with pytest.raises(LibraryUnavailable, match="elsewhere"):
        find_zotero(str(tmp_path / "elsewhere"), home=tmp_path)


def test_nothing_there_is_told_with_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(LibraryUnavailable) as raised:
        find_zotero(home=tmp_path)
    assert str(tmp_path / "Zotero" / "zotero.sqlite") in raised.value.message
    assert raised.value.next_step == NextStep(Action.LOCATE_LIBRARY)
    assert raised.value.code == "LIBRARY_UNAVAILABLE"


def test_a_backup_is_a_database_as_well(tmp_path: Path) -> None:
    backup = tmp_path / "zotero.sqlite.bak"
    backup.touch()
    assert find_zotero(str(backup), home=tmp_path).database == backup
