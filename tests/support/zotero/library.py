"""Libraries for tests: raw items as Zotero's web API has them, and databases that hold them.

``write_database`` writes a ``zotero.sqlite`` with the tables of Zotero's schema that hold a
library, for a version of Zotero; ``many`` makes a library of any size.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from citeloom.domain.library import LibraryKind, LibraryRef
from citeloom.infrastructure.library.snapshot import RawLibrary

Raw = dict[str, Any]

LINK_MODES = ("imported_file", "imported_url", "linked_file", "linked_url", "embedded_image")
ANNOTATION_TYPES = ("", "highlight", "note", "image", "ink", "underline", "text")
# What of an item is kept elsewhere than in itemData.
_NO_FIELDS = frozenset(
    {"key", "version", "itemType", "creators", "tags", "collections", "relations", "deleted",
     "parentItem", "linkMode", "filename", "path", "contentType", "md5", "note", "dateAdded",
     "dateModified"}
)  # fmt: skip
_DATES = frozenset({"date", "dateDecided", "dateEnacted", "issueDate"})

_SCHEMA = """
CREATE TABLE version (schema TEXT PRIMARY KEY, version INT NOT NULL);
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL, editable INT NOT NULL,
    filesEditable INT NOT NULL, version INT NOT NULL DEFAULT 0,
    storageVersion INT NOT NULL DEFAULT 0, lastSync INT NOT NULL DEFAULT 0,
    archived INT NOT NULL DEFAULT 0);
CREATE TABLE groups (groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE,
    name TEXT NOT NULL, description TEXT NOT NULL, version INT NOT NULL);
CREATE TABLE feeds (libraryID INTEGER PRIMARY KEY, name TEXT NOT NULL, url TEXT NOT NULL UNIQUE);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT, templateItemTypeID INT,
    display INT DEFAULT 1);
CREATE TABLE itemTypesCombined (itemTypeID INT NOT NULL PRIMARY KEY, typeName TEXT NOT NULL,
    display INT DEFAULT 1 NOT NULL, custom INT NOT NULL);
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT);
CREATE TABLE fieldsCombined (fieldID INT NOT NULL PRIMARY KEY, fieldName TEXT NOT NULL,
    label TEXT, fieldFormatID INT, custom INT NOT NULL);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL,
    dateAdded TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    dateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    libraryID INT NOT NULL, key TEXT NOT NULL, version INT NOT NULL DEFAULT 0,
    synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE);
CREATE TABLE itemData (itemID INT, fieldID INT, valueID, PRIMARY KEY (itemID, fieldID));
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT,
    fieldMode INT, UNIQUE (lastName, firstName, fieldMode));
CREATE TABLE itemCreators (itemID INT NOT NULL, creatorID INT NOT NULL,
    creatorTypeID INT NOT NULL DEFAULT 1, orderIndex INT NOT NULL DEFAULT 0,
    PRIMARY KEY (itemID, creatorID, creatorTypeID, orderIndex), UNIQUE (itemID, orderIndex));
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT NOT NULL,
    PRIMARY KEY (itemID, tagID));
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL,
    parentCollectionID INT DEFAULT NULL,
    clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, libraryID INT NOT NULL,
    key TEXT NOT NULL, version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0,
    UNIQUE (libraryID, key));
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL,
    orderIndex INT NOT NULL DEFAULT 0, PRIMARY KEY (collectionID, itemID));
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY,
    dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT,
    contentType TEXT, charsetID INT, path TEXT, syncState INT DEFAULT 0, storageModTime INT,
    storageHash TEXT);
CREATE TABLE relationPredicates (predicateID INTEGER PRIMARY KEY, predicate TEXT UNIQUE);
CREATE TABLE itemRelations (itemID INT NOT NULL, predicateID INT NOT NULL, object TEXT NOT NULL,
    PRIMARY KEY (itemID, predicateID, object));
