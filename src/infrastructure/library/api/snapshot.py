"""A whole library at one version: from what is held and what changed since, or anew."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citeloom.domain.library.snapshot import LibraryRef
from citeloom.infrastructure.library.api.account import Listing, ZoteroAccount
from citeloom.infrastructure.library.api.cache import CachedLibrary, LibraryCache
from citeloom.infrastructure.library.http_client import NotAnswered, NotModified

_AS_OFTEN = 2
_CHANGED = "it changed while it was read"


@dataclass(frozen=True)
class LibraryReading:
    """``incomplete`` says why it is not the whole library at ``holding.version``."""

    holding: CachedLibrary
    incomplete: str | None = None


class LibraryReader:
    """Reads libraries of one account. Without ``holdings`` each time anew. Where the server
    lists what was deleted (``lists_deletions``), that is asked for, else all keys."""

    def __init__(
        self, account: ZoteroAccount, holdings: LibraryCache | None, *, lists_deletions: bool
    ) -> None:
        self._account = account
        self._holdings = holdings
        self._lists_deletions = lists_deletions

    def held(self, library: LibraryRef) -> CachedLibrary | None:
        return self._holdings.of(library) if self._holdings else None

    def read(self, library: LibraryRef) -> LibraryReading:
        """The library as it is now. A reading that failed on the way leaves what is held as
        it was, and gives that, or, where nothing is held, the part that came. Raises
        NotAnswered if nothing came at all."""
        held = self.held(library)
        if held and held.version:
            return self._updated(library, held)
        return self._anew(library)

    def _updated(self, library: LibraryRef, held: CachedLibrary) -> LibraryReading:
        reason = _CHANGED
        for _ in range(_AS_OFTEN):
            try:
                updated = self._changes(library, held)
            except NotModified:
                return LibraryReading(held)
            except _Moved:
                continue
            except _Broken as error:
                reason = str(error)
                break
            if updated is None:
                return self._anew(library, held)
            return self._kept(library, updated)
        return _as_it_was(held, reason)

    def _changes(self, library: LibraryRef, held: CachedLibrary) -> CachedLibrary | None:
        """What is held, with what changed since; None if that does not add up to what there
        is now. The first request raises NotAnswered, later ones _Broken."""
        changed = self._account.items(library, since=held.version)
        try:
            _check(changed)
            return self._put_together(library, held, changed)
        except NotAnswered as error:
            raise _Broken(str(error)) from error

    def _put_together(
        self, library: LibraryRef, held: CachedLibrary, changed: Listing
    ) -> CachedLibrary | None:
        account, version = self._account, changed.version
        if version < held.version:
            return None
        items = held.items | changed.objects
        if self._lists_deletions:
            gone = account.deleted(library, held.version)
            _check(gone, version)
            for key in gone.objects["deleted"].get("items", ()):
                if key not in changed.objects:
                    items.pop(key, None)
            if len(items) != account.count(library, includeTrashed=1):
                return None
        else:
            there = account.item_versions(library)
            _check(there, version)
            items = {key: item for key, item in items.items() if key in there.objects}
            if _versions(items) != _versions(there.objects):
                return None
        collections = self._collections(library, held, version)
        return None if collections is None else CachedLibrary(version, items, collections)

    def _collections(
        self, library: LibraryRef, held: CachedLibrary, version: int
    ) -> dict[str, dict[str, Any]] | None:
        there = self._account.collection_versions(library)
        _check(there, version)
        collections = held.collections
        if _versions(there.objects) != _versions(collections):
            changed = self._account.collections(library, since=held.version)
            _check(changed, version)
            collections = {
                key: one
                for key, one in (collections | changed.objects).items()
                if key in there.objects
            }
        return collections if _versions(there.objects) == _versions(collections) else None

    def _anew(self, library: LibraryRef, held: CachedLibrary | None = None) -> LibraryReading:
        best: LibraryReading | None = None
        for _ in range(_AS_OFTEN):
            try:
                reading, again = self._whole(library)
            except NotAnswered as error:
                if best is None and held is None:
                    raise
                best = best or LibraryReading(CachedLibrary(0), str(error))
                break
            if reading.incomplete is None:
                return self._kept(library, reading.holding)
            if best is None or len(reading.holding.items) >= len(best.holding.items):
                best = reading
            if not again:
                break
        assert best is not None
        return _as_it_was(held, best.incomplete or _CHANGED) if held else best

    def _whole(self, library: LibraryRef) -> tuple[LibraryReading, bool]:
        """A reading, and whether another one may give more."""
        items = self._account.items(library)
        came = CachedLibrary(items.version, items.objects)
        if items.missing:
            return LibraryReading(came, items.missing), items.moved
        try:
            collections = self._account.collections(library)
            _check(collections, items.version)
        except _Moved:
            return LibraryReading(came, _CHANGED), True
        except (NotAnswered, _Broken) as error:
            return LibraryReading(came, f"collections: {error}"), False
        return LibraryReading(
            CachedLibrary(items.version, items.objects, collections.objects)
        ), False

    def _kept(self, library: LibraryRef, holding: CachedLibrary) -> LibraryReading:
        if self._holdings:
            self._holdings.keep(library, holding)
        return LibraryReading(holding)


class _Moved(Exception):
    """The library changed while it was read."""


class _Broken(Exception):
    """A reading ended in its middle; ``str`` is the reason."""


def _check(pages: Listing, version: int | None = None) -> None:
    if pages.moved or version not in (None, pages.version):
        raise _Moved
    if pages.missing:
        raise _Broken(pages.missing)


def _as_it_was(held: CachedLibrary, reason: str) -> LibraryReading:
    return LibraryReading(held, f"{reason}; shown as it was at version {held.version}")


def _versions(objects: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {key: one.get("version") for key, one in objects.items()}
