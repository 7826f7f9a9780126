"""Checks of drafts: the latest only, stopped by the client, each failure told once."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

from lsprotocol import types

from citeloom.application.ports.verification import DraftMarkup
from citeloom.domain.errors import NoCitations, ShardBusy
from citeloom_lsp.infrastructure.buffers import Buffer
from citeloom_lsp.infrastructure.checks import Checks, Notices

REPORT = Callable[[int, int], None]


class Client:
    """The server's view of a client: what it was told."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.ended: list[str] = []
        self.work_done_progress = self
        self.tokens: dict[Any, Future[None]] = {}
        window = types.WindowClientCapabilities(work_done_progress=True)
        self.client_capabilities = types.ClientCapabilities(window=window)

    async def create_async(self, token: str) -> None:
        self.tokens[token] = Future()

    def begin(self, token: str, value: object) -> None: ...

    def report(self, token: str, value: object) -> None: ...

    def end(self, token: str, value: object) -> None:
        self.ended.append(token)

    def window_show_message(self, params: types.ShowMessageParams) -> None:
        self.messages.append(params.message)


class SlowDesk:
    """Checks until it is stopped or let through."""

    def __init__(self, error: Exception | None = None) -> None:
        self.began = threading.Event()
        self.through = threading.Event()
        self.checked: list[str] = []
        self._error = error

    def model_notice(self) -> None:
        return None

    def verify(self, buffer: Buffer, report: REPORT) -> Any:
        self.checked.append(buffer.text)
        self.began.set()
        if self._error:
            raise self._error
        while not self.through.wait(0.005):
            report(1, 2)
        return SimpleNamespace(text=buffer.text)


def buffer(text: str) -> Buffer:
    return Buffer("file:///d.md", text, 1, DraftMarkup.MARKDOWN, "utf-16")


def run(scene: Callable[[Client, Checks, list[Any]], Coroutine[Any, Any, None]]) -> Client:
    client = Client()

    async def play() -> None:
        results: list[Any] = []

        async def checked(_buffer: Buffer, result: Any) -> None:
            results.append(result)

        checks = Checks(client, checked, Notices(client, str))  # type: ignore[arg-type]
        await scene(client, checks, results)
        assert checks.end(5.0)

    asyncio.run(play())
    return client


async def until(true: Callable[[], object]) -> None:
    for _ in range(2000):
        if true():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came")


def test_a_later_save_stops_the_check_before() -> None:
    async def scene(client: Client, checks: Checks, results: list[Any]) -> None:
        first, second = SlowDesk(), SlowDesk()
        checks.start(first, buffer("one"))  # type: ignore[arg-type]
        await until(first.began.is_set)
        second.through.set()
        checks.start(second, buffer("two"))  # type: ignore[arg-type]
        await until(lambda: len(results) == 2)
        assert results[0] is None
        assert results[1].text == "two"

    assert len(run(scene).ended) == 2


def test_the_client_can_stop_a_check() -> None:
    async def scene(client: Client, checks: Checks, results: list[Any]) -> None:
        desk = SlowDesk()
        checks.start(desk, buffer("one"))  # type: ignore[arg-type]
        await until(desk.began.is_set)
        next(iter(client.tokens.values())).cancel()
        await until(lambda: results)
        assert results == [None]

    assert run(scene).messages == []


def test_the_end_stops_what_runs() -> None:
    async def scene(client: Client, checks: Checks, results: list[Any]) -> None:
        desk = SlowDesk()
        checks.start(desk, buffer("one"))  # type: ignore[arg-type]
        await until(desk.began.is_set)

    run(scene)


def test_a_failure_is_told_once_and_a_draft_without_citations_is_none() -> None:
    async def scene(client: Client, checks: Checks, results: list[Any]) -> None:
        for count, error in enumerate(
            (ShardBusy("busy"), ShardBusy("busy"), NoCitations("none")), start=1
        ):
            checks.start(SlowDesk(error), buffer("one"))  # type: ignore[arg-type]
            await until(lambda count=count: len(results) == count)

    assert run(scene).messages == ["citeloom: busy"]
