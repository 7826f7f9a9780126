"""Where Zotero keeps its database and files on this machine.

The data directory is ``~/Zotero`` unless another is set (Zotero's support pages, "The Zotero
Data Directory"); the settings stand in ``prefs.js`` of a profile, whose folder depends on the
system ("Profile directory").
"""

import configparser
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citeloom.domain.errors import LibraryUnavailable
from citeloom.infrastructure.library.attachment_paths import FilePlaces

DATABASE = "zotero.sqlite"
_PREF = re.compile(r'^\s*user_pref\(\s*"([^"]+)"\s*,\s*(.+?)\s*\)\s*;', re.MULTILINE)
_OURS = "extensions.zotero."


@dataclass(frozen=True)
class ZoteroPlace:
    """A database, and the folders that paths of attachments count from."""

    database: Path
    files: FilePlaces


@dataclass(frozen=True)
class _Profile:
    data_dir: Path
    linked_base: Path | None


def find_zotero(wanted: str = "", *, home: Path | None = None) -> ZoteroPlace:
    """The place that ``wanted`` names (a data directory or its ``.sqlite`` file); else what
    Zotero's profiles say, the default one first; else ``~/Zotero``.

    Raises LibraryUnavailable if no database is there, naming where it was looked for.
    """
    home = home or Path.home()
    profiles = list(_profiles(home))
    if wanted.strip():
        named = Path(wanted.strip()).expanduser()
        is_file = named.suffix in (".sqlite", ".db", ".bak") or named.is_file()
        database = named if is_file else named / DATABASE
        tried = [database]
    else:
        folders = dict.fromkeys([*(profile.data_dir for profile in profiles), home / "Zotero"])
        tried = [folder / DATABASE for folder in folders]
        database = next((path for path in tried if path.is_file()), tried[0])
    if not database.is_file():
        raise LibraryUnavailable(
            f"Zotero: no database at {' or '.join(map(str, tried))}; set zotero.data_dir "
            "(CITELOOM_ZOTERO__DATA_DIR) or pass --data-dir: in Zotero's settings, Advanced, "
            "Files and Folders, it is shown as Data Directory Location",
            tried=[str(path) for path in tried],
        )
    base = next(
        (profile.linked_base for profile in profiles if profile.data_dir == database.parent),
        profiles[0].linked_base if profiles else None,
    )
    return ZoteroPlace(database, FilePlaces(database.parent, base))


def _profiles(home: Path) -> Iterator[_Profile]:
    """What each profile says, the default one first."""
    root = _profile_root(home)
    for folder in _profile_folders(root):
        prefs = _preferences(folder / "prefs.js")
        moved = prefs.get("dataDir") if prefs.get("useDataDir") is True else None
        base = prefs.get("baseAttachmentPath")
        yield _Profile(
            Path(moved) if isinstance(moved, str) and moved else home / "Zotero",
            Path(base) if isinstance(base, str) and base else None,
        )


def _profile_root(home: Path) -> Path:
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "Zotero"
    if sys.platform == "win32":
        roaming = os.environ.get("APPDATA")
        return (Path(roaming) if roaming else home / "AppData" / "Roaming") / "Zotero" / "Zotero"
    return home / ".zotero" / "zotero"


def _profile_folders(root: Path) -> list[Path]:
    """The folders that ``profiles.ini`` lists, else those that hold a ``prefs.js``."""
    listed = configparser.ConfigParser(interpolation=None)
    try:
        listed.read(root / "profiles.ini", encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        listed.clear()
    sections = [listed[name] for name in listed.sections() if listed[name].get("Path")]
    sections.sort(key=lambda section: section.get("Default") != "1")
    folders = [
        root / section["Path"] if section.get("IsRelative") == "1" else Path(section["Path"])
        for section in sections
    ]
    if not folders:
        found = (*root.glob("*/prefs.js"), *root.glob("Profiles/*/prefs.js"))
        folders = sorted(path.parent for path in found)
    return [folder for folder in folders if (folder / "prefs.js").is_file()]


def _preferences(path: Path) -> dict[str, object]:
    """Zotero's own preferences by their short names; none if the file cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    found: dict[str, object] = {}
    for name, value in _PREF.findall(text):
        if name.startswith(_OURS):
            try:
                found[name.removeprefix(_OURS)] = json.loads(value)
            except ValueError:
                continue
    return found
