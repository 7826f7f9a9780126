"""Watch job: synchronisation with a reference library."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.ports.library import LibrarySource, LibraryStatus
from citeloom.application.watch.debounce import Debouncer
from citeloom.application.watch.events import EventReporter, Outcome
from citeloom.application.watch.job import WatchJob, Work
from citeloom.application.watch.request import WatchRequest, WatchServices
from citeloom.domain.text.phrasing import counted

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
            network = "; that asks the network" if asks_network else ""
            where = f"{status.name} at {status.place}"
            reporter.report(Outcome.WATCHING, where, detail=f"{how}{network}")

    def _stamps(self) -> Mapping[str, SourceStamp]:
        return self._services.files.stamps(sorted(map(str, self._files)))
