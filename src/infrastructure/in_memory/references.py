"""Reference libraries that are held in memory: for tests and for embedding the product."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.references.citation_keys import collect


class MemoryReferenceReader:
    """Gives the items that were put under a path, read by the same rules as a file."""

    def __init__(self) -> None:
        self._libraries: dict[Path, list[Any]] = {}

    def put(self, path: Path, items: Sequence[Mapping[str, Any]]) -> None:
        """Make ``items`` (CSL-JSON or Zotero) what ``path`` holds from now on."""
        self._libraries[path] = list(items)

    def read(self, path: Path) -> ReferenceLibrary:
        items = self._libraries.get(path)
        if items is None:
            raise ReferencesUnreadable(f"{path.name}: no such file; check the path", path=str(path))
        library = collect(items, None, folder=path.parent)
        return ReferenceLibrary(
            source=str(path),
            fingerprint=hashlib.sha256(json.dumps(items).encode()).hexdigest(),
            items=library.items,
            attachments=library.attachments,
            warnings=library.warnings,
        )
