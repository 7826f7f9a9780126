"""Library source over Zotero's database: its location, and its tables as raw items."""

import configparser
import hashlib
import json
import os
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.application.ports.library import LibraryStatus
from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library import LibraryKind, LibraryRef, LibraryScope
from citeloom.domain.messages import Action, NextStep
from citeloom.infrastructure.system.workspace import has_home, home_folder

from .better_bibtex import stored_keys
from .database_copy import open_copy
from .raw_items import AttachmentFolders, utc_timestamp
from .snapshot import RawLibrary, chosen_libraries, count, without_gc
from .source import RawReading, RawSource

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


# Zotero's Zotero.Attachments.LINK_MODE_* and Zotero.Annotations.ANNOTATION_TYPE_*.
_LINK_MODES = ("imported_file", "imported_url", "linked_file", "linked_url", "embedded_image")
_ANNOTATION_TYPES = {1: "highlight", 2: "note", 3: "image", 4: "ink", 5: "underline", 6: "text"}
# Dates are stored as "2014-12-00 December 2014": sortable, then as entered.
_MULTIPART = re.compile(r"\d{4}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01]) ")
_NOTE_FRAME = re.compile(r'\s*<div class="zotero-note znv\d+">(.*)</div>\s*', re.DOTALL)
_NEEDED = ("libraries", "items", "itemTypes", "fields", "itemData", "itemDataValues",
           "creators", "itemCreators", "creatorTypes")  # fmt: skip

Raw = dict[str, Any]


class Tables:
    """Tables and columns of a database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        names = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        self._columns = {
            name: [row[1] for row in connection.execute(f'PRAGMA table_info("{name}")')]
            for (name,) in names.fetchall()
        }

    @property
    def missing(self) -> list[str]:
        """Missing tables and columns that every library of Zotero 5 or later has."""
        missing_tables = [name for name in _NEEDED if name not in self._columns]
        return missing_tables or [
            f"{table}.{column}"
            for table, column in (("libraries", "type"), ("items", "key"), ("items", "libraryID"))
            if column not in self._columns[table]
        ]

    def has(self, table: str) -> bool:
        return table in self._columns

    def one_of(self, *tables: str) -> str:
        return next(table for table in tables if table in self._columns)

    def rows(self, table: str, columns: Sequence[str], more: str = "") -> Iterator[tuple[Any, ...]]:
        """``columns`` of ``table``, NULL for missing ones; nothing if the table is missing.
        ``more`` follows FROM (the table is ``t``); columns of joined tables are given as
        ``other.column``."""
        if table not in self._columns:
            return iter(())
        known_columns = self._columns[table]
        selected = ", ".join(
            column if "." in column else f"t.{column}" if column in known_columns else "NULL"
            for column in columns
        )
        return iter(self._connection.execute(f"SELECT {selected} FROM {table} t {more}"))


def libraries_in(tables: Tables) -> dict[int, LibraryRef]:
    """The user's library and groups (without feeds), by their number in this database."""
    groups = {
        number: (group, name)
        for number, group, name in tables.rows("groups", ("libraryID", "groupID", "name"))
    }
    libraries: dict[int, LibraryRef] = {}
    for number, kind, version in tables.rows("libraries", ("libraryID", "type", "version")):
        if kind == "user":
            libraries[number] = LibraryRef(version=max(version or 0, 0))
        elif kind == "group" and number in groups:
            group, name = groups[number]
            libraries[number] = LibraryRef(
                kind=LibraryKind.GROUP,
                id=group,
                name=name or f"Group {group}",
                version=max(version or 0, 0),
            )
    return libraries


def raw_libraries(
    tables: Tables,
    libraries: Mapping[int, LibraryRef],
    keys: Mapping[int, Mapping[str, str]],
    places: AttachmentFolders,
) -> list[RawLibrary]:
    """The libraries with all entries, deleted ones marked as such; ``keys`` are Better BibTeX's, by
    the number of the library."""
    items = _structure(tables, libraries)
    _fields(tables, items)
    _creators(tables, items)
    _tags(tables, items)
    _relations(tables, items)
    collections = _collections(tables, libraries, items)
    flagged = {number for (number,) in tables.rows("retractedItems", ("itemID",))}
    entries: dict[int, list[Raw]] = {number: [] for number in libraries}
    retracted: dict[int, list[str]] = {number: [] for number in libraries}
    for number, (library, raw) in items.items():
        entries[library].append(raw)
        if number in flagged:
            retracted[library].append(raw["key"])
    return [
        RawLibrary(
            ref,
            entries[number],
            collections[number],
            keys.get(number, {}),
            places,
            retracted[number],
        )
        for number, ref in libraries.items()
    ]


