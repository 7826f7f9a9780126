"""Job queue and record: jobs of one kind run one at a time; other processes see them."""

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, Protocol

from citeloom.application.ports.jobs import JobEvent, JobFilter, JobRecord
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import StorageFailed, Unavailable
from citeloom.domain.jobs import MOST_RESULT, JobFailure, JobProgress, JobStatus, RecordedJob
from citeloom.domain.leases import HEARTBEAT
from citeloom.infrastructure.serving.next_steps import Interrupted, JobNotFound, TooManyJobs
from citeloom.infrastructure.system.locks import has_ended

from .job import AnyJob, Asked, Job, JobKind, JobView, Result, digest_of

Make = Callable[[Asked, threading.Event], Job[Asked, Result]]
Joining = Callable[[Asked, Asked], Asked | None]


class JobQueue(Protocol[Asked, Result]):
    """Jobs of one kind, those of this process and of others. Thread-safe."""

    kind: JobKind[Asked, Result]
    #: Makes a new job, with the verbs that are wanted for it.
    make: Make[Asked, Result]

    def submit(
        self,
        asked: Asked,
        join: Joining[Asked] | None = None,
        owner: str = "",
        make: Make[Asked, Result] | None = None,
    ) -> JobView[Result]:
        """A job of ``owner``: a running one with the same request, also of another process of this
        machine; a waiting one that ``join`` can merge (None if it cannot); or a new one, which
        ``make`` makes instead of the queue's own verbs if given. Raises TooManyJobs."""

    def find(self, job_id: str) -> JobView[Result]:
        """Raises JobNotFound."""

    def own(self, job_id: str) -> Job[Asked, Result] | None:
        """A job of this process."""

    def elsewhere(self, job: RecordedJob) -> JobView[Result]:
        """The job as the record has it."""

    def latest(self, wanted: Callable[[Job[Asked, Result]], bool]) -> Job[Asked, Result] | None:
        """The job that came last of those of this process that are ``wanted``."""

    def all(self) -> Sequence[Job[Asked, Result]]:
        """The jobs of this process, in order of arrival."""

    def hear_ends(self, listener: Callable[[AnyJob], None]) -> None:
        """``listener`` hears each job of this process that ends, in any thread."""

    def stop(self, seconds: float) -> bool:
        """Interrupt the job that runs and start no other; whether all has ended in time."""


# Seconds between two looks at the jobs that go on, and between two states of one that are written.
_LOOK: Final = 0.25
_BETWEEN: Final = 0.5

_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class _Followed:
    """A job that goes on, and its last state in the record. One that could not be entered is known
    to this process alone."""

    job: "AnyJob"
    entry: RecordedJob
    kind: JobKind[Any, Any]
    is_recorded: bool
    written: float


