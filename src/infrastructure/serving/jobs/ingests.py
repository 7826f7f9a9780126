"""Ingest jobs."""

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any, Final

from citeloom.application.ports.ingest import IngestStage, Progress
from citeloom.domain.ingest import DocumentReport, DocumentStatus, IngestRequest, IngestResult
from citeloom.domain.library import SyncRequest

from .job import Advance, Job, JobKind, request_json, result_json, result_of
from .queue import Jobs, Recorder

TOOL: Final = "ingest_from_source"
# The share of a document that is done when it is converted; the rest is embedding, mostly.
_CONVERTED: Final = 0.5
# Seconds after which a rate says something.
_MEASURED: Final = 1.0
_MINUTE, _HOUR = 60.0, 3600.0

#: Files, or what a Zotero library holds.
Wanted = IngestRequest | SyncRequest
KIND: Final = JobKind[Wanted, IngestResult](
    "ingest", TOOL, request_json, result_json, result_of(IngestResult)
)
IngestVerb = Callable[[Wanted, Progress], IngestResult]

_log: Final = logging.getLogger(__name__)


class IngestJob(Job[Wanted, IngestResult]):
    """One ingest; it is the ingest's own progress display.

    ``documents_total`` is None until the files have been looked at. ``pages`` and ``passages``
    are those of the documents that were stored.
    """

    kind = KIND.name

    def __init__(self, request: Wanted, stopping: threading.Event, ingest: IngestVerb) -> None:
        super().__init__(request, stopping)
        self.documents_done = 0
        self.documents_failed = 0
        self.documents_total: int | None = None
        self.documents_stored = 0
        self.pages_done = 0
        self.passages = 0
        self.doing: str | None = None
        self._parts: dict[str, float] = {}
        self._unchanged = 0
        self._working_since: float | None = None
        self._ingest = ingest

    def work(self) -> IngestResult:
        return self._ingest(self.asked, self)

    @property
    def project(self) -> str:
        return self.asked.project_id.value

    def advance(self) -> Advance:
        """Progress in documents; started ones count in part."""
        told = [self.doing] if self.doing else []
        if self.passages:
            told.append(f"{self.pages_done} pages, {self.passages} passages")
        if (rate := self.passages_per_second) is not None:
            told.append(f"{rate:.3g} passages/s")
        if (left := self.seconds_left) is not None:
            told.append(f"about {duration(left)} left")
        return Advance(self._done(), self.documents_total, ", ".join(told) or None)

    def counts(self) -> Mapping[str, Any]:
        """``documents_done`` includes failed ones."""
        told: dict[str, Any] = {
            "documents_done": self.documents_done,
            "documents_total": self.documents_total,
        }
        if self.documents_failed:
            told["documents_failed"] = self.documents_failed
        if self.passages:
            told |= {"pages": self.pages_done, "passages": self.passages}
        if (rate := self.passages_per_second) is not None:
            told["passages_per_second"] = round(rate, 1)
        if (left := self.seconds_left) is not None:
            told["seconds_left"] = round(left)
        return told | ({"doing": self.doing} if self.doing else {})

    @property
    def passages_per_second(self) -> float | None:
        """Counted from the first document that has changed."""
        seconds = self._worked_for()
        return self.passages / seconds if self.passages and seconds >= _MEASURED else None

    @property
    def seconds_left(self) -> float | None:
        """By what a document took so far; None until one was read to its end: the first pages
        wait for programs and models to start, and would promise hours."""
        seconds, worked = self._worked_for(), self._done() - self._unchanged
        is_measured = seconds >= _MEASURED and self.documents_done > self._unchanged
        if self.documents_total is None or not is_measured:
            return None
        return seconds * (self.documents_total - self._done()) / worked

    def begin(self, documents: int) -> None:
        self.documents_total = documents

    def stage(self, source: str, stage: IngestStage) -> None:
        if self._working_since is None:
            self._working_since = time.monotonic()
        self.doing = f"{stage.value} {PurePath(source).name}"
        self._parts[source] = 0.0 if stage is IngestStage.CONVERTING else _CONVERTED

    def pages(self, source: str, done: int, total: int) -> None:
        name = PurePath(source).name
        self.doing = f"{IngestStage.CONVERTING.value} {name}, page {done} of {total}"
        self._parts[source] = _CONVERTED * done / max(total, 1)

    def done(self, report: DocumentReport) -> None:
        self._parts.pop(report.source, None)
        self.documents_done += 1
        self.documents_failed += report.status is DocumentStatus.FAILED
        if report.status in (DocumentStatus.ADDED, DocumentStatus.UPDATED):
            self.documents_stored += 1
            self.pages_done += report.pages or 0
            self.passages += report.chunks
        else:
            self._unchanged += 1

    def notice(self, text: str) -> None:
        _log.info("ingest %s: %s", self.id, text)

    def _done(self) -> float:
        done = self.documents_done + sum(list(self._parts.values()))
        return done if self.documents_total is None else min(done, self.documents_total)

    def _worked_for(self) -> float:
        return 0.0 if self._working_since is None else time.monotonic() - self._working_since


def duration(seconds: float) -> str:
    """As people say it: ``40 s``, ``12 min``, ``1.5 h``."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < _HOUR else f"{seconds / _HOUR:.1f} h"


def ingests(ingest: IngestVerb, recorder: Recorder, most: int = 0) -> Jobs[Wanted, IngestResult]:
    return Jobs(KIND, lambda asked, stop: IngestJob(asked, stop, ingest), recorder, most)


def run_recorded(
    request: Wanted, ingest: IngestVerb, display: Progress, recorder: Recorder
) -> IngestResult:
    """The ingest of a command, in this thread: servers and questions see it in the record of jobs.
    ``display`` shows it here. Raises what the verb raises."""

    def work(_: Wanted, job: Progress) -> IngestResult:
        return ingest(request, _Recorded(display, job, lambda: recorder.enter(own, KIND)))

    own = IngestJob(_absolute(request), threading.Event(), work)
    own.queued(ingests(ingest, recorder), "")
    return own.do()


def _absolute(request: Wanted) -> Wanted:
    """Other processes have other current folders."""
    if isinstance(request, SyncRequest):
        return request
    return request.model_copy(update={"sources": tuple(map(os.path.abspath, request.sources))})


class _Recorded:
    """Progress for a display and a job, which is entered with the work on the first document: an
    ingest that finds nothing new leaves no record."""

    def __init__(self, display: Progress, job: Progress, enter: Callable[[], object]) -> None:
        self._display, self._job = display, job
        self._enter: Callable[[], object] | None = enter

    def begin(self, documents: int) -> None:
        self._display.begin(documents)
        self._job.begin(documents)

    def stage(self, source: str, stage: IngestStage) -> None:
        self._display.stage(source, stage)
        self._job.stage(source, stage)
        if self._enter is not None:
            self._enter()
            self._enter = None

    def pages(self, source: str, done: int, total: int) -> None:
        self._display.pages(source, done, total)
        self._job.pages(source, done, total)

    def done(self, report: DocumentReport) -> None:
        self._display.done(report)
        self._job.done(report)

    def notice(self, text: str) -> None:
        self._display.notice(text)
