"""Jobs of a watch (a reference file, a followed library, files and folders), retries, the verb."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from citeloom.application.ingest.ingest import known_folders
from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.ingest import SourceFiles
from citeloom.application.ports.library import LibrarySource, LibraryStatus
from citeloom.application.watch.request import (
    EventListener,
    EventReporter,
    Outcome,
    WatchRequest,
    WatchServices,
)
from citeloom.domain.errors import (
    CiteLoomError,
    InvalidRequest,
    InvalidSource,
    ProjectNotFound,
    Unavailable,
)
from citeloom.domain.text.phrasing import counted


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


#: Seconds after which what failed is tried again: the first time, and at most.
FIRST_PAUSE: Final = 5.0
LONGEST_PAUSE: Final = 300.0

Work = Callable[[], None]


class WatchJob(ABC):
    """A kind of recurring work; ``name`` stands for it in events. Work stays pending until it
    succeeds; after a failure it waits, twice as long each time, or until something changes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._failures = 0
        self._not_before = float("-inf")

    @abstractmethod
    def note(self, paths: Iterable[Path], now: float) -> None:
        """Report changed paths; irrelevant ones are ignored."""

    def due(self) -> float | None:
        """The time of the next call of ``work``; None: after the next change."""
        next_time = self._wanted()
        return None if next_time is None else max(next_time, self._not_before)

    @abstractmethod
    def work(self, now: float, reporter: EventReporter) -> Work | None:
        """The due work; None without any. May raise the errors of the work."""

    def succeeded(self, now: float) -> None:
        """The work was done, or there was none."""
        self._failures = 0
        self._not_before = now

    def failed(self, now: float) -> float:
        """The work failed; returns the seconds until the next attempt."""
        pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**self._failures)
        self._failures += 1
        self._not_before = now + pause
        return pause

    @abstractmethod
    def _wanted(self) -> float | None:
        """The time of the next work, retries aside; None: after the next change."""


class ReferenceFileJob(WatchJob):
    """Reassigns all citations when the file at ``path`` (absolute) has changed, as Better
    BibTeX's automatic exports do."""

    def __init__(
        self, services: WatchServices, request: WatchRequest, path: Path, reporter: EventReporter
    ) -> None:
        super().__init__(str(path))
        self._services = services
        self._request = request
        self._path = path
        self._debouncer = Debouncer(services.files, services.pace.settle)
        self._read: SourceStamp | None = None
        self._gone_until: float | None = None
        services.watcher.file(path)
        reporter.report(Outcome.WATCHING, str(path))
        self._debouncer.note([path], services.clock.monotonic() - services.pace.settle)

    def note(self, paths: Iterable[Path], now: float) -> None:
        if self._path in paths:
            self._debouncer.note([self._path], now)
            self._not_before = float("-inf")

    def work(self, now: float, reporter: EventReporter) -> Work | None:
        self._look_for_it(now)
        settled_files = self._debouncer.settled_files(now)
        if not settled_files:
            return None
        stamp = settled_files[self.name]
        if stamp is None and not self._services.files.exists(self.name):
            reporter.failed(self.name, "the file is gone; citations stay as they are", None)
            self._debouncer.drop([self.name])
            self._gone_until = now + self._services.pace.interval
            return None
        if stamp is not None and stamp == self._read:
            self._debouncer.drop([self.name])
            return None

        def do() -> None:
            request = self._request.files((), references=self.name)
            result = self._services.ingest(request, reporter)
            self._read = stamp
            self._debouncer.drop([self.name])
            reporter.warn(self.name, result.warnings)

        return do

    def _wanted(self) -> float | None:
        moments = [one for one in (self._debouncer.due(), self._gone_until) if one is not None]
        return min(moments, default=None)

    def _look_for_it(self, now: float) -> None:
        """Poll for a missing file: the return of its folder is not reported."""
        if self._gone_until is None or now < self._gone_until:
            return
        self._gone_until = now + self._services.pace.interval
        if self._services.files.exists(self.name):
            self._gone_until = None
            self._services.watcher.file(self._path)
            self._debouncer.note([self._path], now)


