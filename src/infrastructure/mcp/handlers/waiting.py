"""Waiting for jobs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.mcp.answers import search
from citeloom.infrastructure.mcp.answers.search import Content
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.jobs.ingests import IngestJob
from citeloom.infrastructure.mcp.jobs.queue import Job, Tell


def progress(served: Served, job: IngestJob, seconds: float, tell: Tell) -> Content:
    """The job's result if it ends within ``seconds``, else how far it is."""
    if not job.wait(seconds, tell):
        return search.progress(job)
    result = job.result()
    search.refuse_failure(result)
    project = served.application.stores.catalogue.project(job.asked.project_id)
    return search.ingested(result, project.sparse_model)


@contextmanager
def named(job: Job[Any, Any]) -> Iterator[None]:
    """Errors that ended the job name it."""
    try:
        yield
    except CiteLoomError as error:
        error.details = {**error.details, **job.handles()}
        raise
