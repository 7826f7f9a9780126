"""Better BibTeX's citation keys, remembered for when it does not answer.

Zotero may be closed the next time: without its keys items would go by others for that long.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from citeloom.domain.library.snapshot import LibraryRef
from citeloom.infrastructure.library.atomic_writer import Whole
from citeloom.infrastructure.library.better_bibtex.rpc import BetterBibTeX
from citeloom.infrastructure.library.http_client import NotAnswered

_FORMAT = 1

Keys = dict[LibraryRef, dict[str, str]]


@dataclass(frozen=True)
class RememberedKeys:
    """``path`` holds what ``asked`` said last, by library and item."""

    asked: BetterBibTeX
    path: Path
    whole: Whole

    def keys(self, items: Mapping[LibraryRef, Sequence[str]]) -> tuple[Keys, NotAnswered | None]:
        """Keys of ``items`` as they are now, or, with the reason, as they were when Better
        BibTeX last answered. Raises StorageFailed."""
        known = self._known()
        try:
            found = self.asked.keys(items)
        except NotAnswered as error:
            return {
                library: {
                    key: known[library.path][key]
                    for key in wanted
                    if key in known.get(library.path, {})
                }
                for library, wanted in items.items()
            }, error
        now = known | {library.path: keys for library, keys in found.items()}
        if now != known:
            content = orjson.dumps({"format": _FORMAT, "keys": now})
            with self.whole(self.path) as temporary:
                temporary.write_bytes(content)
        return found, None

    def _known(self) -> dict[str, dict[str, str]]:
        try:
            kept = orjson.loads(self.path.read_bytes())
            return dict(kept["keys"]) if kept["format"] == _FORMAT else {}
        except (OSError, orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            return {}
