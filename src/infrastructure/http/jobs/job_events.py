"""The states of a job as numbered events, for those who follow it."""

from collections.abc import AsyncIterator, Callable
from typing import Final, NamedTuple

from fastapi.sse import ServerSentEvent

from citeloom.infrastructure.http.jobs.job_state import JobState
from citeloom.infrastructure.http.streams import Streams
from citeloom.infrastructure.serving.jobs.view import AnyView

# Looks at a job of another process are as many fewer: each asks the database.
_ELSEWHERE: Final = 2


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
