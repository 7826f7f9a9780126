"""Events of jobs: numbered once for all who follow, kept for those who were cut off."""

import threading
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
from fastapi.sse import ServerSentEvent

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.http.event_numbers import begun_after, check_given
from citeloom.infrastructure.http.jobs.job_events import FollowedJob, JobEvents, JobHistory
from citeloom.infrastructure.http.jobs.job_state import JobState
from citeloom.infrastructure.mcp.jobs.job import Advance, Job, JobStatus


class Counting(Job[str, str]):
    """A job whose steps a test takes."""

    kind = "count"
    project = "local/thesis"

    def __init__(self) -> None:
        super().__init__("count", threading.Event())
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

    async def tick(self) -> None:
        """All that wait look, twice: the one who writes, then those who follow."""
        for _ in range(2):
            before, self._next = self._next, anyio.Event()
            before.set()
            await anyio.wait_all_tasks_blocked()


class Server:
    """One job of a server, and who follows it."""

    def __init__(self) -> None:
        self.job = Counting()
        self.pulse = Pulse()
        jobs = cast(Any, SimpleNamespace(before=lambda job: []))
        self.events = JobEvents(jobs, cast(Any, self.pulse))

    async def step(self) -> None:
        self.job.steps += 1
        await self.pulse.tick()

    async def end(self) -> None:
        self.job.run()
        await self.pulse.tick()

    async def follow(self, told: list[ServerSentEvent], after: int = 0) -> None:
        history = self.events.history(self.job)
        async for event in FollowedJob(history, cast(Any, self.pulse), after).events():
            told.append(event)  # noqa: PERF401 each when it comes


def within(scene: Callable[[Server], Awaitable[None]]) -> None:
    async def play() -> None:
        with anyio.fail_after(20):
            await scene(Server())

    anyio.run(play)


def steps(told: list[ServerSentEvent]) -> list[tuple[str | None, str | None, Any]]:
    return [(one.id, one.event, one.data["done"]) for one in told]


def test_who_comes_back_gets_what_happened_meanwhile_once_and_in_order() -> None:
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


def test_all_who_follow_a_job_get_the_same_numbers() -> None:
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


def test_a_job_that_has_ended_is_told_by_its_end() -> None:
    async def scene(server: Server) -> None:
        server.job.cancel()
        told: list[ServerSentEvent] = []
        await server.follow(told)
        assert [(one.id, one.event, one.data["code"]) for one in told] == [
            (None, "cancelled", "CANCELLED")
        ]

    within(scene)


def test_a_server_that_ends_leaves_the_stream_without_a_last_event() -> None:
    async def scene(server: Server) -> None:
        told: list[ServerSentEvent] = []
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.follow, told)
            await anyio.wait_all_tasks_blocked()
            server.pulse.is_ending = True
            await server.pulse.tick()
        assert [one.event for one in told] == ["progress"]

    within(scene)


def a_state(done: int) -> JobState:
    return JobState(
        id="a", kind="ingest", project="local/thesis", status=JobStatus.RUNNING, done=done,
        total=None, doing=None, position=None, started=None,
    )  # fmt: skip


def test_the_oldest_states_are_forgotten_and_the_numbers_go_on() -> None:
    history = JobHistory(most=3)
    for done in (1, 2, 2, 3, 4, 5):
        history.add(a_state(done))
    assert [(number, one.done) for number, one in history.after(0)] == [(3, 3), (4, 4), (5, 5)]
    assert [number for number, _ in history.after(4)] == [5]


@pytest.mark.parametrize("number", ["x", "", "٣", "9" * 20, "-1"])
def test_what_is_no_number_of_an_event_is_refused(number: str) -> None:
    with pytest.raises(InvalidRequest, match="Last-Event-ID"):
        begun_after(number, 0)


def test_a_number_that_the_job_never_had_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="the job has 2 events"):
        check_given(3, 2, "job")
