"""Lanes: so many at once, the others in order; refused early where the wait would be long."""

import threading
import time

import anyio
import pytest

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.serving.jobs.job import Advance
from citeloom.infrastructure.serving.lanes import Lane


def lane(workers: int = 1, *, patience: float = 60.0, seconds_each: float = 0.01) -> Lane:
    return Lane("test", workers, patience=patience, seconds_each=seconds_each)


def test_no_more_run_at_once_than_there_are_workers_and_in_order() -> None:
    at_once, most, order = 0, 0, list[int]()

    def work(number: int) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        order.append(number)
        time.sleep(0.01)
        at_once -= 1

    async def run() -> None:
        one = lane()
        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(one.run, "x", lambda number=number: work(number), 5.0)
                await anyio.sleep(0)

    anyio.run(run)
    assert most == 1
    assert order == list(range(8))


def test_waiting_for_a_turn_does_not_count_in_the_deadline() -> None:
    go = threading.Event()

    async def run() -> list[str]:
        one, ended = lane(), list[str]()

        async def ask(name: str, seconds: float) -> None:
            await one.run(name, lambda: go.wait(10), seconds)
            ended.append(name)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, "first", 10.0)
            await anyio.sleep(0.02)
            tasks.start_soon(ask, "second", 0.2)
            await anyio.sleep(0.4)
            go.set()
        return ended

    assert anyio.run(run) == ["first", "second"]


def test_a_call_that_would_wait_too_long_is_refused_with_what_to_do() -> None:
    go = threading.Event()

    async def run() -> CiteLoomError:
        one = lane(patience=5.0, seconds_each=2.0)
        async with anyio.create_task_group() as tasks:
            for _ in range(3):  # one runs, two wait: the next would wait for six seconds
                tasks.start_soon(one.run, "rerank", lambda: go.wait(10), 10.0)
                await anyio.sleep(0.05)
            with pytest.raises(CiteLoomError) as raised:
                await one.run("rerank", lambda: True, 5.0, instead="leave out rerank")
            go.set()
        return raised.value

    error = anyio.run(run)
    assert error.code == "BUSY"
    assert error.details == {"operation": "rerank", "waiting": 2, "retry_after": 4}
    assert "leave out rerank" in error.message


def test_who_waits_hears_of_each_place_gained() -> None:
    first, second = threading.Event(), threading.Event()
    heard: list[Advance] = []

    async def report(advance: Advance) -> None:
        heard.append(advance)

    async def run() -> None:
        one = lane()
        async with anyio.create_task_group() as tasks:
            for go in (first, second):
                tasks.start_soon(one.run, "x", lambda go=go: go.wait(10), 10.0)
            await anyio.sleep(0.02)
            tasks.start_soon(one.run, "x", lambda: True, 10.0, report)
            await anyio.sleep(0.02)
            first.set()
            while not heard:
                await anyio.sleep(0.05)
            second.set()

    anyio.run(run)
    assert heard == [Advance(1, 1, "waiting for its turn (0 calls ahead)")]


def test_a_call_that_is_given_up_before_its_turn_never_begins() -> None:
    go, ran = threading.Event(), list[str]()

    async def run() -> None:
        one = lane()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(one.run, "x", lambda: go.wait(10), 10.0)
            await anyio.sleep(0.02)
            with anyio.move_on_after(0.02):
                await one.run("x", lambda: ran.append("given up"), 10.0)
            go.set()
            await one.run("x", lambda: ran.append("next"), 10.0)

    anyio.run(run)
    assert ran == ["next"]