class Recorder:
    """Thread-safe. While jobs go on or ``working`` is entered, a thread reports that this process
    lives; it writes down how far the jobs are, and hears which are to be cancelled."""

    def __init__(self, record: JobRecord, clock: Clock, worker: str) -> None:
        self.record = record
        self.clock = clock
        self.worker = worker
        self._guard = threading.RLock()
        self._going_on: dict[str, _Followed] = {}
        self._unwritten: dict[str, tuple[RecordedJob, str | None]] = {}
        # Never held while the record is written: an event loop may take it.
        self._starting = threading.Lock()
        self._blocks = 0
        self._thread: threading.Thread | None = None
        self._is_failing = False

    def enter(self, job: "AnyJob", kind: JobKind[Any, Any]) -> RecordedJob | None:
        """An equal job that another process works on, or None: this one is entered. Where the
        record cannot be written, the log says so, and this process alone knows of the job."""
        now, asked = self.clock.now(), kind.asked(job.asked)
        entry = RecordedJob(
            id=job.id,
            kind=kind.name,
            project=job.project,
            owner=job.owner,
            session=job.session,
            digest=digest_of(kind.name, asked),
            progress=job.progress(),
            worker=self.worker,
            heard_at=now,
            created_at=now,
        )
        is_recorded = True
        try:
            self.record.bury(now, has_ended)
            if (other := self.record.enter(entry, asked)) is not None:
                return other
        except StorageFailed as error:
            is_recorded = False
            _log.warning("%s %s: only this process knows of it: %s", kind.name, job.id, error)
        job.note(JobEvent(number=entry.sequence, progress=entry.progress))
        with self._guard:
            followed = _Followed(job, entry, kind, is_recorded, time.monotonic())
            self._going_on[job.id] = followed
            with self._starting:
                self._start()
        return None

    @contextmanager
    def working(self) -> Iterator[None]:
        """The process reports that it lives while the block runs, also without jobs: it works on
        what other records hold in its name."""
        with self._starting:
            self._blocks += 1
            self._start()
        try:
            yield
        finally:
            with self._starting:
                self._blocks -= 1

    def extended(self, job: "AnyJob") -> None:
        """The job was asked for more while it waits."""
        with self._guard:
            followed = self._going_on.get(job.id)
        if followed is not None and followed.is_recorded:
            asked = followed.kind.asked(job.asked)
            digest = digest_of(followed.kind.name, asked)
            self._tried(lambda: self.record.extend(job.id, asked, digest))

    def ended(self, job: "AnyJob", end: JobStatus) -> None:
        """Record the end of a job; after a failure, try again while the process lives."""
        self._finish(job, end, job.error)

    def abandon(self) -> None:
        """Called when the process ends in the middle of work."""
        with self._guard:
            left = list(self._going_on.values())
        for followed in left:
            self._finish(followed.job, JobStatus.CANCELLED, Interrupted())

    def find(self, name: str) -> RecordedJob | None:
        """Find a job by its id, or the latest one of a session. The caller that finds a dead
        process records the end of its job."""
        job = self.record.find(name)
        return self.record.find(name) if job is not None and self._buried([job]) else job

    def jobs(self, wanted: JobFilter) -> Sequence[RecordedJob]:
        """In order of arrival; as ``find`` has them."""
        jobs = self.record.jobs(wanted)
        return self.record.jobs(wanted) if self._buried(jobs) else jobs

    def _buried(self, jobs: Sequence[RecordedJob]) -> bool:
        """Whether there were jobs of dead processes, whose ends are written down now."""
        now = self.clock.now()
        if not any(job.is_dead(now) or _is_left(job) for job in jobs):
            return False
        return self._tried(lambda: self.record.bury(now, has_ended))

    def _finish(self, job: "AnyJob", end: JobStatus, error: Exception | None) -> None:
        with self._guard:
            followed = self._going_on.pop(job.id, None)
            if followed is None or not followed.is_recorded:
                return
            result = job.outcome() if end is JobStatus.DONE else None
            text = None if result is None else followed.kind.dump(result)
            entry = followed.entry.model_copy(
                update={
                    "progress": job.progress(end),
                    "session": job.session,
                    "failure": None if error is None else JobFailure.of(error),
                    "ended_at": self.clock.now(),
                }
            )
            ending = (entry, text if text and len(text) <= MOST_RESULT else None)
            if not self._tried(lambda: self.record.finish(*ending)):
                self._unwritten[job.id] = ending

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="job record", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        beaten = time.monotonic()
        while True:
            time.sleep(_LOOK)
            try:
                self._look()
                if time.monotonic() - beaten >= HEARTBEAT.total_seconds():
                    beaten = time.monotonic()
                    self._beat()
            except Exception:  # without heartbeats others would take the jobs for dead
                _log.exception("the record of jobs")
            with self._guard, self._starting:
                if not self._going_on and not self._unwritten and not self._blocks:
                    self._thread = None
                    return

    def _look(self) -> None:
        for followed in list(self._going_on.values()):
            progress = followed.job.progress()
            is_new = progress != followed.entry.progress and not progress.status.is_end
            if is_new and time.monotonic() - followed.written >= _BETWEEN:
                self._advance(followed, progress)

    def _advance(self, followed: _Followed, progress: JobProgress) -> None:
        job = followed.job
        with self._guard:
            if job.id not in self._going_on:  # it ended meanwhile
                return
            event = JobEvent(number=followed.entry.sequence + 1, progress=progress)
            asked_to_end: list[bool] = []

            def write() -> None:
                asked_to_end.append(self.record.advance(job.id, event, self.clock.now()))

            if followed.is_recorded and not self._tried(write):
                return
            followed.written = time.monotonic()
            changes = {"progress": progress, "sequence": event.number}
            followed.entry = followed.entry.model_copy(update=changes)
            job.note(event)
        if any(asked_to_end):
            job.cancel()

    def _beat(self) -> None:
        cancelled: list[str] = []

        def beat() -> None:
            cancelled.extend(self.record.beat(self.worker, self.clock.now()))

        self._tried(beat)
        for id in cancelled:
            if (followed := self._going_on.get(id)) is not None:
                followed.job.cancel()
        with self._guard:
            for id, ending in list(self._unwritten.items()):
                if self._tried(lambda ending=ending: self.record.finish(*ending)):  # type: ignore[misc]
                    del self._unwritten[id]

    def _tried(self, write: Callable[[], object]) -> bool:
        """Whether it is written; the log hears of the first of several failures."""
        try:
            write()
        except StorageFailed as error:
            if not self._is_failing:
                _log.warning("the record of jobs cannot be written: %s", error)
            self._is_failing = True
            return False
        self._is_failing = False
        return True


