"""Streams of server-sent events, and the states of a job in them."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any, Final, NamedTuple, Self, TypeVar

import anyio
import anyio.to_thread
from fastapi import Header, Query, Response
from fastapi.sse import ServerSentEvent
from pydantic import BaseModel

from citeloom.domain.errors import CiteLoomError, InvalidRequest
from citeloom.domain.ingest import IngestResult
from citeloom.domain.jobs import JobProgress, JobStatus
from citeloom.domain.text.characters import whole_number
from citeloom.infrastructure.serving.jobs import ingests
from citeloom.infrastructure.serving.jobs.job import AnyView
from citeloom.infrastructure.serving.next_steps import Busy

from .problems import in_words

T = TypeVar("T")
# Seconds between two looks at what a stream reports.
_LOOK_SECONDS: Final = 0.25
# Streams open at once.
_MOST: Final = 32
# Threads that look, for all streams.
_LOOKING: Final = 2
_RETRY_SECONDS: Final = 5
HEADER: Final = "Last-Event-ID"
_HIGHEST: Final = 2**53 - 1

LastEventId = Annotated[
    str | None,
    Header(
        alias=HEADER,
        max_length=20,
        json_schema_extra={"pattern": "^[0-9]{1,15}$"},
        description="Number of the last event that the client has; `after` without one.",
    ),
]
After = Annotated[
    int, Query(ge=0, le=_HIGHEST, description="Start after the event with this number.")
]


class Streams:
    """The streams of a server; for the thread of its loop. ``is_ending``: the server ends, and
    they with it."""

    def __init__(self, is_ending: Callable[[], bool]) -> None:
        self._is_ending = is_ending
        self._open = 0
        self._threads = anyio.CapacityLimiter(_LOOKING)

    @contextmanager
    def opened(self, operation: str) -> Iterator[None]:
        """Raises Busy while as many are open as may be."""
        if self._open >= _MOST:
            raise Busy(operation, self._open, _RETRY_SECONDS)
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    async def pause(self) -> bool:
        """Wait until the next look; returns whether there is one."""
        await anyio.sleep(_LOOK_SECONDS)
        return not self._is_ending()

    async def look(self, read: Callable[[], T]) -> T:
        """The result of ``read``, in a thread."""
        return await anyio.to_thread.run_sync(read, limiter=self._threads)


def begun_after(last_event_id: str | None, after: int) -> int:
    """The number of the last event that the client has, 0 without any. Raises InvalidRequest."""
    if last_event_id is None:
        return after
    number = whole_number(last_event_id)
    if number is None or number > _HIGHEST:
        raise InvalidRequest(
            f"{HEADER}: {last_event_id!r}: no number of an event; leave it out to begin with the "
            "first",
            parameter=HEADER,
        )
    return int(last_event_id)


def check_given(after: int, last: int, whose: str) -> None:
    """Raises InvalidRequest for a number beyond the ``last`` event."""
    if after > last:
        raise InvalidRequest(
            f"{HEADER}: {after}: the {whose} has {last} events; leave it out to begin with the "
            "first",
            parameter=HEADER,
        )


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
        """The range, former or current."""
        named = {"id": job.id, "kind": job.kind, "project": job.project}
        return cls.model_validate(dict(progress) | named | {"started": progress.started_at})

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
    """The answer to the request that started it, which continues without its client."""
    job.is_known = True
    response.headers["Location"] = f"/api/v1/jobs/{job.id}"
    return JobState.of(job)


class FollowedJob(NamedTuple):
    """A job whose states are followed, from the one after ``after``, as long as the client follows
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
