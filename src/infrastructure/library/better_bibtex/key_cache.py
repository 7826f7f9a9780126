"""Cache of Better BibTeX's citation keys, for times when it does not answer.

Otherwise items would get other keys whenever Zotero is closed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from citeloom.domain.library.snapshot import LibraryRef
from citeloom.infrastructure.library.better_bibtex.rpc import BetterBibTeX
from citeloom.infrastructure.library.cached_files import cached_file
from citeloom.infrastructure.library.http_client import NotAnswered

_FORMAT = 1

Keys = dict[LibraryRef, dict[str, str]]


@dataclass(frozen=True)
class CitationKeyCache:
    """``path`` has the last answer of ``source``, by library and item."""

    source: BetterBibTeX
    path: Path

    def keys(self, items: Mapping[LibraryRef, Sequence[str]]) -> tuple[Keys, NotAnswered | None]:
        """Current keys of ``items``; if Better BibTeX does not answer, the cached keys and the
        error. Raises StorageFailed."""
        cached = self._load()
        try:
            current = self.source.keys(items)
        except NotAnswered as error:
            return {
                library: {
                    key: cached[library.path][key]
                    for key in item_keys
                    if key in cached.get(library.path, {})
                }
                for library, item_keys in items.items()
            }, error
        updated = cached | {library.path: keys for library, keys in current.items()}
        if updated != cached:
            content = orjson.dumps({"format": _FORMAT, "keys": updated})
            with cached_file(self.path) as temporary:
                temporary.write_bytes(content)
        return current, None

    def _load(self) -> dict[str, dict[str, str]]:
        try:
            content = orjson.loads(self.path.read_bytes())
            return dict(content["keys"]) if content["format"] == _FORMAT else {}
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            return {}
