"""Answers that wait for a job."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.jobs.recorded_job import JobStatus
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.jobs import unfinished
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.jobs.view import AnyView
from citeloom.infrastructure.serving.served import Served


def awaited(
    served: Served, job: AnyView, ended: Callable[[], Content], seconds: float | None = None
) -> Pending:
    """What ``ended`` says of the job's result once there is one, else how far the job is after so
    many ``seconds``, at most the patience of a call."""

    def answer() -> Content:
        if not job.has_ended or job.status is JobStatus.CANCELLED:
            return unfinished(job)
        with _named(job):
            return ended()

    return Pending(job, served.patience if seconds is None else seconds, answer)


@contextmanager
def _named(job: AnyView) -> Iterator[None]:
    """Errors that ended the job name it."""
    try:
        yield
    except CiteLoomError as error:
        error.details = {**error.details, **job.handles()}
        raise