"""
_SINCE_5 = "CREATE TABLE retractedItems (itemID INTEGER PRIMARY KEY, data TEXT, flag INT DEFAULT 0)"
_SINCE_6 = """
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL,
    type INTEGER NOT NULL, authorName TEXT, text TEXT, comment TEXT, color TEXT, pageLabel TEXT,
    sortIndex TEXT NOT NULL, position TEXT NOT NULL, isExternal INT NOT NULL)
"""
_SINCE_7 = """
CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY,
    dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL)
"""


def write_database(path: Path, libraries: Sequence[RawLibrary], *, zotero: int = 9) -> Path:
    """Make ``path`` the database of a Zotero of major version ``zotero`` (5 to 10) that holds
    ``libraries``; what stood there is written over. Gives ``path`` back."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_SCHEMA)
        connection.execute(_SINCE_5)
        connection.execute("INSERT INTO version VALUES ('userdata', ?)", (100 + zotero,))
        for version, table in ((6, _SINCE_6), (7, _SINCE_7)):
            if zotero >= version:
                connection.execute(table)
        writer = _Writer(connection)
        for number, library in enumerate(libraries, start=1):
            writer.library(number, library)
    return path


class _Writer:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._run = connection.execute
        self._numbers: dict[tuple[str, Any], int] = {}
        self._items = 0

    def library(self, number: int, raw: RawLibrary) -> None:
        is_user = raw.library.kind is LibraryKind.USER
        self._run(
            "INSERT INTO libraries (libraryID, type, editable, filesEditable, version) "
            "VALUES (?, ?, 1, 1, ?)",
            (number, "user" if is_user else "group", raw.library.version),
        )
        if not is_user:
            row = (raw.library.id, number, raw.library.name, "", raw.library.version)
            self._run("INSERT INTO groups VALUES (?, ?, ?, ?, ?)", row)
        collections = self._collections(number, raw.collections)
        numbers = {item["key"]: self._items + n for n, item in enumerate(raw.items, start=1)}
        for item in raw.items:
            self._item(number, item, numbers, collections)
        self._items += len(raw.items)

    def _collections(self, library: int, raw: Iterable[Mapping[str, Any]]) -> dict[str, int]:
        listed = list(raw)
        numbers = {node["key"]: library * 1000 + n for n, node in enumerate(listed)}
        for node in listed:
            number, parent = numbers[node["key"]], numbers.get(node.get("parentCollection"))
            self._run(
                "INSERT INTO collections (collectionID, collectionName, parentCollectionID, "
                "libraryID, key) VALUES (?, ?, ?, ?, ?)",
                (number, node["name"], parent, library, node["key"]),
            )
            if node.get("deleted"):
                self._run("INSERT INTO deletedCollections (collectionID) VALUES (?)", (number,))
        return numbers

    def _item(
        self,
        library: int,
        item: Mapping[str, Any],
        numbers: Mapping[str, int],
        collections: Mapping[str, int],
    ) -> None:
        number = numbers[item["key"]]
        kind = self._number("itemTypes", item["itemType"])
        times = [_sql_time(item.get(name)) for name in ("dateAdded", "dateModified")]
        self._run(
            "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (number, kind, *times, times[1], library, item["key"], item.get("version", 0)),
        )
        if item.get("deleted"):
            self._run("INSERT INTO deletedItems (itemID) VALUES (?)", (number,))
        self._fields(number, item)
        self._creators(number, item.get("creators", ()))
        for tag in item.get("tags", ()):
            row = (number, self._number("tags", tag["tag"]), tag.get("type", 0))
            self._run("INSERT INTO itemTags VALUES (?, ?, ?)", row)
        for key in item.get("collections", ()):
            row = (collections[key], number, 0)
            self._run("INSERT INTO collectionItems VALUES (?, ?, ?)", row)
        for predicate, there in item.get("relations", {}).items():
            for address in [there] if isinstance(there, str) else there:
                row = (number, self._number("relationPredicates", predicate), address)
                self._run("INSERT INTO itemRelations VALUES (?, ?, ?)", row)
        self._kind(number, item, numbers.get(item.get("parentItem", "")))

    def _fields(self, number: int, item: Mapping[str, Any]) -> None:
        for name, value in item.items():
            if name in _NO_FIELDS or name.startswith("annotation") or value in ("", None):
                continue
            if name == "accessDate":
                value = _sql_time(value)
            elif name in _DATES:
                value = _multipart(value)
            row = (number, self._number("fields", name), self._number("itemDataValues", value))
            self._run("INSERT INTO itemData VALUES (?, ?, ?)", row)

    def _creators(self, number: int, creators: Iterable[Mapping[str, str]]) -> None:
        for place, creator in enumerate(creators):
            whole = creator.get("name")
            name = ("", whole, 1) if whole else (creator["firstName"], creator["lastName"], 0)
            person = self._numbers.get(("creators", name))
            if person is None:
                person = self._numbers["creators", name] = len(self._numbers) + 1
                self._run("INSERT INTO creators VALUES (?, ?, ?, ?)", (person, *name))
            kind = self._number("creatorTypes", creator["creatorType"])
            self._run("INSERT INTO itemCreators VALUES (?, ?, ?, ?)", (number, person, kind, place))

    def _kind(self, number: int, item: Mapping[str, Any], parent: int | None) -> None:
        if item["itemType"] == "attachment":
            mode = LINK_MODES.index(item["linkMode"])
            name = item.get("filename")
            path = item.get("path") if mode == 2 else name and f"storage:{name}"
            self._run(
                "INSERT INTO itemAttachments (itemID, parentItemID, linkMode, contentType, path, "
                "storageHash) VALUES (?, ?, ?, ?, ?, ?)",
                (number, parent, mode, item.get("contentType"), path, item.get("md5")),
            )
        elif item["itemType"] == "note":
            note = f'<div class="zotero-note znv1">{item.get("note", "")}</div>'
            self._run("INSERT INTO itemNotes VALUES (?, ?, ?, ?)", (number, parent, note, "title"))
        elif item["itemType"] == "annotation":
            names = ("AuthorName", "Text", "Comment", "Color", "PageLabel")
            said = [item.get(f"annotation{name}") for name in names]
            kind = ANNOTATION_TYPES.index(item["annotationType"])
            place = [item.get(f"annotation{name}", "") for name in ("SortIndex", "Position")]
            row = (number, parent, kind, *said, *place, 0)
            self._run(f"INSERT INTO itemAnnotations VALUES ({', '.join('?' * 11)})", row)

    def _number(self, table: str, name: Any) -> int:
        """The number of a name in a table of names, which is added if need be."""
        number = self._numbers.get((table, name))
        if number is None:
            number = self._numbers[table, name] = len(self._numbers) + 1
            rest = {"itemTypes": ", NULL, 1", "fields": ", NULL"}.get(table, "")
            self._run(f"INSERT INTO {table} VALUES (?, ?{rest})", (number, name))
            if table == "itemTypes":
                self._run("INSERT INTO itemTypesCombined VALUES (?, ?, 1, 0)", (number, name))
            elif table == "fields":
                self._run("INSERT INTO fieldsCombined VALUES (?, ?, NULL, NULL, 0)", (number, name))
        return number


