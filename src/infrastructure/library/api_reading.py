"""Consistent reading of a library at one version: incremental from a cache, or complete."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from citeloom.domain.library import LibraryRef
from citeloom.infrastructure.system.files import atomic_path, remove_leftovers
from citeloom.infrastructure.system.http_client import NotAnswered, NotModified
from citeloom.infrastructure.system.workspace import make_folder

from .api_client import Listing, ZoteroAccount


@contextmanager
def cached_file(path: Path) -> Iterator[Path]:
    """A temporary path to write, which replaces ``path`` on success; its folder is made if need
    be. Raises StorageFailed."""
    remove_leftovers(make_folder(path.parent))
    with atomic_path(path) as temporary:
        yield temporary


# Version of the file format; files of other versions are ignored.
_FORMAT = 1


@dataclass(frozen=True)
class CachedLibrary:
    """All objects of a library at ``version``, by key, including the trash."""

    version: int
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)


class LibraryCache:
    """One file for each library in ``folder``. ``origin`` identifies the server, account and rights
    of the key; entries of another origin are ignored."""

    def __init__(self, folder: Path, origin: str) -> None:
        self._folder = folder
        self._origin = hashlib.sha256(origin.encode()).hexdigest()
        self._name = re.sub(r"[^a-z0-9]+", "-", origin.partition("\n")[0].lower()).strip("-")

    def load(self, library: LibraryRef) -> CachedLibrary | None:
        """None if nothing usable is cached."""
        try:
            content = orjson.loads(self.path(library).read_bytes())
            if content["format"] != _FORMAT or content["origin"] != self._origin:
                return None
            items, collections = content["items"], content["collections"]
            if hashlib.sha256(_bytes(items, collections)).hexdigest() != content["sha256"]:
                return None
            return CachedLibrary(int(content["version"]), items, collections)
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            return None

    def store(self, library: LibraryRef, cached: CachedLibrary) -> None:
        """Raises StorageFailed."""
        path = self.path(library)
        content = orjson.dumps(
            {
                "format": _FORMAT,
                "origin": self._origin,
                "library": library.path,
                "version": cached.version,
                "sha256": hashlib.sha256(_bytes(cached.items, cached.collections)).hexdigest(),
                "items": cached.items,
                "collections": cached.collections,
            }
        )
        with cached_file(path) as temporary:
            temporary.write_bytes(content)

    def path(self, library: LibraryRef) -> Path:
        return self._folder / f"{self._name}-{library.path.replace('/', '-')}.json"


def _bytes(items: dict[str, Any], collections: dict[str, Any]) -> bytes:
    return orjson.dumps([items, collections])


_ATTEMPTS = 2
_CHANGED = "it changed while it was read"


@dataclass(frozen=True)
class LibraryReading:
    """``incomplete`` is the reason why it is not the whole library at ``content.version``."""

    content: CachedLibrary
    incomplete: str | None = None


@dataclass(frozen=True, slots=True)
class LibraryReader:
    """Reads the libraries of one account, without ``cache`` completely each time. Deletions are
    requested where the server lists them (``lists_deletions``), otherwise all keys."""

    account: ZoteroAccount
    cache: LibraryCache | None
    lists_deletions: bool

    def cached(self, library: LibraryRef) -> CachedLibrary | None:
        return self.cache.load(library) if self.cache else None

    def read(self, library: LibraryRef) -> LibraryReading:
        """The library as it is now. A failed reading keeps the cache and returns it, or, where
        nothing is cached, the part that was read. Raises NotAnswered if nothing was read."""
        cached = self.cached(library)
        if cached and cached.version:
            return self._read_changes(library, cached)
        return self._read_completely(library)

    def _read_changes(self, library: LibraryRef, cached: CachedLibrary) -> LibraryReading:
        reason = _CHANGED
        for _ in range(_ATTEMPTS):
            try:
                updated = self._with_changes(library, cached)
            except NotModified:
                return LibraryReading(cached)
            except _Changed:
                continue
            except _Interrupted as error:
                reason = str(error)
                break
            if updated is None:
                return self._read_completely(library, cached)
            return self._store(library, updated)
        return _cached_reading(cached, reason)

    def _with_changes(self, library: LibraryRef, cached: CachedLibrary) -> CachedLibrary | None:
        """The cached library with its changes applied; None if the result is inconsistent with the
        server. The first request raises NotAnswered, later ones _Interrupted."""
        changed = self.account.items(library, since=cached.version)
        try:
            _check(changed)
            return self._apply_changes(library, cached, changed)
        except NotAnswered as error:
            raise _Interrupted(str(error)) from error

    def _apply_changes(
        self, library: LibraryRef, cached: CachedLibrary, changed: Listing
    ) -> CachedLibrary | None:
        account, version = self.account, changed.version
        if version < cached.version:
            return None
        items = cached.items | changed.objects
        if self.lists_deletions:
            deletions = account.deleted(library, cached.version)
            _check(deletions, version)
            for key in deletions.objects["deleted"].get("items", ()):
                if key not in changed.objects:
                    items.pop(key, None)
            if len(items) != account.count(library, includeTrashed=1):
                return None
        else:
            versions = account.item_versions(library)
            _check(versions, version)
            items = {key: item for key, item in items.items() if key in versions.objects}
            if _versions(items) != _versions(versions.objects):
                return None
        collections = self._collections(library, cached, version)
        return None if collections is None else CachedLibrary(version, items, collections)

    def _collections(
        self, library: LibraryRef, cached: CachedLibrary, version: int
    ) -> dict[str, dict[str, Any]] | None:
        versions = self.account.collection_versions(library)
        _check(versions, version)
        collections = cached.collections
        if _versions(versions.objects) != _versions(collections):
            changed = self.account.collections(library, since=cached.version)
            _check(changed, version)
            collections = {
                key: one
                for key, one in (collections | changed.objects).items()
                if key in versions.objects
            }
        return collections if _versions(versions.objects) == _versions(collections) else None

    def _read_completely(
        self, library: LibraryRef, cached: CachedLibrary | None = None
    ) -> LibraryReading:
        best: LibraryReading | None = None
        for _ in range(_ATTEMPTS):
            try:
                reading, retry = self._attempt(library)
            except NotAnswered as error:
                if best is None and cached is None:
                    raise
                best = best or LibraryReading(CachedLibrary(0), str(error))
                break
            if reading.incomplete is None:
                return self._store(library, reading.content)
            if best is None or len(reading.content.items) >= len(best.content.items):
                best = reading
            if not retry:
                break
        assert best is not None
        return _cached_reading(cached, best.incomplete or _CHANGED) if cached else best

    def _attempt(self, library: LibraryRef) -> tuple[LibraryReading, bool]:
        """A reading, and whether another attempt may be more complete."""
        items = self.account.items(library)
        received = CachedLibrary(items.version, items.objects)
        if items.incomplete:
            return LibraryReading(received, items.incomplete), items.changed
        try:
            collections = self.account.collections(library)
            _check(collections, items.version)
        except _Changed:
            return LibraryReading(received, _CHANGED), True
        except (NotAnswered, _Interrupted) as error:
            return LibraryReading(received, f"collections: {error}"), False
        return LibraryReading(
            CachedLibrary(items.version, items.objects, collections.objects)
        ), False

    def _store(self, library: LibraryRef, content: CachedLibrary) -> LibraryReading:
        if self.cache:
            self.cache.store(library, content)
        return LibraryReading(content)


class _Changed(Exception):
    """The library changed during the reading."""


class _Interrupted(Exception):
    """A reading was interrupted; ``str`` is the reason."""


def _check(pages: Listing, version: int | None = None) -> None:
    if pages.changed or version not in (None, pages.version):
        raise _Changed
    if pages.incomplete:
        raise _Interrupted(pages.incomplete)


def _cached_reading(cached: CachedLibrary, reason: str) -> LibraryReading:
    return LibraryReading(cached, f"{reason}; shown as it was at version {cached.version}")


def _versions(objects: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {key: one.get("version") for key, one in objects.items()}
