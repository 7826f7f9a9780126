"""Locations of Zotero's database and files on this machine.

The data directory is ``~/Zotero`` unless set otherwise (Zotero's support pages, "The Zotero Data
Directory"); the settings are in ``prefs.js`` of a profile, whose folder depends on the system
("Profile directory").
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
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.library.attachment_paths import AttachmentFolders
from citeloom.infrastructure.system.workspace import has_home, home_folder

DATABASE = "zotero.sqlite"
_PREF = re.compile(r'^\s*user_pref\(\s*"([^"]+)"\s*,\s*(.+?)\s*\)\s*;', re.MULTILINE)
_PREFIX = "extensions.zotero."


@dataclass(frozen=True)
class ZoteroLocation:
    """A database, and the base folders of attachment paths."""

    database: Path
    files: AttachmentFolders


@dataclass(frozen=True)
class _Profile:
    data_dir: Path
    linked_base: Path | None


def find_zotero(configured: str = "", *, home: Path | None = None) -> ZoteroLocation:
    """The location ``configured`` (a data directory or its ``.sqlite`` file); else that of Zotero's
    profiles, the default one first; else ``~/Zotero``.

    Raises LibraryUnavailable if no database exists there, naming the tried paths.
    """
    is_configured = bool(configured.strip())
    if home is None and (has_home() or not is_configured):
        home = home_folder()
    profiles = list(_profiles(home)) if home is not None else []
    if is_configured or home is None:
        path = Path(configured.strip()).expanduser()
        is_file = path.suffix in (".sqlite", ".db", ".bak") or path.is_file()
        database = path if is_file else path / DATABASE
        tried = [database]
    else:
        folders = dict.fromkeys([*(profile.data_dir for profile in profiles), home / "Zotero"])
        tried = [folder / DATABASE for folder in folders]
        database = next((candidate for candidate in tried if candidate.is_file()), tried[0])
    if not database.is_file():
        raise LibraryUnavailable(
            f"Zotero: no database at {' or '.join(map(str, tried))}",
            NextStep(Action.LOCATE_LIBRARY),
            tried=[str(candidate) for candidate in tried],
        )
    base = next(
        (profile.linked_base for profile in profiles if profile.data_dir == database.parent),
        profiles[0].linked_base if profiles else None,
    )
    return ZoteroLocation(database, AttachmentFolders(database.parent, base))


def _profiles(home: Path) -> Iterator[_Profile]:
    """The settings of each profile, the default one first."""
    root = _profile_root(home)
    for folder in _profile_folders(root):
        prefs = _preferences(folder / "prefs.js")
        data_dir = prefs.get("dataDir") if prefs.get("useDataDir") is True else None
        base = prefs.get("baseAttachmentPath")
        yield _Profile(
            Path(data_dir) if isinstance(data_dir, str) and data_dir else home / "Zotero",
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
    """The folders that ``profiles.ini`` lists, else those with a ``prefs.js``."""
    ini = configparser.ConfigParser(interpolation=None)
    try:
        ini.read(root / "profiles.ini", encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        ini.clear()
    sections = [ini[name] for name in ini.sections() if ini[name].get("Path")]
    sections.sort(key=lambda section: section.get("Default") != "1")
    folders = [
        root / section["Path"] if section.get("IsRelative") == "1" else Path(section["Path"])
        for section in sections
    ]
    if not folders:
        prefs = (*root.glob("*/prefs.js"), *root.glob("Profiles/*/prefs.js"))
        folders = sorted(path.parent for path in prefs)
    return [folder for folder in folders if (folder / "prefs.js").is_file()]


def _preferences(path: Path) -> dict[str, object]:
    """Zotero's preferences without their prefix; none if the file cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    preferences: dict[str, object] = {}
    for name, value in _PREF.findall(text):
        if name.startswith(_PREFIX):
            try:
                preferences[name.removeprefix(_PREFIX)] = json.loads(value)
            except ValueError:
                continue
    return preferences