def _sql_time(value: Any) -> str:
    return str(value or "2024-01-01T00:00:00Z").replace("T", " ").removesuffix("Z")


def _multipart(date: str) -> str:
    """``2014-12-00 2014-12``: how Zotero keeps dates."""
    parts = date[:10].split("-") if date[:4].isdigit() else ["0000"]
    year, month, day = (*parts, "00", "00")[:3]
    return f"{year:0>4}-{month:0>2}-{day:0>2} {date}"


_LETTERS = "23456789ABCDEFGHIJKLMNPQRSTUVWXZ"  # those that Zotero makes keys of


def key(number: int, first: str = "K") -> str:
    """A Zotero key of eight letters and digits."""
    letters = ""
    for _ in range(7):
        number, rest = divmod(number, len(_LETTERS))
        letters = _LETTERS[rest] + letters
    return first + letters


def work(number: int, **fields: Any) -> Raw:
    """An article as the web API has it."""
    return {
        "key": key(number, "W"),
        "version": number,
        "itemType": "journalArticle",
        "title": f"On the winter ecology of ponds, part {number}",
        "creators": [
            {"creatorType": "author", "firstName": "Ann", "lastName": f"Smith{number % 997}"},
            {"creatorType": "author", "name": "Institute of Ponds"},
        ],
        "date": f"{1950 + number % 75}-0{1 + number % 9}",
        "publicationTitle": f"Journal of Ponds {number % 50}",
        "volume": str(number % 90),
        "DOI": f"10.1234/ponds.{number}",
        "dateAdded": f"20{10 + number % 15}-01-01T00:00:00Z",
        "dateModified": "2024-06-01T00:00:00Z",
        **fields,
    }


