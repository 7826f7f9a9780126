"""Port of the record of jobs, which all processes of a catalogue share."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from citeloom.domain.jobs import JobProgress, RecordedJob
from citeloom.domain.value import Value


class JobFilter(Value):
    """A query for jobs; ``going_on``: those alone that have not ended."""

    project: str | None = None
    owner: str | None = None
    going_on: bool = False


class JobEvent(Value):
    """A state of a job, numbered from 1."""

    number: int
    progress: JobProgress


class JobRecord(Protocol):
    """Jobs with their events and results. A job is written by its worker alone; others read it,
    ask for its cancellation, and end it when the worker is dead. Each method is one transaction,
    durable when it returns; any may raise StorageFailed."""

    def enter(self, job: RecordedJob, asked: str) -> RecordedJob | None:
        """Insert a job with its first event, and its worker as alive at ``heard_at``. Where
        another living worker has an equal one (kind, owner, digest) that goes on and is not to be
        cancelled, nothing is inserted and that one is returned. Of two concurrent calls for equal
        jobs one inserts. Jobs that ended before KEPT_FOR, and the oldest beyond MOST_KEPT, are
        removed."""

    def extend(self, id: str, asked: str, digest: str) -> None:
        """Add work to a waiting job."""

    def advance(self, id: str, event: JobEvent, at: datetime) -> bool:
        """Store a state, which becomes the last; returns whether the job is to be cancelled. A
        job that was taken for dead goes on. The same number again replaces the event; only the
        last MOST_EVENTS are kept."""

    def finish(self, job: RecordedJob, result: str | None) -> None:
        """Store the end of a job: progress, failure, time; ``result`` is JSON."""

    def beat(self, worker: str, at: datetime) -> frozenset[str]:
        """Note that a worker lives; returns its jobs that are to be cancelled."""

    def find(self, name: str) -> RecordedJob | None:
        """The job of this id, or the latest of this session."""

    def jobs(self, wanted: JobFilter) -> Sequence[RecordedJob]:
        """In order of arrival."""

    def asked(self, id: str) -> str | None:
        """The request as JSON; None for an unknown job."""

    def result(self, id: str) -> str | None:
        """None if there is no result, or the job is unknown."""

    def events(self, id: str, after: int) -> Sequence[JobEvent]:
        """The events with a number higher than ``after``, in order."""

    def cancel(self, id: str) -> None:
        """Ask the worker to end a running job; a job that has ended does not change."""

    def bury(self, at: datetime, has_ended: Callable[[str], bool]) -> Sequence[str]:
        """End the jobs of workers that were silent for too long, or of which ``has_ended`` knows
        (``RecordedJob.buried``); returns their ids."""
