"""Lanes: a limited number of threads for calls; the others wait in order of arrival."""

import asyncio
import contextvars
import math
import os
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from enum import StrEnum
from typing import Any, Final, Generic, NamedTuple, TypeVar

import anyio

from citeloom.domain.errors import OperationTimeout
from citeloom.domain.progress import Cancelled, cancellable

from .jobs.job import Advance
from .next_steps import Busy

T = TypeVar("T")
Report = Callable[[Advance], Coroutine[Any, Any, None]]

# Seconds between two looks at the place of a call that waits for its turn.
_PULSE: Final = 0.5
# Seconds beyond its patience after which a call that has not begun is refused after all.
_OVERTIME: Final = 5.0
# Calls that wait in a lane at most.
_PLACES: Final = 1000
# From how many cores on two heavy calls at once are faster than one after the other.
_MANY_CORES: Final = 8
# How much the last call counts in the mean duration of a call.
_LATEST: Final = 0.3


async def unreported(_advance: Advance) -> None:
    """Discards reports."""


class LaneStanding(NamedTuple):
    """How a lane stands. ``begun`` and ``refused`` count its calls since the start of the server,
    which have waited for ``waited_seconds`` together."""

    name: str
    workers: int
    waiting: int
    running: int
    begun: int
    waited_seconds: float
    refused: int


class Lane:
    """``workers`` threads. A call is refused as soon as it is likely to wait for longer than
    ``patience`` seconds, by the mean duration of those before, at first ``seconds_each``."""

    def __init__(self, name: str, workers: int, *, patience: float, seconds_each: float) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._name = name
        self._workers = workers
        self._patience = patience
        self._mean = seconds_each
        self._waiting: dict[_Call[Any], None] = {}
        self._running: set[_Call[Any]] = set()
        self._begun_calls = self._refused = 0
        self._waited_seconds = 0.0

    def standing(self) -> LaneStanding:
        return LaneStanding(
            name=self._name,
            workers=self._workers,
            waiting=len(self._waiting),
            running=len(self._running),
            begun=self._begun_calls,
            waited_seconds=self._waited_seconds,
            refused=self._refused,
        )

    async def run(
        self,
        operation: str,
        work: Callable[[], T],
        seconds: float,
        report: Report = unreported,
        *,
        instead: str = "",
    ) -> T:
        """The result of ``work``, at most ``seconds`` after it has started in a thread; ``report``
        hears meanwhile how many calls are ahead. Abandoned work stops at its next checkpoint.
        Raises OperationTimeout, Busy with what to do ``instead``, and the errors of the work."""
        wait = self._expected_wait(len(self._waiting))
        if wait > self._patience or len(self._waiting) >= _PLACES:
            retry_after = math.ceil(wait - self._patience / 2)
            raise self._busy(operation, retry_after, instead)
        call = _Call(work)
        self._waiting[call] = None
        try:
            call.submit(self._threads, self._begun, self._ended)
            await self._turn(call, operation, report, instead)
            with anyio.move_on_after(seconds):
                return await call.outcome()
            raise OperationTimeout(operation, seconds)
        finally:
            self._waiting.pop(call, None)
            call.give_up()

    def close(self) -> None:
        """Waiting calls have not started."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _expected_wait(self, before: int) -> float:
        """Seconds until a call with ``before`` calls ahead begins."""
        if len(self._running) + before < self._workers:
            return 0.0
        return self._mean * (before + 1) / self._workers

    async def _turn(self, call: "_Call[Any]", operation: str, report: Report, instead: str) -> None:
        """Returns when it has started."""
        first = told = list(self._waiting).index(call)
        deadline = anyio.current_time() + self._patience + _OVERTIME
        while True:
            with anyio.move_on_after(_PULSE):
                await call.begun.wait()
                return
            if anyio.current_time() > deadline:
                raise self._busy(operation, math.ceil(self._patience), instead)
            before = list(self._waiting).index(call) if call in self._waiting else 0
            if before < told:
                told = before
                doing = f"waiting for its turn ({before} calls ahead)"
                await report(Advance(first - before, first, doing))

    def _busy(self, operation: str, retry_after: int, instead: str) -> Busy:
        self._refused += 1
        return Busy(operation, len(self._waiting), retry_after, instead)

    def _begun(self, call: "_Call[Any]") -> None:
        self._waiting.pop(call, None)
        self._begun_calls += 1
        self._waited_seconds += time.monotonic() - call.since
        self._running.add(call)

    def _ended(self, call: "_Call[Any]") -> None:
        self._running.discard(call)
        if call.seconds is not None:
            self._mean += _LATEST * (call.seconds - self._mean)


class _Call(Generic[T]):
    """Work of one call, on the loop and in its thread."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.begun = anyio.Event()
        self.since = time.monotonic()
        self.seconds: float | None = None
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._given_up = threading.Event()
        self._ended = anyio.Event()
        self._future: Future[T] | None = None

    def submit(
        self,
        threads: ThreadPoolExecutor,
        begun: Callable[["_Call[T]"], None],
        ended: Callable[["_Call[T]"], None],
    ) -> None:
        context = contextvars.copy_context()

        def tell_begin() -> None:
            begun(self)
            self.begun.set()

        def tell_end() -> None:
            ended(self)
            self.begun.set()
            self._ended.set()

        def run() -> T:
            self._on_loop(tell_begin)
            start = time.monotonic()
            try:
                with cancellable(self._check):
                    return self._work()
            finally:
                self.seconds = time.monotonic() - start

        self._future = threads.submit(context.run, run)
        self._future.add_done_callback(lambda _: self._on_loop(tell_end))

    async def outcome(self) -> T:
        await self._ended.wait()
        assert self._future is not None, "it was submitted"
        return self._future.result()

    def give_up(self) -> None:
        self._given_up.set()
        if self._future is not None:
            self._future.cancel()

    def _check(self) -> None:
        if self._given_up.is_set():
            raise Cancelled

    def _on_loop(self, do: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(do)


class LaneName(StrEnum):
    """``READING`` looks things up, ``SEARCHING`` embeds questions, and ``HEAVY`` is for rerankers
    and pages as pictures: one call of it keeps all cores busy."""

    READING = "reading"
    SEARCHING = "searching"
    HEAVY = "heavy"


Lanes = Mapping[LaneName, Lane]


def lanes() -> Lanes:
    """The lanes of a server."""
    workers = 1 if (os.cpu_count() or 1) < _MANY_CORES else 2
    return {
        LaneName.READING: Lane("reading", 8, patience=10.0, seconds_each=0.05),
        LaneName.SEARCHING: Lane("searching", 4, patience=15.0, seconds_each=0.3),
        LaneName.HEAVY: Lane("heavy", workers, patience=45.0, seconds_each=2.0),
    }
