"""Better BibTeX's store of citation keys beside Zotero's database.

Better BibTeX for Zotero 8 moved the keys into Zotero's own field and renamed the file to
``better-bibtex.migrated``. Before, they were in ``better-bibtex.sqlite``: in a table
``citationkey``, earlier as JSON in a table ``better-bibtex``.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from citeloom.domain.errors import LibraryUnavailable
from citeloom.infrastructure.library.database_copy import open_copy

NAME = "better-bibtex.sqlite"


class StoredKeys(NamedTuple):
    """Citation keys by item key, by the library's number in Zotero's database."""

    keys: dict[int, dict[str, str]]
    state: str


def stored_keys(data_dir: Path) -> StoredKeys:
    """The keys in ``data_dir``; none if there is no store.

    Raises LibraryUnavailable if it cannot be read: without the store every item would get another
    key.
    """
    path = data_dir / NAME
    if not path.is_file():
        return StoredKeys({}, "")
    keys: dict[int, dict[str, str]] = {}
    try:
        with open_copy(path, "Better BibTeX") as copy:
            for library, item, key in _rows(copy.connection):
                if isinstance(library, int) and isinstance(item, str) and isinstance(key, str):
                    keys.setdefault(library, {})[item] = key
            return StoredKeys(keys, copy.state)
    except LibraryUnavailable as error:
        raise LibraryUnavailable(
            f"{error.message}; or move {path} away: its citation keys are then not used",
            **error.details,
        ) from error


def _rows(connection: sqlite3.Connection) -> Iterator[tuple[Any, Any, Any]]:
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if "citationkey" in tables:
        yield from connection.execute("SELECT libraryID, itemKey, citationKey FROM citationkey")
    elif "better-bibtex" in tables:
        query = "SELECT data FROM \"better-bibtex\" WHERE name = 'better-bibtex.citekey'"
        for (text,) in connection.execute(query):
            yield from _from_json(text)


def _from_json(text: Any) -> Iterator[tuple[Any, Any, Any]]:
    try:
        rows = json.loads(text)["data"]
    except (ValueError, TypeError, KeyError):
        return
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            yield row.get("libraryID"), row.get("itemKey"), row.get("citekey")
