"""Events of jobs: numbered once for all who follow, kept for those who were cut off."""

import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any, cast

import anyio
import pytest
from fastapi.sse import ServerSentEvent
from support.cases import each
from support.in_memory.server.job_record import InMemoryJobRecord
from support.recorders import a_recorder

from citeloom.application.ports.jobs import JobEvent
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.jobs import MOST_EVENTS, JobFailure, RecordedJob
from citeloom.infrastructure.http.events import FollowedJob, begun_after, check_given
from citeloom.infrastructure.serving.jobs.background import everything
from citeloom.infrastructure.serving.jobs.job import Advance, AnyView, Job
from citeloom.infrastructure.serving.jobs.queue import JobElsewhere

Play = Callable[[Callable[["Server"], Awaitable[None]]], None]


class Counting(Job[str, str]):
    """A job whose steps a test takes, and which never begins by itself."""

    kind = "count"
    project = "local/thesis"

    def __init__(self, asked: str, stopping: threading.Event) -> None:
        super().__init__(asked, stopping)
        self.steps = 0

    def work(self) -> str:
        return "counted"

    def advance(self) -> Advance:
        return Advance(self.steps, 9, f"step {self.steps}")


class Pulse:
    """Streams whose pauses end when the test says so."""

    def __init__(self) -> None:
        self.is_ending = False
        self._next = anyio.Event()

    async def pause(self) -> bool:
        await self._next.wait()
        return not self.is_ending

    async def look(self, read: Callable[[], Any]) -> Any:
        return read()

    async def tick(self) -> None:
        """All that wait look."""
        for _ in range(2):  # who looks at a job of another process waits for two
            before, self._next = self._next, anyio.Event()
            before.set()
            await anyio.wait_all_tasks_blocked()


class Server:
    """A job, written down when the test says so, and who follows it: at its own process, or
    ``elsewhere``."""

    def __init__(self, *, elsewhere: bool) -> None:
        self.pulse = Pulse()
        self.job = Counting("count", threading.Event())
        self.number = 0
        self.record = InMemoryJobRecord()
        recorder = a_recorder(self.record)
        self._now = recorder.clock.now
        self._entry = RecordedJob(
            id=self.job.id, kind="count", project="local/thesis", digest="d", worker="one",
            heard_at=self._now(), created_at=self._now(),
        )  # fmt: skip
        assert self.record.enter(self._entry, "{}") is None
        self._write()
        there = JobElsewhere(self._entry, json.loads, recorder)
        self.seen: AnyView = there if elsewhere else self.job
        self.seen.refresh()

    async def step(self) -> None:
        self.job.steps += 1
        self._write()
        await self.pulse.tick()

    async def end(self) -> None:
        self.job.run()
        self._finish()
        await self.pulse.tick()

    def cancel(self) -> None:
        self.job.cancel()
        self._finish()

    async def follow(self, told: list[ServerSentEvent], after: int = 0) -> None:
        async for event in FollowedJob(
            self.seen, cast(Any, self.pulse), after, everything
        ).events():
            told.append(event)  # noqa: PERF401 each when it comes

    def _write(self) -> None:
        self.number += 1
        event = JobEvent(number=self.number, progress=self.job.progress())
        self.record.advance(self.job.id, event, self._now())
        self.job.note(event)

    def _finish(self) -> None:
        failure = self.job.error and JobFailure.of(self.job.error)
        changes = {"progress": self.job.progress(), "failure": failure, "ended_at": self._now()}
        self.record.finish(self._entry.model_copy(update=changes), None)


@pytest.fixture(params=["here", "elsewhere"])
def within(request: pytest.FixtureRequest) -> Play:
    """Plays a scene at a server whose job is of this process, or of another."""

    def play(scene: Callable[["Server"], Awaitable[None]]) -> None:
        async def played() -> None:
            with anyio.fail_after(20):
                await scene(Server(elsewhere=request.param == "elsewhere"))

        anyio.run(played)

    return play


def steps(told: list[ServerSentEvent]) -> list[tuple[str | None, str | None, Any]]:
    return [(one.id, one.event, one.data["done"]) for one in told]


def test_who_comes_back_gets_what_happened_meanwhile_once_and_in_order(within: Play) -> None:
    async def scene(server: Server) -> None:
        first: list[ServerSentEvent] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.follow, first)
            await anyio.wait_all_tasks_blocked()
            await server.step()
            tasks.cancel_scope.cancel()
        await server.step()
        await server.step()
        second: list[ServerSentEvent] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.follow, second, int(first[-1].id or 0))
            await anyio.wait_all_tasks_blocked()
            await server.end()
        assert steps(first) == [("1", "progress", 0), ("2", "progress", 1)]
        assert steps(second) == [
            ("3", "progress", 2), ("4", "progress", 3), (None, "done", 3),
        ]  # fmt: skip

    within(scene)


def test_all_who_follow_a_job_get_the_same_numbers(within: Play) -> None:
    async def scene(server: Server) -> None:
        early: list[ServerSentEvent] = []
        late: list[ServerSentEvent] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.follow, early)
            await anyio.wait_all_tasks_blocked()
            await server.step()
            tasks.start_soon(server.follow, late)
            await server.end()
        assert steps(early) == steps(late)

    within(scene)


def test_a_job_that_has_ended_is_told_by_its_end(within: Play) -> None:
    async def scene(server: Server) -> None:
        server.cancel()
        told: list[ServerSentEvent] = []
        await server.follow(told)
        assert [one.event for one in told] == ["progress", "cancelled"]
        assert (told[-1].id, told[-1].data["code"]) == (None, "CANCELLED")

    within(scene)


def test_a_server_that_ends_leaves_the_stream_without_a_last_event(within: Play) -> None:
    async def scene(server: Server) -> None:
        told: list[ServerSentEvent] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.follow, told)
            await anyio.wait_all_tasks_blocked()
            server.pulse.is_ending = True
            await server.pulse.tick()
        assert [one.event for one in told] == ["progress"]

    within(scene)


def test_the_oldest_states_are_forgotten_and_the_numbers_go_on() -> None:
    job = Counting("count", threading.Event())
    for number in range(1, MOST_EVENTS + 3):
        job.steps = number
        job.note(JobEvent(number=number, progress=job.progress()))
    assert (job.events(0)[0].number, job.last_event) == (3, MOST_EVENTS + 2)
    assert [one.number for one in job.events(MOST_EVENTS)] == [MOST_EVENTS + 1, MOST_EVENTS + 2]


@each("number", ["x", "", "٣", "9" * 20, "9" * 5000, "-1"])
def test_what_is_no_number_of_an_event_is_refused(number: str) -> None:
    with pytest.raises(InvalidRequest, match="Last-Event-ID"):
        begun_after(number, 0)


def test_a_number_that_the_job_never_had_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="the job has 2 events"):
        check_given(3, 2, "job")
