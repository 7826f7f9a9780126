"""Letting files come to rest: what is still being written is left alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.ingest import SourceFiles


@dataclass(slots=True)
class _Change:
    """When it was first and last told, and what the file looked like then."""

    first: float
    last: float
    stamp: SourceStamp | None


class Unrest:
    """Paths that changed and were not dealt with yet. A file has come to rest when neither
    its size nor its time has changed for ``settle`` seconds (None: gone), or when
    ``patience`` seconds have passed."""

    def __init__(self, files: SourceFiles, settle: float, patience: float = float("inf")) -> None:
        self._files = files
        self._settle = settle
        self._patience = patience
        self._changes: dict[str, _Change] = {}

    def note(self, paths: Iterable[Path], now: float) -> None:
        stamps = self._stamps(map(str, paths))
        for path, stamp in stamps.items():
            first = self._changes[path].first if path in self._changes else now
            self._changes[path] = _Change(first, now, stamp)

    def due(self) -> float | None:
        """The next moment at which something may have come to rest."""
        return min(map(self._ends, self._changes.values()), default=None)

    def rested(self, now: float) -> Mapping[str, SourceStamp | None]:
        """What has come to rest, as it is; it stays until it is dropped."""
        ripe = {path: one for path, one in self._changes.items() if self._ends(one) <= now}
        stamps = self._stamps(ripe)
        for path, change in ripe.items():
            if stamps[path] != change.stamp and now < change.first + self._patience:
                change.last, change.stamp = now, stamps[path]
                del stamps[path]
        return stamps

    def drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._changes.pop(path, None)

    def _ends(self, change: _Change) -> float:
        return min(change.last + self._settle, change.first + self._patience)

    def _stamps(self, paths: Iterable[str]) -> dict[str, SourceStamp | None]:
        wanted = list(dict.fromkeys(paths))
        found = self._files.stamps(wanted)
        return {path: found.get(path) for path in wanted}
