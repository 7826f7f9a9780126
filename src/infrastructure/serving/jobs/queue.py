"""Job queue: jobs of one kind run one at a time in order of arrival; kinds run in parallel."""

import itertools
import queue
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Generic

from citeloom.application.ports.server.jobs import JobFilter
from citeloom.domain.jobs.recorded_job import JobStatus, RecordedJob
from citeloom.infrastructure.serving.errors import JobNotFound, TooManyJobs
from citeloom.infrastructure.serving.jobs.job import AnyJob, Job
from citeloom.infrastructure.serving.jobs.job_queue import Joining, Make
from citeloom.infrastructure.serving.jobs.record.elsewhere import JobElsewhere
from citeloom.infrastructure.serving.jobs.record.kinds import Asked, JobKind, digest_of
from citeloom.infrastructure.serving.jobs.record.recorder import Recorder
from citeloom.infrastructure.serving.jobs.view import JobView, Result

# Jobs that have ended and stay in memory, of each kind; the record has more.
_KEPT: Final = 64


class Jobs(Generic[Asked, Result]):
    """The jobs of one kind: this process works on those that it was asked for, and knows the
    others by the record. An owner has ``most`` at once in all processes; 0: any number.
    Thread-safe."""

    def __init__(
        self,
        kind: JobKind[Asked, Result],
        make: Make[Asked, Result],
        recorder: Recorder,
        most: int = 0,
    ) -> None:
        self._most = most
        self.kind = kind
        self.make = make
        self._recorder = recorder
        self._jobs: dict[str, Job[Asked, Result]] = {}
        self._waiting: queue.SimpleQueue[Job[Asked, Result] | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._guard = threading.Lock()
        # Held while a job is entered into the record, which others need not wait for.
        self._submitting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._listeners: list[Callable[[AnyJob], None]] = []

    def hear_ends(self, listener: Callable[[AnyJob], None]) -> None:
        self._listeners.append(listener)

    def submit(
        self,
        asked: Asked,
        join: Joining[Asked] | None = None,
        owner: str = "",
        make: Make[Asked, Result] | None = None,
    ) -> JobView[Result]:
        with self._submitting:
            if (known := self._joined(asked, join, owner)) is not None:
                return known
            if self._most:
                self._check_number(asked, owner)
            job = (make or self.make)(asked, self._stopping)
            job.queued(self, owner)
            with self._guard:
                self._forget()
                self._jobs[job.id] = job
            try:
                equal = self._recorder.enter(job, self.kind)
            except BaseException:
                self._drop(job)
                raise
            if equal is not None:
                self._drop(job)
                return self.elsewhere(equal)
            for listener in self._listeners:
                job.follow(partial(listener, job))
            self._waiting.put(job)
            if self._thread is None:
                name = self.kind.tool
                self._thread = threading.Thread(target=self._work, name=name, daemon=True)
                self._thread.start()
            return job

    def find(self, job_id: str) -> JobView[Result]:
        if (own := self.own(job_id)) is not None:
            return own
        found = self._recorder.find(job_id)
        if found is None or found.kind != self.kind.name:
            raise JobNotFound(job_id, self.kind.tool)
        return self.elsewhere(found)

    def own(self, job_id: str) -> Job[Asked, Result] | None:
        with self._guard:
            return self._jobs.get(job_id)

    def elsewhere(self, job: RecordedJob) -> JobView[Result]:
        return JobElsewhere(job, self.kind.load, self._recorder)

    def latest(self, wanted: Callable[[Job[Asked, Result]], bool]) -> Job[Asked, Result] | None:
        with self._guard:
            return next((job for job in reversed(self._jobs.values()) if wanted(job)), None)

    def all(self) -> Sequence[Job[Asked, Result]]:
        with self._guard:
            return list(self._jobs.values())

    def before(self, job: AnyJob) -> Sequence[AnyJob]:
        """The jobs of this kind and owner that a queued one waits for, the running one first:
        nobody is told of those of others."""
        if job.status is not JobStatus.QUEUED:
            return []
        with self._guard:
            if job.id not in self._jobs:
                return []
            earlier = itertools.takewhile(lambda one: one is not job, self._jobs.values())
            return [one for one in earlier if not one.has_ended and one.owner == job.owner]

    def asked_json(self, job: AnyJob) -> str:
        return self.kind.asked(job.asked)

    def ended(self, job: AnyJob, end: JobStatus) -> None:
        self._recorder.ended(job, end)

    def stop(self, seconds: float) -> bool:
        self._stopping.set()
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _joined(
        self, asked: Asked, join: Joining[Asked] | None, owner: str
    ) -> Job[Asked, Result] | None:
        for job in self.all():
            if job.has_ended or job.is_cancelling or job.owner != owner:
                continue
            if job.asked == asked:
                return job
            if join is not None and job.take_in(asked, join):
                self._recorder.extended(job)
                return job
        return None

    def _check_number(self, asked: Asked, owner: str) -> None:
        """Raises TooManyJobs, but for what is asked of another process already."""
        going_on = self._recorder.jobs(JobFilter(owner=owner, going_on=True))
        digests = [job.digest for job in going_on if job.kind == self.kind.name]
        digest = digest_of(self.kind.name, self.kind.asked(asked))
        if len(digests) >= self._most and digest not in digests:
            raise TooManyJobs(self.kind.name, self._most)

    def _drop(self, job: AnyJob) -> None:
        with self._guard:
            del self._jobs[job.id]

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            job.run()

    def _forget(self) -> None:
        """The oldest results, beyond those that are kept."""
        ended = [id for id, job in self._jobs.items() if job.has_ended]
        for id in ended[: max(0, len(ended) - _KEPT + 1)]:
            del self._jobs[id]