def _is_left(job: RecordedJob) -> bool:
    """Whether the process that worked on a job has ended on this machine."""
    return not job.status.is_end and has_ended(job.worker)


class ResultNotKept(Unavailable):
    """The result of a job was too large for the record."""

    def __init__(self, job_id: str) -> None:
        super().__init__(
            f"{job_id}: its result was too large to be kept, and the process that had it does not "
            "answer here; begin the same again, what was finished is not done twice",
            job_id=job_id,
        )


class JobElsewhere(JobView[Result], Generic[Result]):
    """A job as the record had it when it was last looked at."""

    is_elsewhere = True

    def __init__(
        self,
        job: RecordedJob,
        load: Callable[[str], Result],
        recorder: Recorder,
    ) -> None:
        self.id, self.kind, self.owner = job.id, job.kind, job.owner
        self.is_known = True
        self._job = job
        self._load = load
        self._recorder = recorder
        self._record = recorder.record

    @property
    def project(self) -> str:
        return self._job.project

    @property
    def session(self) -> str | None:
        return self._job.session

    @property
    def is_cancelling(self) -> bool:
        return self._job.cancelling

    @property
    def seconds(self) -> float:
        if (started := self.started) is None:
            return 0.0
        return ((self._job.ended_at or self._recorder.clock.now()) - started).total_seconds()

    @property
    def error(self) -> Exception | None:
        return None if self._job.failure is None else self._job.failure.as_error()

    @property
    def last_event(self) -> int:
        return self._job.sequence

    def progress(self) -> JobProgress:
        return self._job.progress

    def asked_json(self) -> str:
        return self._record.asked(self.id) or "{}"

    def result(self) -> Result:
        """Raises ResultNotKept as well."""
        if (error := self.error) is not None:
            raise error
        if (text := self._record.result(self.id)) is None:
            raise ResultNotKept(self.id)
        return self._load(text)

    def events(self, after: int) -> Sequence[JobEvent]:
        return self._record.events(self.id, after) if after < self._job.sequence else ()

    def cancel(self) -> None:
        """The job's process learns of it within seconds; the job of a dead process ends now."""
        self._record.cancel(self.id)
        self.refresh()

    def refresh(self) -> None:
        """A job that left the record stays unchanged."""
        self._job = self._recorder.find(self.id) or self._job

    def join(self, ended: Callable[[], None]) -> None:
        """Nobody in this process hears of the end."""

    def leave(self, ended: Callable[[], None]) -> None:
        """Nobody has joined."""

    def give_up(self) -> None:
        """Leaves the work to its owners."""


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
        """The jobs of this kind and owner that a queued one waits for, the running one first: those
        of others stay hidden."""
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
        """Record the end of a job before it is announced."""
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
        """Raises TooManyJobs, unless another process already has this job."""
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
        """Drops the oldest results beyond the limit."""
        ended = [id for id, job in self._jobs.items() if job.has_ended]
        for id in ended[: max(0, len(ended) - _KEPT + 1)]:
            del self._jobs[id]
