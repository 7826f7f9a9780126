"""Calls: deadlines, errors, and that a slow one holds up nobody."""

import threading
import time
from typing import Any, cast

import anyio
import orjson
import pytest
from mcp import Client

from citeloom.domain.errors import EmbeddingModelMismatch
from citeloom.infrastructure.mcp.calls import Answer, Calls
from citeloom.infrastructure.mcp.contract.parameters.projects import NoParameters
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.tools.tool import Tool

NOBODY = cast(Served, None)


def tool(name: str, handler: Any, seconds: float = 5.0) -> Tool:
    return Tool(
        name=name,
        title="",
        description="",
        parameters=NoParameters,
        handler=handler,
        seconds=seconds,
    )


def call(*tools: Tool, name: str | None = None) -> Answer:
    async def run() -> Answer:
        calls = Calls({tool.name: tool for tool in tools}, NOBODY)
        return await calls(name or tools[0].name, {})

    return anyio.run(run)


def raising(error: Exception) -> Any:
    def handler(_served: Served, _wanted: NoParameters) -> dict[str, Any]:
        raise error

    return handler


def test_every_answer_has_a_correlation_id() -> None:
    first = call(tool("a", lambda *_: {"x": 1}))
    second = call(tool("a", lambda *_: {"x": 1}))

    assert first.content["x"] == 1
    assert first.content["correlation_id"] != second.content["correlation_id"]


def test_the_correlation_id_of_an_ingest_is_that_of_its_audit_record() -> None:
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
        calls = Calls({"slow": slow, "fast": fast}, NOBODY)

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
            return await client.call_tool("nope", {})

    result = anyio.run(run)

    assert result.is_error
    assert result.structured_content["error"]["code"] == "UNKNOWN_TOOL"
    assert [block.type for block in result.content] == ["text"]
    assert orjson.dumps(result.structured_content).decode() == result.content[0].text
