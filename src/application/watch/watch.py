"""The verb *watch*: a project kept up to date with files, references and a library.

Changes are collected as they happen, processed once they are settled, one after the other, and
stay pending until they succeed. Failures are retried; changes since the last watch are found at
the start.
"""

from collections.abc import Sequence
from pathlib import Path

from citeloom.application.ingest.ingest import known_folders
from citeloom.domain.errors import (
    CiteLoomError,
    InvalidRequest,
    InvalidSource,
    ProjectNotFound,
    Unavailable,
)

from .jobs import FollowedLibraryJob, OpenLibrary, ReferenceFileJob, SourceFilesJob, WatchJob
from .request import EventListener, EventReporter, WatchRequest, WatchServices

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
