"""Keeping in step with files and folders."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.watch.debounce import Unrest
from citeloom.application.watch.events import Outcome, Teller
from citeloom.application.watch.job import WatchJob, Work
from citeloom.application.watch.request import WatchParts, WatchRequest
from citeloom.domain.errors import InvalidSource

_AWAY = "the folder is not there; its documents stay, and it is looked for again"


@dataclass(slots=True)
class _FoundSources:
    """Files to read and to take out, files that must come to rest first, and paths with
    which nothing is to be done."""

    read: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    fresh: list[Path] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)


class Documents(WatchJob):
    """Reads files that are new or have changed, and takes out those that are gone from the
    folders watched. Of a folder that is itself gone (a disk that was taken away), or that
    was found empty, nothing is taken out."""

    def __init__(self, parts: WatchParts, request: WatchRequest, teller: Teller) -> None:
        super().__init__("files")
        self._parts = parts
        self._request = request
        self._unrest = Unrest(parts.files, parts.pace.settle)
        self._folders: list[Path] = []
        self._named: set[str] = set()
        self._away: dict[Path, float] = {}
        self._unreadable: dict[str, SourceStamp] = {}
        self._is_begun = False
        self._begin(teller)

    def note(self, paths: Iterable[Path], now: float) -> None:
        if meant := [path for path in paths if self._is_meant(path)]:
            self._unrest.note(meant, now)

    def work(self, now: float, teller: Teller) -> Work | None:
        if not self._is_begun:
            return self._all_of_it(teller)
        self._look_for_folders(now)
        rested = self._unrest.rested(now)
        if not rested:
            return None
        found = self._sorted(rested, now, teller)
        self._unrest.drop(found.idle)
        if found.fresh:  # what is gone from one place may have come to another
            self._unrest.note([*found.fresh, *map(Path, found.gone)], now)
            found.gone.clear()
        if not found.read and not found.gone:
            return None

        def do() -> None:
            self._ingest(found.read, found.gone, rested, teller)
            self._unrest.drop([*found.read, *found.gone])

        return do

    def _wanted(self) -> float | None:
        if not self._is_begun:
            return float("-inf")
        moments = [*self._away.values()]
        if (due := self._unrest.due()) is not None:
            moments.append(due)
        return min(moments, default=None)

    def _begin(self, teller: Teller) -> None:
        """Raises InvalidSource for what is not there."""
        found = self._parts.files.find(self._request.sources, lambda _: False)
        for file in found.files:
            if file.stamp is None:
                raise InvalidSource(f"{file.path}: {file.problem}; check the path")
            self._named.add(str(file.path))
            self._parts.watcher.file(file.path)
        for folder in found.folders:
            self._folders.append(folder)
            self._parts.watcher.folder(folder)
        for place in (*found.folders, *map(Path, sorted(self._named))):
            teller.say(Outcome.WATCHING, str(place))

    def _all_of_it(self, teller: Teller) -> Work | None:
        """What changed while nobody watched. A folder without any file may be one whose disk
        is missing."""
        inside = self._parts.files.find(self._request.sources, self._parts.supports).files
        stamps = {str(file.path): file.stamp for file in inside}
        filled = [
            str(one) for one in self._folders if any(f.path.is_relative_to(one) for f in inside)
        ]
        if not inside:
            self._is_begun = True
            return None

        def do() -> None:
            self._ingest(self._request.sources, filled, stamps, teller)
            self._is_begun = True

        return do

    def _ingest(
        self,
        read: Sequence[str],
        gone: Sequence[str],
        stamps: Mapping[str, SourceStamp | None],
        teller: Teller,
    ) -> None:
        result = self._parts.ingest(self._request.files(read, gone), teller)
        failed = [report.source for report in result.failed]
        self._unreadable.update({path: stamp for path in failed if (stamp := stamps.get(path))})
        teller.warn(self.name, result.warnings)

    def _is_meant(self, path: Path) -> bool:
        """Hidden files, and those that programs put beside a file that is open, are not."""
        if str(path) in self._named:
            return True
        folder = self._folder_of(path)
        if folder is None:
            return False
        return not any(p.startswith((".", "~$")) for p in path.relative_to(folder).parts)

    def _folder_of(self, path: Path) -> Path | None:
        return next((one for one in self._folders if path.is_relative_to(one)), None)

    def _look_for_folders(self, now: float) -> None:
        """Folders that were away and are back are looked through."""
        for folder in [one for one, at in self._away.items() if at <= now]:
            if self._parts.files.exists(str(folder)):
                self._parts.watcher.folder(folder)
                del self._away[folder]
                self._unrest.note([folder], now)
            else:
                self._away[folder] = now + self._parts.pace.interval

    def _sorted(
        self, rested: Mapping[str, SourceStamp | None], now: float, teller: Teller
    ) -> _FoundSources:
        documents = self._parts.catalogue.documents(self._request.project_id)
        stored = {source.path: source for one in documents for source in one.sources}
        found = _FoundSources()
        for path, stamp in rested.items():
            if self._is_away(path, now, teller):
                found.idle.append(path)
            elif stamp is not None:
                is_new = self._is_new(Path(path), stamp, stored)
                (found.read if is_new else found.idle).append(path)
            elif self._parts.files.exists(path):
                self._look_below(path, stored, found)
            elif path in self._named:
                teller.failed(path, "the file is gone; its document stays", None)
                found.idle.append(path)
            else:
                (found.gone if _below(path, stored) else found.idle).append(path)
        return found

    def _is_new(self, path: Path, stamp: SourceStamp, stored: Mapping[str, SourceStamp]) -> bool:
        """Whether a file is to be read: not as it was stored, or as it failed."""
        if str(path) not in self._named and not self._parts.supports(path):
            return False
        return stamp not in (stored.get(str(path)), self._unreadable.get(str(path)))

    def _look_below(
        self, place: str, stored: Mapping[str, SourceStamp], found: _FoundSources
    ) -> None:
        """A folder, or a file that cannot be read."""
        inside = self._parts.files.find((place,), self._parts.supports).files
        for file in inside:
            if file.stamp is None:
                found.read.append(str(file.path))
            elif self._is_new(file.path, file.stamp, stored):
                found.fresh.append(file.path)
        if inside or Path(place) not in self._folders:
            gone = (one for one in _below(place, stored) if not self._parts.files.exists(one))
            found.gone.extend(gone)
        found.idle.append(place)

    def _is_away(self, path: str, now: float, teller: Teller) -> bool:
        folder = self._folder_of(Path(path))
        if folder is None or path in self._named:
            return False
        if folder not in self._away:
            if self._parts.watcher.is_there(folder):
                teller.worked(str(folder))
                return False
            pause = self._parts.pace.interval
            self._away[folder] = now + pause
            teller.failed(str(folder), _AWAY, pause)
        return True


def _below(place: str, paths: Iterable[str]) -> list[str]:
    """Those that are the place, or lie below it."""
    start = place.rstrip(os.sep) + os.sep
    return [path for path in paths if path == place or path.startswith(start)]
