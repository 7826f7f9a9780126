"""Calls: deadlines, errors, and that a slow one holds up nobody."""

import threading
import time
from typing import Any, cast

import anyio
import orjson
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from support.pending_answers import ends

from citeloom.domain.errors import EmbeddingModelMismatch
from citeloom.domain.progress import checkpoint
from citeloom.infrastructure.mcp.answers.contents import Reply
from citeloom.infrastructure.mcp.calls import Answer, Calls
from citeloom.infrastructure.mcp.contract.parameters import ListProjectsParameters
from citeloom.infrastructure.mcp.tools import Tool
from citeloom.infrastructure.serving.jobs.job import Advance, Job
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.served import Served


def nobody() -> Served:
    return Served(cast(Any, None), cast(Any, None), cast(Any, None), patience=0.0)


def tool(name: str, handler: Any, seconds: float = 5.0) -> Tool:
    return Tool(
        name=name,
        title="",
        description="",
        parameters=ListProjectsParameters,
        answer=Reply,
        handler=handler,
        seconds=seconds,
    )


def call(*tools: Tool, name: str | None = None) -> Answer:
    async def run() -> Answer:
        calls = Calls({tool.name: tool for tool in tools}, nobody())
        return await calls(name or tools[0].name, {})

    return anyio.run(run)


def raising(error: Exception) -> Any:
    def handler(_served: Served, _wanted: ListProjectsParameters) -> dict[str, Any]:
        raise error

    return handler


def test_every_answer_has_a_correlation_id() -> None:
    first = call(tool("a", lambda *_: {"x": 1}))
    second = call(tool("a", lambda *_: {"x": 1}))

    assert first.content["x"] == 1
    assert first.content["correlation_id"] != second.content["correlation_id"]


def test_the_correlation_id_of_an_ingest_is_that_of_its_journal_entry() -> None:
    assert call(tool("a", lambda *_: {"correlation_id": "run"})).content == {
        "correlation_id": "run"
    }


def test_a_call_that_outlasts_its_deadline_is_an_error_that_says_so() -> None:
    go = threading.Event()

    started = time.monotonic()
    answer = call(tool("slow", lambda *_: go.wait(20) and {}, seconds=0.1))
    took = time.monotonic() - started
    go.set()

    assert answer.is_error
    assert answer.content["error"]["code"] == "TIMEOUT"
    assert answer.content["error"]["details"] == {"operation": "slow", "timeout_seconds": 0.1}
    assert answer.content["correlation_id"]
    assert took < 5


def test_slow_calls_do_not_hold_up_others() -> None:
    go = threading.Event()
    slow = tool("slow", lambda *_: go.wait(20) and {"late": True})
    fast = tool("fast", lambda *_: {"fast": True})
    order: list[str] = []

    async def run() -> None:
        calls = Calls({"slow": slow, "fast": fast}, nobody())

        async def ask(name: str) -> None:
            await calls(name, {})
            order.append(name)

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(ask, "slow")
            await anyio.sleep(0.05)
            await ask("fast")
            go.set()

    anyio.run(run)
    assert order == ["fast", "slow", "slow", "slow", "slow"]


def test_an_unknown_tool_is_told_which_there_are() -> None:
    answer = call(tool("known", lambda *_: {}), name="nope")

    assert answer.content["error"]["code"] == "UNKNOWN_TOOL"
    assert "known" in answer.content["error"]["message"]


def test_our_errors_keep_code_and_details() -> None:
    answer = call(tool("a", raising(EmbeddingModelMismatch("local/p", "one@3:x", "two@4:y"))))

    assert answer.content["error"]["code"] == "EMBEDDING_MISMATCH"
    assert answer.content["error"]["details"] == {
        "project_id": "local/p",
        "expected_model": "one@3:x",
        "provided_model": "two@4:y",
    }


