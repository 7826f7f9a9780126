"""Jobs that outlast a request, as a record keeps them."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self

from pydantic import Field

from .errors import CiteLoomError, Unavailable
from .leases import is_silent
from .messages import NextStep, UserMessage
from .value import Value

_UNREAD: Final = "the job failed; the server's log has the details"
_AGAIN: Final = {
    "ingest": "ingest the same again",
    "verify": "verify the same draft again",
    "table": "ask for the table again",
    "review": "resume the session",
}


class WorkerDied(Unavailable):
    """The process that worked on a job of this ``kind`` ended without a word."""

    def __init__(self, kind: str) -> None:
        again = _AGAIN.get(kind, "start it again")
        super().__init__(f"its process ended; what it had finished is kept. To continue, {again}")


class JobFailure(Value):
    """What ended a job: the class of the error, its code, its sentence and its details."""

    error: str
    code: str
    text: str
    next_step: dict[str, Any] | None = None
    details: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(cls, error: Exception) -> Self:
        """Errors outside the hierarchy are reported as one, whose details are in the log."""
        if not isinstance(error, CiteLoomError):
            return cls(error=CiteLoomError.__name__, code=CiteLoomError.code, text=_UNREAD)
        step = error.next_step
        return cls(
            error=type(error).__name__,
            code=error.code,
            text=str(error.message),
            next_step=None if step is None else asdict(step),
            details=plain(error.details),
        )

    def as_error(self) -> CiteLoomError:
        """The error again, of the same class where this process knows it."""
        kind = next((one for one in _kinds(CiteLoomError) if one.__name__ == self.error), None)
        if kind is None:
            kind = type(self.error, (CiteLoomError,), {"code": self.code})
        error = kind.__new__(kind, self.text)
        error.message = UserMessage(self.text, NextStep.of(self.next_step))
        error.details = dict(self.details)
        error.args = (self.text,)
        return error


def _kinds(kind: type[CiteLoomError]) -> Iterator[type[CiteLoomError]]:
    yield kind
    for one in kind.__subclasses__():
        yield from _kinds(one)


def plain(value: object) -> Any:
    """Values that JSON can represent."""
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return str(value)


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
    """The progress of a job: ``done`` of ``total`` (None if unknown), in the unit of its kind, and
    its current work. ``position`` counts in its queue, from 1, if it waits for the job
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
    """A job without its request and its result, which are read separately.

    ``digest`` is the same for equal requests. ``sequence`` is the number of its last event.
    ``heard_at`` is the last heartbeat of its ``worker``.
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
        """Whether the job runs in the record, but its worker has been silent for too long."""
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
