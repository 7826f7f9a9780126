"""The jobs of this process in the record: entered, followed, and ended there; its heartbeat."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from citeloom.application.ports.server.jobs import JobEvent, JobFilter, JobRecord
from citeloom.application.ports.system import Clock
from citeloom.domain.errors import StorageFailed
from citeloom.domain.jobs.failure import JobFailure
from citeloom.domain.jobs.recorded_job import (
    MOST_RESULT,
    JobProgress,
    JobStatus,
    RecordedJob,
)
from citeloom.domain.leases import HEARTBEAT
from citeloom.infrastructure.serving.errors import Interrupted
from citeloom.infrastructure.serving.jobs.record.kinds import JobKind, digest_of
from citeloom.infrastructure.system.locks.processes import has_ended

if TYPE_CHECKING:
    from citeloom.infrastructure.serving.jobs.job import AnyJob

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
    """Thread-safe. While jobs go on or ``working`` is entered, a thread tells that this process
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
        """The process tells that it lives while the block runs, also without jobs: it works on
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
        """It was asked for more while it waits."""
        with self._guard:
            followed = self._going_on.get(job.id)
        if followed is not None and followed.is_recorded:
            asked = followed.kind.asked(job.asked)
            digest = digest_of(followed.kind.name, asked)
            self._tried(lambda: self.record.extend(job.id, asked, digest))

    def ended(self, job: "AnyJob", end: JobStatus) -> None:
        """Write down the end. Where that fails it is tried again while the process lives."""
        self._finish(job, end, job.error)

    def abandon(self) -> None:
        """The process ends in the middle of what goes on."""
        with self._guard:
            left = list(self._going_on.values())
        for followed in left:
            self._finish(followed.job, JobStatus.CANCELLED, Interrupted())

    def find(self, name: str) -> RecordedJob | None:
        """By its id, or the latest one of a session. The end of a job whose process has died is
        written down by who looks."""
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
