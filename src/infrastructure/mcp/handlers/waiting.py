"""Answers that wait for a job."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.jobs import unfinished
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.jobs.job import AnyJob, JobStatus
from citeloom.infrastructure.mcp.jobs.pending import Pending


def awaited(
    served: Served, job: AnyJob, ended: Callable[[], Content], seconds: float | None = None
) -> Pending:
    """What ``ended`` says of the job's result once there is one, else how far the job is after so
    many ``seconds``, at most the patience of a call."""

    def answer() -> Content:
        if not job.has_ended or job.status is JobStatus.CANCELLED:
            return unfinished(served.jobs, job)
        with _named(job):
            return ended()

    return Pending(job, served.patience if seconds is None else seconds, answer)


@contextmanager
def _named(job: AnyJob) -> Iterator[None]:
    """Errors that ended the job name it."""
    try:
        yield
    except CiteLoomError as error:
        error.details = {**error.details, **job.handles()}
        raise
