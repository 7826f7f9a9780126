"""Library source over Zotero's database, read from a copy while Zotero runs or not."""

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
from citeloom.infrastructure.library.database.locations import ZoteroLocation
from citeloom.infrastructure.library.database.rows import (
    LibraryRows,
    Tables,
    libraries_in,
    library_rows,
    library_structure,
)
from citeloom.infrastructure.library.database_copy import open_copy
from citeloom.infrastructure.library.scope import chosen_libraries
from citeloom.infrastructure.library.snapshot import RawLibrary, assemble, count, without_gc

_MAX_SHOWN = 5


class ZoteroDatabase:
    """The library in a ``zotero.sqlite`` of Zotero 5 to 10. The database is never opened, locked or
    written to: each call reads a new copy.

    ``state`` is a digest of the bytes of the database, its log, Better BibTeX's store, and the
    attachment folders: every local edit changes it, synced or not. So does a write of Zotero that
    changes no item; the digests of the items are unchanged then.
    """

    name = "zotero.sqlite"
    asks_network = False

    def __init__(self, place: ZoteroLocation) -> None:
        self._place = place

    def status(self) -> LibraryStatus:
        keys = stored_keys(self._data_dir)
        with open_copy(self._place.database, self.name) as copy:
            tables = self._tables(copy.connection)
            libraries = libraries_in(tables)
            raw = zip(libraries.values(), library_structure(tables, libraries), strict=True)
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
        with without_gc(), open_copy(self._place.database, self.name) as copy:
            tables = self._tables(copy.connection)
            libraries = libraries_in(tables)
            chosen = chosen_libraries(libraries.values(), scope)
            chosen_numbers = {
                number: library for number, library in libraries.items() if library in chosen
            }
            read_libraries = library_rows(tables, chosen_numbers)
            state = self._state(copy.state, keys)
        read_libraries.sort(key=lambda rows: chosen.index(rows.library))
        raw = [
            RawLibrary(
                rows.library,
                rows.items,
                rows.collections,
                keys.keys.get(rows.number, {}),
                self._place.files,
            )
            for rows in read_libraries
        ]
        parts = assemble(raw, scope)
        return LibrarySnapshot(
            source=self.name,
            state=state,
            scope=scope,
            complete=True,
            libraries=chosen,
            **{
                **parts._asdict(),
                "warnings": (*parts.warnings, *_retracted(read_libraries, parts.items)),
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


def _retracted(libraries: Iterable[LibraryRows], items: Iterable[LibraryItem]) -> Iterator[str]:
    """A warning about items that Zotero marks as retracted; they are kept."""
    retracted = {(rows.library, key) for rows in libraries for key in rows.retracted}
    flagged = [item for item in items if (item.library, item.key) in retracted]
    if flagged:
        citekeys = ", ".join(item.citation.citekey for item in flagged[:_MAX_SHOWN])
        more = ", …" if len(flagged) > _MAX_SHOWN else ""
        yield f"{len(flagged)} retracted by Zotero's records: {citekeys}{more}; check before citing"
