"""Recorded jobs: their state, their progress, and their end without a worker."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self

from pydantic import Field

from citeloom.domain.jobs.failure import JobFailure, WorkerDied
from citeloom.domain.leases import is_silent
from citeloom.domain.value import Value

#: How long jobs that have ended are kept, and how many at most.
KEPT_FOR: Final = timedelta(days=7)
MOST_KEPT: Final = 1000
#: States of one job that are kept: four minutes of one that changes at every look.
MOST_EVENTS: Final = 500
#: Characters of a result in JSON; a larger one stays with the process that made it.
MOST_RESULT: Final = 8_000_000


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_end(self) -> bool:
        return self not in (JobStatus.QUEUED, JobStatus.RUNNING)


class JobProgress(Value):
    """How far a job is: ``done`` of ``total`` (None while that is not known), in the unit of its
    kind, and what it is at. ``position`` counts in its queue, from 1, where it waits for the job
    ``waits_for``. ``counts`` are those of its kind."""

    status: JobStatus = JobStatus.QUEUED
    done: float = 0.0
    total: float | None = None
    doing: str | None = None
    position: int | None = None
    waits_for: str | None = None
    started_at: datetime | None = None
    counts: Mapping[str, Any] = Field(default_factory=dict)


class RecordedJob(Value):
    """A job without what was asked and what came of it, which are asked for apart.

    ``digest`` is the same for equal requests. ``sequence`` is the number of its last event.
    ``heard_at`` is when its ``worker`` last told that it lives.
    """

    id: str
    kind: str
    project: str
    owner: str = ""
    session: str | None = None
    digest: str
    progress: JobProgress = JobProgress()
    sequence: int = 1
    failure: JobFailure | None = None
    cancelling: bool = False
    worker: str
    heard_at: datetime
    created_at: datetime
    ended_at: datetime | None = None

    @property
    def status(self) -> JobStatus:
        return self.progress.status

    def is_dead(self, now: datetime) -> bool:
        """Whether it goes on in the record, and its worker has been silent for too long."""
        return not self.status.is_end and is_silent(self.heard_at, now)

    def buried(self, at: datetime) -> Self:
        """The end of a job without a worker: cancelled where that was asked for, else failed."""
        status = JobStatus.CANCELLED if self.cancelling else JobStatus.FAILED
        return self.model_copy(
            update={
                "progress": self.progress.model_copy(
                    update={"status": status, "position": None, "waits_for": None}
                ),
                "failure": JobFailure.of(WorkerDied(self.kind)),
                "ended_at": at,
            }
        )