#: A database that never settles is read after this many settle times; its copy is consistent.
_PATIENCE: Final = 15.0

OpenLibrary = Callable[[], LibrarySource]


class FollowedLibraryJob(WatchJob):
    """Synchronises a library: a database once its files are settled after a change, other
    sources when polling finds another state."""

    def __init__(self, services: WatchServices, request: WatchRequest, source: OpenLibrary) -> None:
        super().__init__("library")
        self._services = services
        self._request = request
        self._source = source
        self._debouncer = Debouncer(
            services.files, services.pace.settle, services.pace.settle * _PATIENCE
        )
        self._place: str | None = None
        self._files: frozenset[Path] = frozenset()
        self._read: Mapping[str, SourceStamp] = {}
        self._is_whole = False
        self._next: float | None = services.clock.monotonic()

    def note(self, paths: Iterable[Path], now: float) -> None:
        self._debouncer.note(self._files.intersection(paths), now)

    def work(self, now: float, reporter: EventReporter) -> Work | None:
        source = self._source()
        settled_files = self._debouncer.settled_files(now)
        is_otherwise = bool(settled_files) and self._stamps() != self._read
        if not self._files:
            status = source.status()
            is_otherwise = self._is_otherwise(status)
            self._watch(status, reporter, asks_network=source.asks_network)
            self._next = now + self._services.pace.interval
        if self._is_whole and not is_otherwise:
            self._debouncer.drop(settled_files)
            return None

        def do() -> None:
            stamps = self._stamps()
            result = self._services.library.sync(source, self._request.library(), reporter)
            self._read = stamps
            self._debouncer.drop(settled_files)
            reporter.warn(self.name, result.warnings)
            report = result.library
            if report and report.documents_marked:
                detail = f"of {counted(report.documents_marked, 'document')}"
                reporter.report(Outcome.UPDATED, "annotations", detail=detail)
            missing = bool(report and report.missing_files)
            self._note_outcome(may_come=missing and source.asks_network)

        return do

    def succeeded(self, now: float) -> None:
        """An incomplete sync is retried, at growing intervals."""
        if self._is_whole:
            super().succeeded(now)
        else:
            self._next = now + self.failed(now)

    def _wanted(self) -> float | None:
        moments = [one for one in (self._next, self._debouncer.due()) if one is not None]
        return min(moments, default=None)

    def _is_otherwise(self, status: LibraryStatus) -> bool:
        known = self._services.library.followed.following(self._request.project_id)
        state = (status.name, status.place, status.state)
        return known is None or (known.source, known.place, known.state) != state

    def _note_outcome(self, *, may_come: bool) -> None:
        """``may_come``: missing files may become available."""
        known = self._services.library.followed.following(self._request.project_id)
        self._is_whole = known is not None and bool(known.state) and not may_come
        if known is not None and known.place != self._place:  # another source answered
            self._files = frozenset()
        pace = self._services.pace.interval
        self._next = None if self._files else self._services.clock.monotonic() + pace

    def _watch(self, status: LibraryStatus, reporter: EventReporter, *, asks_network: bool) -> None:
        """Watch the files of a database; other sources are polled."""
        path = Path(status.place)
        is_database = path.is_absolute() and self._services.files.exists(status.place)
        self._files = (
            frozenset(self._services.library.database_files(path)) if is_database else frozenset()
        )
        for file in self._files:
            self._services.watcher.file(file)
        if status.place != self._place:
            self._place = status.place
            often = f"asked every {self._services.pace.interval:g} s"
            how = "as its files change" if is_database else often
            network = "; that uses the network" if asks_network else ""
            where = f"{status.name} at {status.place}"
            reporter.report(Outcome.WATCHING, where, detail=f"{how}{network}")

    def _stamps(self) -> Mapping[str, SourceStamp]:
        return self._services.files.stamps(sorted(map(str, self._files)))