def test_an_unexpected_error_tells_its_type_and_nothing_of_the_inside(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = call(tool("a", raising(KeyError("secret"))))

    assert answer.content["error"]["code"] == "INTERNAL_ERROR"
    assert answer.content["error"]["details"] == {"type": "KeyError"}
    assert "secret" not in str(answer.content)
    assert "Traceback" not in str(answer.content)
    assert "secret" in caplog.text
    assert answer.content["correlation_id"] in caplog.text


def test_a_full_disk_is_a_failure_of_the_storage() -> None:
    answer = call(tool("a", raising(OSError(28, "No space left on device", "/w/x"))))

    assert answer.content["error"]["code"] == "STORAGE_FAILED"
    assert answer.content["error"]["message"].startswith("/w/x: No space left")


def test_an_error_is_a_tool_result_with_the_same_json_as_text(idle_server: Any) -> None:
    async def run() -> Any:
        async with Client(idle_server) as client:
            with pytest.raises(MCPError) as unknown:
                await client.call_tool("nope", {})
            assert unknown.value.error.code == INVALID_PARAMS
            assert unknown.value.error.data["error"]["code"] == "UNKNOWN_TOOL"
            return await client.call_tool("query", {"project": "p"})

    result = anyio.run(run)

    assert result.is_error
    assert result.structured_content["error"]["code"] == "MISSING_PARAMETER"
    assert [block.type for block in result.content] == ["text"]
    assert orjson.dumps(result.structured_content).decode() == result.content[0].text


def test_two_hundred_that_wait_for_a_job_hold_up_nobody() -> None:
    go = threading.Event()
    job = Waiting(go)
    threading.Thread(target=job.run, daemon=True).start()
    waiting = tool("wait", lambda *_: Pending(job, 20, lambda: {"ended": job.has_ended}))
    fast = tool("fast", lambda *_: {"fast": True})
    before = threading.active_count()

    async def run() -> list[Answer]:
        calls = Calls({"wait": waiting, "fast": fast}, nobody())
        answers: list[Answer] = []

        async def wait() -> None:
            answers.append(await calls("wait", {}))

        async with anyio.create_task_group() as tasks:
            for _ in range(200):
                tasks.start_soon(wait)
            await anyio.sleep(0.05)
            assert (await calls("fast", {})).content["fast"]
            assert answers == []
            assert threading.active_count() - before <= 8 + 1
            go.set()
        return answers

    answers = anyio.run(run)

    assert [answer.content["ended"] for answer in answers] == [True] * 200


class Waiting(Job[str, str]):
    """Waits until it is let go, or cancelled."""

    kind = "waiting"
    project = "local/p"

    def __init__(self, go: threading.Event) -> None:
        super().__init__("", threading.Event())
        self._go = go

    def work(self) -> str:
        while not self._go.wait(0.01):
            checkpoint()
        return "done"

    def advance(self) -> Advance:
        return Advance(0)


def given_up(handler: Any) -> None:
    """Call a tool, and give the call up as soon as it is under way."""

    async def run() -> None:
        calls = Calls({"a": tool("a", handler)}, nobody())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(calls, "a", {})
            await anyio.sleep(0.1)
            tasks.cancel_scope.cancel()

    anyio.run(run)


@pytest.mark.parametrize("is_known", [False, True])
def test_a_call_that_is_given_up_cancels_the_job_that_nobody_else_knows(is_known: bool) -> None:
    go = threading.Event()
    job = Waiting(go)
    job.is_known = is_known
    threading.Thread(target=job.run, daemon=True).start()

    given_up(lambda *_: Pending(job, 20, dict))

    assert job.is_cancelling is not is_known
    go.set()
    assert ends(job, 10)


def test_work_of_a_call_that_is_given_up_stops_at_its_next_checkpoint() -> None:
    stopped = threading.Event()

    def handler(*_: Any) -> dict[str, Any]:
        try:
            while True:
                checkpoint()
                time.sleep(0.01)
        finally:
            stopped.set()

    given_up(handler)

    assert stopped.wait(10)


def test_work_that_timed_out_stops_and_its_thread_serves_the_next() -> None:
    def endless(*_: Any) -> dict[str, Any]:
        while True:
            checkpoint()
            time.sleep(0.005)

    slow, fast = tool("slow", endless, seconds=0.05), tool("fast", lambda *_: {"fast": True})

    async def run() -> tuple[list[Answer], Answer]:
        calls = Calls({"slow": slow, "fast": fast}, nobody())
        answers = [await calls("slow", {}) for _ in range(10)]
        return answers, await calls("fast", {})

    answers, last = anyio.run(run)

    assert {answer.content["error"]["code"] for answer in answers} == {"TIMEOUT"}
    assert last.content["fast"]


def test_calls_under_way_are_answered_when_the_server_ends() -> None:
    go = threading.Event()

    async def run() -> list[Answer]:
        served = nobody()
        calls = Calls({"slow": tool("slow", lambda *_: go.wait(20) and {})}, served)
        answers: list[Answer] = []

        async def ask() -> None:
            answers.append(await calls("slow", {}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await anyio.sleep(0.05)
            served.under_way.end()
            await served.under_way.ended()
            await ask()
            go.set()
        return answers

    answers = anyio.run(run)

    assert [answer.content["error"]["code"] for answer in answers] == ["UNAVAILABLE"] * 2
    assert "the server is stopping" in answers[0].content["error"]["message"]
