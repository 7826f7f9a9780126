"""Ingests in the background: one at a time, the others wait in the order they came."""

import logging
import queue
import threading
from collections.abc import Callable
from enum import StrEnum
from pathlib import PurePath
from typing import Final
from uuid import uuid4

from citeloom.application.ports.progress import Progress, Stage
from citeloom.domain.retrieval import DocumentReport, DocumentStatus, IngestRequest, IngestResult
from citeloom.infrastructure.mcp.errors import Interrupted, JobNotFound

IngestVerb = Callable[[IngestRequest, Progress], IngestResult]

_log: Final = logging.getLogger(__name__)


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    ENDED = "ended"


class Job:
    """One ingest and how far it is. It is the ingest's own progress display.

    ``documents_total`` is None until the files have been looked at.
    """

    def __init__(self, request: IngestRequest, stopping: threading.Event) -> None:
        self.id = uuid4().hex
        self.request = request
        self.status = JobStatus.QUEUED
        self.documents_done = 0
        self.documents_failed = 0
        self.documents_total: int | None = None
        self.doing: str | None = None
        self._stopping = stopping
        self._ended = threading.Event()
        self._result: IngestResult | None = None
        self._error: Exception | None = None

    def run(self, ingest: IngestVerb) -> None:
        self.status = JobStatus.RUNNING
        try:
            self._go_on()
            self._result = ingest(self.request, self)
        except Exception as error:
            _log.warning("ingest %s: %s: %s", self.id, type(error).__name__, error)
            self._error = _bare(error)
        finally:
            self.status = JobStatus.ENDED
            self._ended.set()

    def wait(self, seconds: float) -> bool:
        """Whether the job has ended, within ``seconds`` at the latest."""
        return self._ended.wait(seconds)

    def result(self) -> IngestResult:
        """Of a job that has ended. Raises what the ingest raised."""
        if self._error is not None:
            raise self._error.with_traceback(None)
        assert self._result is not None, "only a job that has ended has a result"
        return self._result

    def begin(self, documents: int) -> None:
        self._go_on()
        self.documents_total = documents

    def stage(self, source: str, stage: Stage) -> None:
        self._go_on()
        self.doing = f"{stage.value} {PurePath(source).name}"

    def pages(self, source: str, done: int, total: int) -> None:
        self._go_on()
        self.doing = f"{Stage.CONVERTING.value} {PurePath(source).name}, page {done} of {total}"

    def done(self, report: DocumentReport) -> None:
        self.documents_done += 1
        self.documents_failed += report.status is DocumentStatus.FAILED

    def notice(self, text: str) -> None:
        _log.info("ingest %s: %s", self.id, text)

    def _go_on(self) -> None:
        if self._stopping.is_set():
            raise Interrupted


class Jobs:
    """The jobs of one server. Thread-safe."""

    def __init__(self, ingest: IngestVerb) -> None:
        self._ingest = ingest
        self._jobs: dict[str, Job] = {}
        self._waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, request: IngestRequest) -> Job:
        """A job for the request: one that has not ended and asks for the same, or a new one."""
        with self._guard:
            for job in self._jobs.values():
                if job.status is not JobStatus.ENDED and job.request == request:
                    return job
            job = Job(request, self._stopping)
            self._jobs[job.id] = job
            self._waiting.put(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="ingest", daemon=True)
                self._thread.start()
            return job

    def find(self, job_id: str) -> Job:
        """Raises JobNotFound."""
        with self._guard:
            if job_id not in self._jobs:
                raise JobNotFound(job_id)
            return self._jobs[job_id]

    def stop(self, seconds: float) -> bool:
        """Interrupt the job that runs and start no other; whether all has ended in time.

        A job stops between two steps of a document. A conversion cannot be interrupted: the
        process has to end, and its converters with it.
        """
        self._stopping.set()
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            job.run(self._ingest)


def _bare(error: Exception) -> Exception:
    """Without its traceback, whose frames would keep the ingest's converters alive."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
