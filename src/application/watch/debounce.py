"""Debouncing of file changes: files are read once they are no longer being written."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.ingest import SourceFiles


@dataclass(slots=True)
class _Change:
    """Times of the first and last report of a change, and the file's stamp at the latter."""

    first: float
    last: float
    stamp: SourceStamp | None


class Debouncer:
    """Pending changes by path. A file is settled when its stamp (None: deleted) has not changed
    for ``settle`` seconds, or ``patience`` seconds after the first change."""

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
        """The next time at which a file may be settled; None without pending changes."""
        return min(map(self._ends, self._changes.values()), default=None)

    def settled_files(self, now: float) -> Mapping[str, SourceStamp | None]:
        """Settled files with their stamps; they stay pending until they are dropped."""
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
        distinct = list(dict.fromkeys(paths))
        stamps = self._files.stamps(distinct)
        return {path: stamps.get(path) for path in distinct}
