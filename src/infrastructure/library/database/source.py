"""Zotero's database on this machine as a library: read from a copy, Zotero running or not."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from citeloom.application.ports.library import LibraryStatus
from citeloom.domain.errors import LibraryUnavailable
from citeloom.domain.library.snapshot import (
    LibraryAttachment,
    LibraryItem,
    LibraryScope,
    LibrarySnapshot,
)
from citeloom.infrastructure.library.better_bibtex.store import StoredKeys, stored_keys
from citeloom.infrastructure.library.database.locations import ZoteroPlace
from citeloom.infrastructure.library.database.rows import (
    LibraryRows,
    Tables,
    libraries_in,
    shelves,
    structure,
)
from citeloom.infrastructure.library.database_copy import copied
from citeloom.infrastructure.library.scope import chosen_libraries
from citeloom.infrastructure.library.snapshot import RawLibrary, assemble, count, uncollected

_NAMED = 5


class ZoteroDatabase:
    """The library in a ``zotero.sqlite`` of Zotero 6 to 10 (5 as well), of which nothing is
    opened, locked or written to: each call reads a copy of its own.

    ``state`` is a digest of the bytes of the database, its log, Better BibTeX's store, and
    the folders that files are looked for in: each local edit changes it, synced or not. A
    write of Zotero that has nothing to do with items does so too; digests of the items then
    tell that nothing happened.
    """

    name = "zotero.sqlite"
    asks_network = False

    def __init__(self, place: ZoteroPlace) -> None:
        self._place = place

    def status(self) -> LibraryStatus:
        keys = stored_keys(self._data_dir)
        with copied(self._place.database, self.name) as copy:
            tables = self._tables(copy.connection)
            libraries = libraries_in(tables)
            raw = zip(libraries.values(), structure(tables, libraries), strict=True)
            counts = count([RawLibrary(library, items) for library, items in raw])
            return LibraryStatus(
                name=self.name,
                place=str(self._place.database),
                state=self._state(copy.state, keys),
                libraries=tuple(libraries.values()),
                **counts._asdict(),
            )

    def snapshot(self, scope: LibraryScope) -> LibrarySnapshot:
        keys = stored_keys(self._data_dir)
        with uncollected(), copied(self._place.database, self.name) as copy:
            tables = self._tables(copy.connection)
            libraries = libraries_in(tables)
            chosen = chosen_libraries(libraries.values(), scope)
            wanted = {number: found for number, found in libraries.items() if found in chosen}
            read = shelves(tables, wanted)
            state = self._state(copy.state, keys)
        read.sort(key=lambda shelf: chosen.index(shelf.library))
        raw = [
            RawLibrary(
                shelf.library,
                shelf.items,
                shelf.collections,
                keys.keys.get(shelf.number, {}),
                self._place.files,
            )
            for shelf in read
        ]
        found = assemble(raw, scope)
        return LibrarySnapshot(
            source=self.name,
            state=state,
            scope=scope,
            complete=True,
            libraries=chosen,
            **{
                **found._asdict(),
                "warnings": (*found.warnings, *_retracted(read, found.items)),
            },
        )

    def file(self, attachment: LibraryAttachment) -> Path | None:
        path = Path(attachment.path) if attachment.path else None
        try:
            return path if path and path.is_file() else None
        except OSError:
            return None

    def close(self) -> None:
        """Nothing is held between calls."""

    @property
    def _data_dir(self) -> Path:
        return self._place.database.parent

    def _tables(self, connection: sqlite3.Connection) -> Tables:
        tables = Tables(connection)
        if missing := tables.missing:
            raise LibraryUnavailable(
                f"{self.name}: {self._place.database} is a database, but no library of Zotero 5 "
                f"or later (without {', '.join(missing)}); name Zotero's data directory",
                database=str(self._place.database),
                missing=missing,
            )
        return tables

    def _state(self, database: str, keys: StoredKeys) -> str:
        parts = (database, keys.state, str(self._place.files))
        return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def _retracted(read: Iterable[LibraryRows], items: Iterable[LibraryItem]) -> Iterator[str]:
    """Items that Zotero marks as retracted: they stay, and it is said."""
    marked = {(shelf.library, key) for shelf in read for key in shelf.retracted}
    found = [item for item in items if (item.library, item.key) in marked]
    if found:
        shown = ", ".join(item.citation.citekey for item in found[:_NAMED])
        more = ", …" if len(found) > _NAMED else ""
        yield f"{len(found)} retracted by Zotero's records: {shown}{more}; check before citing"
