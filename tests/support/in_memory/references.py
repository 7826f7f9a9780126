"""In-memory adapter of port ``ReferenceReader``."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from citeloom.application.ports.citation import ReferenceLibrary
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.errors import ReferencesUnreadable
from citeloom.infrastructure.references.citation_keys import collect
from citeloom.infrastructure.references.formats.csl import meta_from_csl


class InMemoryReferenceReader:
    """Items registered under a path, read by the rules of a file."""

    suffixes = frozenset({".json"})

    def __init__(self) -> None:
        self._libraries: dict[Path, list[Any]] = {}

    def put(self, path: Path, items: Sequence[Mapping[str, Any]]) -> None:
        """Register ``items`` (CSL-JSON or Zotero) as the content of ``path``."""
        self._libraries[path] = list(items)

    def item(self, item: Mapping[str, Any], citekey: str) -> CitationMeta:
        return meta_from_csl(item, citekey)

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
