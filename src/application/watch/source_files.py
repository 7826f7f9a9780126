"""Watch job: ingest of changed files and folders."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.watch.debounce import Debouncer
from citeloom.application.watch.events import EventReporter, Outcome
from citeloom.application.watch.job import WatchJob, Work
from citeloom.application.watch.request import WatchRequest, WatchServices
from citeloom.domain.errors import InvalidSource

_AWAY = "the folder is not there; its documents stay, and it is looked for again"


@dataclass(slots=True)
class _FoundSources:
    """Settled paths by what is to be done: files to ingest, files to remove, new files that must
    settle first, and paths to ignore."""

    read: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    fresh: list[Path] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)


class SourceFilesJob(WatchJob):
    """Ingests new and changed files, and removes those deleted from the watched folders. Of a
    folder that is missing (its disk was removed), or that is empty at the start, nothing is
    removed."""

    def __init__(
        self, services: WatchServices, request: WatchRequest, reporter: EventReporter
    ) -> None:
        super().__init__("files")
        self._services = services
        self._request = request
        self._debouncer = Debouncer(services.files, services.pace.settle)
        self._folders: list[Path] = []
        self._named: set[str] = set()
        self._away: dict[Path, float] = {}
        self._unreadable: dict[str, SourceStamp] = {}
        self._is_begun = False
        self._begin(reporter)

    def note(self, paths: Iterable[Path], now: float) -> None:
        if relevant_paths := [path for path in paths if self._is_meant(path)]:
            self._debouncer.note(relevant_paths, now)

    def work(self, now: float, reporter: EventReporter) -> Work | None:
        if not self._is_begun:
            return self._all_of_it(reporter)
        self._look_for_folders(now)
        settled_files = self._debouncer.settled_files(now)
        if not settled_files:
            return None
        sorted_paths = self._sorted(settled_files, now, reporter)
        self._debouncer.drop(sorted_paths.idle)
        if sorted_paths.fresh:  # a file gone from one place may have moved to another
            self._debouncer.note([*sorted_paths.fresh, *map(Path, sorted_paths.gone)], now)
            sorted_paths.gone.clear()
        if not sorted_paths.read and not sorted_paths.gone:
            return None

        def do() -> None:
            self._ingest(sorted_paths.read, sorted_paths.gone, settled_files, reporter)
            self._debouncer.drop([*sorted_paths.read, *sorted_paths.gone])

        return do

    def _wanted(self) -> float | None:
        if not self._is_begun:
            return float("-inf")
        moments = [*self._away.values()]
        if (due := self._debouncer.due()) is not None:
            moments.append(due)
        return min(moments, default=None)

    def _begin(self, reporter: EventReporter) -> None:
        """Register the sources. Raises InvalidSource for a missing one."""
        sources = self._services.files.find(self._request.sources, lambda _: False)
        for file in sources.files:
            if file.stamp is None:
                raise InvalidSource(f"{file.path}: {file.problem}; check the path")
            self._named.add(str(file.path))
            self._services.watcher.file(file.path)
        for folder in sources.folders:
            self._folders.append(folder)
            self._services.watcher.folder(folder)
        for place in (*sources.folders, *map(Path, sorted(self._named))):
            reporter.report(Outcome.WATCHING, str(place))

    def _all_of_it(self, reporter: EventReporter) -> Work | None:
        """Ingest the changes since the last watch. An empty folder is not pruned: its disk may
        be missing."""
        inside = self._services.files.find(self._request.sources, self._services.supports).files
        stamps = {str(file.path): file.stamp for file in inside}
        filled = [
            str(one) for one in self._folders if any(f.path.is_relative_to(one) for f in inside)
        ]
        if not inside:
            self._is_begun = True
            return None

        def do() -> None:
            self._ingest(self._request.sources, filled, stamps, reporter)
            self._is_begun = True

        return do

    def _ingest(
        self,
        read: Sequence[str],
        gone: Sequence[str],
        stamps: Mapping[str, SourceStamp | None],
        reporter: EventReporter,
    ) -> None:
        result = self._services.ingest(self._request.files(read, gone), reporter)
        failed = [report.source for report in result.failed]
        self._unreadable.update({path: stamp for path in failed if (stamp := stamps.get(path))})
        reporter.warn(self.name, result.warnings)

    def _is_meant(self, path: Path) -> bool:
        """Whether a path is watched: hidden files and lock files of open documents are not."""
        if str(path) in self._named:
            return True
        folder = self._folder_of(path)
        if folder is None:
            return False
        return not any(p.startswith((".", "~$")) for p in path.relative_to(folder).parts)

    def _folder_of(self, path: Path) -> Path | None:
        return next((one for one in self._folders if path.is_relative_to(one)), None)

    def _look_for_folders(self, now: float) -> None:
        """Poll for missing folders; those that are back are scanned."""
        for folder in [one for one, at in self._away.items() if at <= now]:
            if self._services.files.exists(str(folder)):
                self._services.watcher.folder(folder)
                del self._away[folder]
                self._debouncer.note([folder], now)
            else:
                self._away[folder] = now + self._services.pace.interval

    def _sorted(
        self, settled_files: Mapping[str, SourceStamp | None], now: float, reporter: EventReporter
    ) -> _FoundSources:
        documents = self._services.catalogue.documents(self._request.project_id)
        stored = {source.path: source for one in documents for source in one.sources}
        sorted_paths = _FoundSources()
        for path, stamp in settled_files.items():
            if self._is_away(path, now, reporter):
                sorted_paths.idle.append(path)
            elif stamp is not None:
                is_new = self._is_new(Path(path), stamp, stored)
                (sorted_paths.read if is_new else sorted_paths.idle).append(path)
            elif self._services.files.exists(path):
                self._look_below(path, stored, sorted_paths)
            elif path in self._named:
                reporter.failed(path, "the file is gone; its document stays", None)
                sorted_paths.idle.append(path)
            else:
                (sorted_paths.gone if _below(path, stored) else sorted_paths.idle).append(path)
        return sorted_paths

    def _is_new(self, path: Path, stamp: SourceStamp, stored: Mapping[str, SourceStamp]) -> bool:
        """Whether a file is to be ingested: its stamp differs from the stored and the failed
        one."""
        if str(path) not in self._named and not self._services.supports(path):
            return False
        return stamp not in (stored.get(str(path)), self._unreadable.get(str(path)))

    def _look_below(
        self, place: str, stored: Mapping[str, SourceStamp], sorted_paths: _FoundSources
    ) -> None:
        """Sort the files below a folder; or a file that cannot be read."""
        inside = self._services.files.find((place,), self._services.supports).files
        for file in inside:
            if file.stamp is None:
                sorted_paths.read.append(str(file.path))
            elif self._is_new(file.path, file.stamp, stored):
                sorted_paths.fresh.append(file.path)
        if inside or Path(place) not in self._folders:
            gone = (one for one in _below(place, stored) if not self._services.files.exists(one))
            sorted_paths.gone.extend(gone)
        sorted_paths.idle.append(place)

    def _is_away(self, path: str, now: float, reporter: EventReporter) -> bool:
        folder = self._folder_of(Path(path))
        if folder is None or path in self._named:
            return False
        if folder not in self._away:
            if self._services.watcher.is_there(folder):
                reporter.recovered(str(folder))
                return False
            pause = self._services.pace.interval
            self._away[folder] = now + pause
            reporter.failed(str(folder), _AWAY, pause)
        return True


def _below(place: str, paths: Iterable[str]) -> list[str]:
    """The paths at or below a place."""
    start = place.rstrip(os.sep) + os.sep
    return [path for path in paths if path == place or path.startswith(start)]