_AWAY = "the folder is missing; its papers stay, and it is checked again"


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
        """Poll for missing folders; scan those that are back."""
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


# Nothing is due: wait for changes, as long as that takes.
_LONG = 3600.0


class Watch:
    """Processes changes until the watcher ends the watch."""

    def __init__(self, services: WatchServices) -> None:
        self._services = services

    def __call__(
        self, request: WatchRequest, library: OpenLibrary | None, tell: EventListener
    ) -> None:
        """``library`` opens the followed library, if there is one; it is called again after
        LibraryUnavailable.

        At the start raises errors of the request: InvalidRequest (nothing to watch),
        InvalidSource, ReferencesUnreadable, EmbeddingModelMismatch. Unavailable errors are
        reported, then and later, and retried.
        """
        clock, watcher = self._services.clock, self._services.watcher
        request = self._with_known_folders(request)
        reporter = EventReporter(tell, clock)
        jobs = self._jobs(request, library, reporter)
        begun: set[str] = set()
        while True:
            for job in jobs:
                due = job.due()
                if due is not None and due <= clock.monotonic():
                    self._do(job, request, reporter, begun)
            moments = [due for job in jobs if (due := job.due()) is not None]
            left = min(moments, default=_LONG + clock.monotonic()) - clock.monotonic()
            changed = watcher.wait(max(0.0, left))
            if changed is None:
                return
            for job in jobs:
                job.note(changed, clock.monotonic())

    def _jobs(
        self, request: WatchRequest, library: OpenLibrary | None, reporter: EventReporter
    ) -> list[WatchJob]:
        """The jobs, references first: new documents are cited by them."""
        jobs: list[WatchJob] = [
            ReferenceFileJob(self._services, request, path, reporter)
            for path in self._references(request)
        ]
        if library is not None:
            jobs.append(FollowedLibraryJob(self._services, request, library))
        if request.sources:
            jobs.append(SourceFilesJob(self._services, request, reporter))
        if not jobs:
            raise InvalidRequest(
                f"{request.project_id}: nothing to watch; name files or folders, a reference "
                "file or a library",
                parameter="source",
            )
        return jobs

    def _with_known_folders(self, request: WatchRequest) -> WatchRequest:
        """Without sources those folders are watched that were ingested and are there."""
        if request.sources:
            return request
        known = known_folders(self._services.catalogue, request.project_id)
        there = [str(one) for one in known if self._services.files.exists(str(one))]
        return request.model_copy(update={"sources": tuple(there)})

    def _references(self, request: WatchRequest) -> Sequence[Path]:
        """The given reference files, and those of the project."""
        given = [Path(one).expanduser().absolute() for one in request.references]
        for path in given:
            if not self._services.files.exists(str(path)):
                raise InvalidSource(f"{path}: no such file; check the path", source=str(path))
        try:
            known = self._services.catalogue.project(request.project_id).reference_files
        except ProjectNotFound:
            known = ()
        return tuple(dict.fromkeys([*given, *known]))

    def _do(
        self, job: WatchJob, request: WatchRequest, reporter: EventReporter, begun: set[str]
    ) -> None:
        catalogue, clock = self._services.catalogue, self._services.clock
        before = None
        try:
            work = job.work(clock.monotonic(), reporter)
            if work is not None:
                before = catalogue.documents(request.project_id)
                work()
        except (CiteLoomError, OSError) as error:
            if job.name not in begun and not isinstance(error, Unavailable | OSError):
                raise
            reason = error.message if isinstance(error, CiteLoomError) else str(error)
            reporter.failed(job.name, reason, job.failed(clock.monotonic()))
        else:
            begun.add(job.name)
            reporter.recovered(job.name)
            job.succeeded(clock.monotonic())
        if before is not None:
            reporter.differences(before, catalogue.documents(request.project_id))
