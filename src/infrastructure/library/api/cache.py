"""What was read of a library is kept on disk, so that only changes have to be asked for."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from citeloom.domain.library.snapshot import LibraryRef
from citeloom.infrastructure.library.atomic_writer import Whole

# Counts up with each change of the file's shape; files of other shapes are read anew.
_FORMAT = 1


@dataclass(frozen=True)
class CachedLibrary:
    """All objects of a library at ``version``, by key, those in the bin included."""

    version: int
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    collections: dict[str, dict[str, Any]] = field(default_factory=dict)


class LibraryCache:
    """One file a library below ``folder``. ``origin`` names what versions and contents belong
    to (a server, an account, a key's rights): what another one gave is not taken up."""

    def __init__(self, folder: Path, origin: str, whole: Whole) -> None:
        self._folder, self._whole = folder, whole
        self._origin = hashlib.sha256(origin.encode()).hexdigest()
        self._name = re.sub(r"[^a-z0-9]+", "-", origin.partition("\n")[0].lower()).strip("-")

    def of(self, library: LibraryRef) -> CachedLibrary | None:
        """None if nothing is held, or nothing that can be used."""
        try:
            kept = orjson.loads(self.path(library).read_bytes())
            if kept["format"] != _FORMAT or kept["origin"] != self._origin:
                return None
            items, collections = kept["items"], kept["collections"]
            if hashlib.sha256(_bytes(items, collections)).hexdigest() != kept["sha256"]:
                return None
            return CachedLibrary(int(kept["version"]), items, collections)
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            return None

    def keep(self, library: LibraryRef, holding: CachedLibrary) -> None:
        """Raises StorageFailed."""
        path = self.path(library)
        content = orjson.dumps(
            {
                "format": _FORMAT,
                "origin": self._origin,
                "library": library.path,
                "version": holding.version,
                "sha256": hashlib.sha256(_bytes(holding.items, holding.collections)).hexdigest(),
                "items": holding.items,
                "collections": holding.collections,
            }
        )
        with self._whole(path) as temporary:
            temporary.write_bytes(content)

    def path(self, library: LibraryRef) -> Path:
        return self._folder / f"{self._name}-{library.path.replace('/', '-')}.json"


def _bytes(items: dict[str, Any], collections: dict[str, Any]) -> bytes:
    return orjson.dumps([items, collections])
