"""Watch job: reassignment of citations when the reference file changes."""

from collections.abc import Iterable
from pathlib import Path

from citeloom.application.ports.catalogue import SourceStamp
from citeloom.application.watch.debounce import Debouncer
from citeloom.application.watch.events import EventReporter, Outcome
from citeloom.application.watch.job import WatchJob, Work
from citeloom.application.watch.request import WatchRequest, WatchServices


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