def attachment(number: int, parent: str | None, **fields: Any) -> Raw:
    raw = {
        "key": key(number, "F"),
        "version": number,
        "itemType": "attachment",
        "title": "PDF",
        "linkMode": "imported_file",
        "filename": f"paper {number}.pdf",
        "contentType": "application/pdf",
        "dateAdded": "2024-01-01T00:00:00Z",
        "dateModified": "2024-06-01T00:00:00Z",
        **fields,
    }
    return raw if parent is None else {**raw, "parentItem": parent}


def note(number: int, parent: str | None, text: str, **fields: Any) -> Raw:
    raw = {
        "key": key(number, "N"),
        "version": number,
        "itemType": "note",
        "note": text,
        "dateAdded": "2024-01-01T00:00:00Z",
        "dateModified": "2024-06-01T00:00:00Z",
        **fields,
    }
    return raw if parent is None else {**raw, "parentItem": parent}


def annotation(number: int, parent: str, **fields: Any) -> Raw:
    return {
        "key": key(number, "A"),
        "version": number,
        "itemType": "annotation",
        "parentItem": parent,
        "annotationType": "highlight",
        "annotationText": f"what stands on page {number % 9 + 1}",
        "annotationColor": "#ffd400",
        "annotationPageLabel": str(number % 9 + 1),
        "annotationSortIndex": "00000|000000|00069",
        "annotationPosition": f'{{"pageIndex":{number % 9},"rects":[[50,700,300,712]]}}',
        "dateAdded": "2024-01-01T00:00:00Z",
        "dateModified": "2024-06-01T00:00:00Z",
        **fields,
    }


def many(items: int, library: LibraryRef | None = None) -> RawLibrary:
    """``items`` works, each with a stored PDF and an abstract; every third has an annotation,
    every fifth a note; 100 collections in two levels, 200 tags."""
    collections: list[Raw] = [
        {"key": key(n, "C"), "name": f"Subject {n}",
         "parentCollection": key(n // 10 * 10, "C") if n % 10 else False}
        for n in range(100)
    ]  # fmt: skip
    found: list[Raw] = []
    for number in range(items):
        entry = work(
            number,
            abstractNote=f"Ponds freeze from above; part {number}. " * 20,
            tags=[{"tag": f"tag {number % 200}"}, {"tag": "ponds", "type": 1}],
            collections=[key(number % 100, "C")],
            citationKey=f"smith{number}",
        )
        pdf = attachment(number, entry["key"])
        found += [entry, pdf]
        if number % 3 == 0:
            found.append(annotation(number, pdf["key"]))
        if number % 5 == 0:
            found.append(note(number, entry["key"], f"<p>Read this, {number}.</p>"))
    return RawLibrary(library or LibraryRef(version=items), found, collections)
