"""The states of jobs as numbered events, kept for those who were cut off."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from fastapi.sse import ServerSentEvent

from citeloom.infrastructure.http.jobs.job_state import JobState
from citeloom.infrastructure.http.streams import Streams
from citeloom.infrastructure.mcp.jobs.background import Background
from citeloom.infrastructure.mcp.jobs.job import AnyJob

#: States of a job that are kept: two minutes of one that changes at every look.
MOST_STATES: Final = 500


class JobHistory:
    """The last states that a job was seen in, numbered from 1, and at last how it ended, which has
    no number."""

    def __init__(self, most: int = MOST_STATES) -> None:
        self._states: deque[JobState] = deque(maxlen=most)
        self.last = 0
        self.end: JobState | None = None

    def add(self, state: JobState) -> None:
        if not self._states or state != self._states[-1]:
            self._states.append(state)
            self.last += 1

    def after(self, number: int) -> Iterator[tuple[int, JobState]]:
        """Those that are kept of the states with a higher number, in order."""
        kept = list(self._states)
        first = self.last - len(kept) + 1
        return ((n, one) for n, one in enumerate(kept, start=first) if n > number)


class JobEvents:
    """Histories of jobs, each written from when somebody first follows it until its end, whether
    anybody still follows or not. For the thread of the server's loop."""

    def __init__(self, jobs: Background, streams: Streams) -> None:
        self._jobs = jobs
        self._streams = streams
        self._histories: WeakKeyDictionary[AnyJob, JobHistory] = WeakKeyDictionary()
        self._writing: set[asyncio.Task[None]] = set()

    def history(self, job: AnyJob) -> JobHistory:
        """With the present state."""
        if (known := self._histories.get(job)) is not None:
            return known
        history = self._histories[job] = JobHistory()
        self._look(job, history)
        if history.end is None:
            task = asyncio.get_running_loop().create_task(self._write(job, history))
            self._writing.add(task)
            task.add_done_callback(self._writing.discard)
        return history

    async def _write(self, job: AnyJob, history: JobHistory) -> None:
        while history.end is None and await self._streams.pause():
            self._look(job, history)

    def _look(self, job: AnyJob, history: JobHistory) -> None:
        has_ended = job.has_ended
        state = JobState.of(self._jobs, job)
        if has_ended:
            history.end = state
        else:
            history.add(state)


class FollowedJob(NamedTuple):
    """A job whose states are followed, from the one after ``after``."""

    history: JobHistory
    streams: Streams
    after: int

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """Each state once and in order, as ``progress``; at last one without a number that is
        called as the job ended. A server that ends leaves that out."""
        after = self.after
        while True:
            end = self.history.end
            for number, state in self.history.after(after):
                after = number
                yield _event("progress", state, str(number))
            if end is not None:
                yield _event(end.status, end)
                return
            if not await self.streams.pause():
                return


def _event(name: str, state: JobState, number: str | None = None) -> ServerSentEvent:
    return ServerSentEvent(data=state.model_dump(mode="json"), event=name, id=number)
