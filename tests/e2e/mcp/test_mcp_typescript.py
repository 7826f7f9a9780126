"""``citeloom mcp`` through the official TypeScript SDK, over both transports.

The SDK is looked for in build/node (``make typescript``), or where TYPESCRIPT_SDK says.
"""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.command_line import environment
from support.servers.mcp import COMMAND, NODE, PACKAGES, has_package, served_over_http

import citeloom
from citeloom.infrastructure.mcp.tools import LISTED

NOTES = """# Notes on looms

## Threads

The weft crosses the warp under and over. A shuttle carries the weft through the shed.
"""

pytestmark = pytest.mark.skipif(
    not has_package("sdk"),
    reason="needs node and the TypeScript SDK of MCP (make typescript)",
)


class TypeScriptClient:
    def __init__(self, *address: str) -> None:
        script = Path(__file__).with_name("client.cjs")
        self._process = subprocess.Popen(
            [str(NODE), str(script), str(PACKAGES), *address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env=environment(),
        )
        self.greeting = self._answer()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self.send(tool, **arguments)
        assert "failed" not in answer, answer
        return answer

    def send(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result, or how it ``failed`` on its way."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([tool, arguments]) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def content(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What is structured of an answer that is not an error."""
        answer = self.call(tool, **arguments)
        assert not answer.get("isError"), answer
        content: dict[str, Any] = answer["structuredContent"]
        return content

    def close(self) -> int:
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(timeout=30)

    def kill(self) -> None:
        self._process.kill()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@pytest.fixture(params=["stdio", "http"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TypeScriptClient]:
    (tmp_path / "looms.md").write_text(NOTES, "utf-8")
    with ExitStack() as stack:
        if request.param == "stdio":
            address = [*COMMAND, str(tmp_path)]
        else:
            address = [stack.enter_context(served_over_http(tmp_path))]
        client = TypeScriptClient(request.param, *address)
        stack.callback(client.kill)
        yield client
        assert client.close() == 0


def test_papers_are_ingested_found_and_opened(client: TypeScriptClient, tmp_path: Path) -> None:
    assert client.greeting["server"]["version"] == citeloom.__version__
    assert client.greeting["tools"] == list(LISTED)
    assert "list_projects" in client.greeting["instructions"]
    assert client.content("list_projects")["workspace"] == str(tmp_path)

    told = client.content("ingest_from_source", project="looms", source=str(tmp_path / "looms.md"))
    for _ in range(10):
        if told.get("status") not in ("queued", "running"):
            break
        told = client.content("jobs", job_id=told["job_id"], wait_seconds=14)
    assert "chunks_written" in told or told["status"] == "done", told

    found = client.content("query_hybrid", project="looms", text="What crosses the warp?", top_k=1)
    (hit,) = found["items"]
    assert "The weft crosses the warp under and over." in hit["render_text"]
    opened = client.call("open_page", place=hit["address"])
    assert not opened.get("isError"), opened
    assert "shuttle" in json.dumps(opened)
    assert client.content("list_documents", project="looms")


def test_errors_and_half_emoji_are_answered(client: TypeScriptClient) -> None:
    refused = client.call("query_hybrid", project="nope", text="a question")
    assert refused["isError"]
    assert json.loads(refused["content"][0]["text"])["error"]["code"] == "INVALID_PROJECT"
    cut = client.send("query_hybrid", project="nope", text="half \ud83d")
    assert "-32700" in cut["failed"]
    assert client.content("list_projects")["count"] == 0
