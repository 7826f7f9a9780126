"""Cached libraries on disk, so that only changes are requested."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from citeloom.domain.library.snapshot import LibraryRef
from citeloom.infrastructure.library.cached_files import cached_file

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
