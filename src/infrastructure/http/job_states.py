"""States of a job: in answers, and as numbered events for those who follow it."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Self

from fastapi import Response
from fastapi.sse import ServerSentEvent
from pydantic import BaseModel

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.jobs.recorded_job import JobProgress, JobStatus
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.streams import Streams
from citeloom.infrastructure.serving.jobs import ingests
from citeloom.infrastructure.serving.jobs.view import AnyView

_UNREAD: Final = "the job failed; the server's log has the details"
# Looks at a job of another process are as many fewer: each asks the database.
_ELSEWHERE: Final = 2


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


class FollowedJob(NamedTuple):
    """A job whose states are followed, from the one after ``after``, as long as whoever follows
    ``sees`` it."""

    job: AnyView
    streams: Streams
    after: int
    sees: Callable[[AnyView], bool]

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Each state once and in order, as ``progress``; at last one without a number that is
        called as the job ended. A server that ends leaves that out."""
        after = self.after
        while True:
            states, end = await self._looked(after)
            for number, state in states:
                after = number
                yield _event("progress", state, str(number))
            if end is not None:
                yield _event(end.status, end)
                return
            for _ in range(_ELSEWHERE if self.job.is_elsewhere else 1):
                if not await self.streams.pause():
                    return
            if not await self.streams.look(lambda: self.sees(self.job)):
                return

    async def _looked(self, after: int) -> tuple[list[tuple[int, JobState]], JobState | None]:
        """The states after this number, and the end."""
        job = self.job

        def look() -> tuple[list[tuple[int, JobState]], JobState | None]:
            job.refresh()
            end = JobState.of(job) if job.has_ended else None
            events = job.events(after)
            return [(one.number, JobState.at(job, one.progress)) for one in events], end

        return await self.streams.look(look) if job.is_elsewhere else look()


def _event(name: str, state: JobState, id: str | None = None) -> ServerSentEvent:
    return ServerSentEvent(data=state.model_dump(mode="json"), event=name, id=id)