def countable_libraries(tables: Tables, libraries: Mapping[int, LibraryRef]) -> list[RawLibrary]:
    """The libraries with types, parents and own tables of their entries, but without fields,
    creators, tags and collections: enough to count them."""
    entries: dict[int, list[Raw]] = {number: [] for number in libraries}
    for library, raw in _structure(tables, libraries).values():
        entries[library].append(raw)
    return [RawLibrary(ref, entries[number]) for number, ref in libraries.items()]


_Items = dict[int, tuple[int, Raw]]


def _structure(tables: Tables, libraries: Iterable[int]) -> _Items:
    items = _items(tables, libraries)
    _attachments(tables, items)
    _notes(tables, items)
    _annotations(tables, items)
    return items


def _items(tables: Tables, libraries: Iterable[int]) -> _Items:
    deleted = {number for (number,) in tables.rows("deletedItems", ("itemID",))}
    types = tables.one_of("itemTypesCombined", "itemTypes")
    numbers = ", ".join(map(str, libraries))
    rows = tables.rows(
        "items",
        ("itemID", "libraryID", "key", "version", "types.typeName", "dateAdded", "dateModified"),
        f"JOIN {types} types USING (itemTypeID) WHERE t.libraryID IN ({numbers}) ORDER BY itemID",
    )
    items: _Items = {}
    for number, library, key, version, kind, added, modified in rows:
        raw: Raw = {"key": key, "version": version or 0, "itemType": kind}
        raw["dateAdded"], raw["dateModified"] = utc_timestamp(added), utc_timestamp(modified)
        if number in deleted:
            raw["deleted"] = 1
        items[number] = (library, raw)
    return items


def _fields(tables: Tables, items: _Items) -> None:
    names = tables.one_of("fieldsCombined", "fields")
    rows = tables.rows(
        "itemData",
        ("itemID", "names.fieldName", "texts.value"),
        f"JOIN {names} names USING (fieldID) JOIN itemDataValues texts USING (valueID)",
    )
    for number, name, value in rows:
        if number in items and value is not None:
            items[number][1][name] = _field(name, value if isinstance(value, str) else str(value))


def _field(name: str, value: str) -> str:
    if name == "accessDate":
        return utc_timestamp(value) or ""
    if "date" in name.casefold() and _MULTIPART.match(value):
        return value[11:].strip() or value[:10]
    return value


def _creators(tables: Tables, items: _Items) -> None:
    rows = tables.rows(
        "itemCreators",
        ("itemID", "kinds.creatorType", "people.firstName", "people.lastName", "people.fieldMode"),
        "JOIN creators people USING (creatorID) JOIN creatorTypes kinds USING (creatorTypeID) "
        "ORDER BY t.itemID, t.orderIndex",
    )
    for number, kind, first, last, mode in rows:
        if number in items:
            # Field mode 1: a name in one piece, kept where last names are.
            name = (
                {"name": last or ""} if mode else {"firstName": first or "", "lastName": last or ""}
            )
            items[number][1].setdefault("creators", []).append({"creatorType": kind, **name})


def _tags(tables: Tables, items: _Items) -> None:
    rows = tables.rows(
        "itemTags",
        ("itemID", "names.name", "type"),
        "JOIN tags names USING (tagID) ORDER BY t.itemID, names.name",
    )
    for number, name, kind in rows:
        if number in items:
            tag = {"tag": name, "type": kind} if kind else {"tag": name}
            items[number][1].setdefault("tags", []).append(tag)


def _relations(tables: Tables, items: _Items) -> None:
    rows = tables.rows(
        "itemRelations",
        ("itemID", "kinds.predicate", "object"),
        "JOIN relationPredicates kinds USING (predicateID) ORDER BY t.itemID, object",
    )
    for number, predicate, target in rows:
        if number in items:
            relations = items[number][1].setdefault("relations", {})
            relations.setdefault(predicate, []).append(target)


def _attachments(tables: Tables, items: _Items) -> None:
    columns = ("itemID", "parentItemID", "linkMode", "contentType", "path", "storageHash")
    for number, parent, mode, kind, path, digest in tables.rows("itemAttachments", columns):
        if number not in items:
            continue
        raw = items[number][1]
        is_known = isinstance(mode, int) and 0 <= mode < len(_LINK_MODES)
        raw["linkMode"] = _LINK_MODES[mode] if is_known else str(mode)
        raw |= {"contentType": kind or "", "md5": digest}
        if mode == 2:
            raw["path"] = path or ""
        elif path:
            raw["filename"] = path.removeprefix("storage:")
        _set_parent(raw, parent, items)


