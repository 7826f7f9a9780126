"""State of a job, as answers and events have it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Self

from fastapi import Response
from pydantic import BaseModel

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.jobs.recorded_job import JobProgress, JobStatus
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.serving.jobs import ingests
from citeloom.infrastructure.serving.jobs.view import AnyView

_UNREAD: Final = "the job failed; the server's log has the details"


class JobState(BaseModel):
    """A job. ``done`` of ``total`` is in documents, citations, steps or
    projects; ``total`` is null while it
    is not known. ``position`` counts in the queue, from 1. ``code`` and ``detail`` say why it
    failed; ``documents`` what became of each file of an ingest that has ended."""

    id: str
    kind: str
    project: str
    status: JobStatus
    done: float
    total: float | None
    doing: str | None
    position: int | None
    started: datetime | None
    code: str | None = None
    detail: str | None = None
    documents: Sequence[dict[str, Any]] | None = None
    warnings: Sequence[str] = ()

    @classmethod
    def of(cls, job: AnyView) -> Self:
        progress = job.progress()
        state = cls.at(job, progress)
        return state._ended(job) if progress.status.is_end else state

    @classmethod
    def at(cls, job: AnyView, progress: JobProgress) -> Self:
        """As it was, or is."""
        return cls(
            id=job.id,
            kind=job.kind,
            project=job.project,
            status=progress.status,
            done=progress.done,
            total=progress.total,
            doing=progress.doing,
            position=progress.position,
            started=progress.started_at,
        )

    def _ended(self, job: AnyView) -> Self:
        if job.kind != ingests.KIND.name and job.error is None:
            return self  # its result is asked for apart
        try:
            result = job.result()
        except CiteLoomError as error:
            return self.model_copy(update={"code": error.code, "detail": in_words(error.message)})
        except Exception:
            return self.model_copy(update={"code": "INTERNAL_ERROR", "detail": _UNREAD})
        if not isinstance(result, IngestResult):
            return self
        told = result.model_dump(mode="json", context=in_words)
        return self.model_copy(
            update={"documents": told["documents"], "warnings": told.get("warnings", ())}
        )


def begun(job: AnyView, response: Response) -> JobState:
    """The answer to the request that began it: it goes on without its client."""
    job.is_known = True
    response.headers["Location"] = f"/api/v1/jobs/{job.id}"
    return JobState.of(job)