def _notes(tables: Tables, items: _Items) -> None:
    for number, parent, note in tables.rows("itemNotes", ("itemID", "parentItemID", "note")):
        if number in items:
            raw = items[number][1]
            framed = _NOTE_FRAME.fullmatch(note or "")
            raw["note"] = framed.group(1) if framed else note or ""
            if raw["itemType"] == "note":  # attachments have notes as well
                _set_parent(raw, parent, items)


def _annotations(tables: Tables, items: _Items) -> None:
    names = ("authorName", "text", "comment", "color", "pageLabel", "sortIndex", "position")
    raw_names = [f"annotation{name[0].upper()}{name[1:]}" for name in names]
    for number, parent, kind, *values in tables.rows(
        "itemAnnotations", ("itemID", "parentItemID", "type", *names)
    ):
        if number in items:
            raw = items[number][1]
            raw["annotationType"] = _ANNOTATION_TYPES.get(kind, str(kind))
            raw |= {name: value for name, value in zip(raw_names, values, strict=True) if value}
            _set_parent(raw, parent, items)


def _set_parent(raw: Raw, parent: int | None, items: _Items) -> None:
    if parent is not None:
        raw["parentItem"] = items[parent][1]["key"] if parent in items else f"#{parent}"


def _collections(tables: Tables, libraries: Iterable[int], items: _Items) -> dict[int, list[Raw]]:
    deleted = {number for (number,) in tables.rows("deletedCollections", ("collectionID",))}
    columns = ("collectionID", "libraryID", "key", "collectionName", "parentCollectionID")
    rows = list(tables.rows("collections", columns))
    keys = {number: key for number, _, key, *_ in rows}
    by_library: dict[int, list[Raw]] = {number: [] for number in libraries}
    for number, library, key, name, parent in rows:
        if library in by_library:
            raw: Raw = {"key": key, "name": name, "parentCollection": keys.get(parent, False)}
            by_library[library].append({**raw, "deleted": 1} if number in deleted else raw)
    members = tables.rows("collectionItems", ("collectionID", "itemID"), "ORDER BY itemID")
    for collection, number in members:
        if number in items and collection in keys:
            items[number][1].setdefault("collections", []).append(keys[collection])
    return by_library


class ZoteroDatabase(RawSource):
    """The library in a ``zotero.sqlite`` of Zotero 5 to 10. The database is never opened, locked or
    written to: each call reads a new copy.

    ``state`` is a digest of the bytes of the database, its log, Better BibTeX's store, and the
    attachment folders: every local edit changes it, synced or not. So does a write of Zotero that
    changes no item; the digests of the items are unchanged then.
    """

    name = "zotero.sqlite"

    def __init__(self, location: ZoteroLocation) -> None:
        self.place = str(location.database)
        self._location = location

    def status(self) -> LibraryStatus:
        with self._opened() as (tables, _, state):
            libraries = libraries_in(tables)
            return LibraryStatus(
                name=self.name,
                place=self.place,
                state=state,
                libraries=tuple(libraries.values()),
                **count(countable_libraries(tables, libraries))._asdict(),
            )

    def _read(self, scope: LibraryScope) -> RawReading:
        with without_gc(), self._opened() as (tables, keys, state):
            libraries = libraries_in(tables)
            numbers = {library: number for number, library in libraries.items()}
            chosen = chosen_libraries(libraries.values(), scope)
            by_number = {numbers[library]: library for library in chosen}
            raw = raw_libraries(tables, by_number, keys, self._location.files)
            return RawReading(state, raw)

    @contextmanager
    def _opened(self) -> Iterator[tuple[Tables, Mapping[int, Mapping[str, str]], str]]:
        """The tables of a copy, Better BibTeX's keys, and the state of both."""
        keys = stored_keys(self._location.database.parent)
        with open_copy(self._location.database, self.name) as copy:
            tables = Tables(copy.connection)
            if missing := tables.missing:
                raise LibraryUnavailable(
                    f"{self.name}: {self.place} is a database, but no library of Zotero 5 "
                    f"or later (without {', '.join(missing)}); name Zotero's data directory",
                    database=self.place,
                    missing=missing,
                )
            parts = (copy.state, keys.state, str(self._location.files))
            state = hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
            yield tables, keys.keys, state
