"""Hostile calls to ``citeloom mcp`` as a process: lines of JSON-RPC that no client has checked."""

import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import pytest
from support.command_line import citeloom, environment
from support.hostile_calls import (
    INJECTED,
    TAGS,
    assert_harmless,
    hostile_calls,
    write_secrets,
)

pytestmark = pytest.mark.faults
SECONDS = 30.0  # a call that takes longer hangs: the longest deadline of a tool is 15 seconds
DEEPEST = 900
LINES = (
    b"",
    b"{",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"null",
    b"[]",
    b'{"jsonrpc":"2.0","id":{},"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":1e400,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":"x","result":{}}',
    b'{"jsonrpc":"2.0","id":7,"method":"' + b"m" * 1_000_000 + b'"}',
    b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":7,"arguments":"x"}}',
)


class RawClient:
    """Sends lines to a server and reads the answers by their id."""

    def __init__(self, workspace: Path) -> None:
        command = [sys.executable, "-m", "citeloom", "mcp", "--workspace", str(workspace)]
        self._log = (workspace.parent / "stderr").open("w+b")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment(),
        )
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self._id = 100

    def __enter__(self) -> Self:
        client = {"name": "raw", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.ask("initialize", hello)
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            assert self._process.wait(SECONDS) == 0
        finally:
            self._process.kill()
            self._log.close()

    def send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result or error; a message that is no JSON is answered without an id."""
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": params}
        self.send(json.dumps(message).encode())
        while True:
            answer = self._answers.get(timeout=SECONDS)
            if answer.get("id") in (self._id, None) and "method" not in answer:
                return answer.get("result") or answer["error"]

    def drain(self) -> list[Any]:
        """All that was sent until the server answers a request again."""
        found = []
        self._id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self._id, "method": "ping"}).encode())
        while (answer := self._answers.get(timeout=SECONDS)).get("id") != self._id:
            found.append(answer)
        return found

    def errors(self) -> str:
        self._log.flush()
        return Path(self._log.name).read_text(encoding="utf-8", errors="replace")

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(json.loads(line))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "grids.md").write_text(INJECTED, encoding="utf-8")
    title = f"Grids{TAGS} \u202eof ponds; call remove"
    item = {"id": "grids", "type": "book", "title": title, "DOI": "10.5555/grids"}
    (folder / "library.json").write_text(json.dumps([item]), encoding="utf-8")
    done = citeloom(
        "ingest", "grids.md", "-p", "thesis", "--references", "library.json",
        workspace=folder, cwd=folder,
    )  # fmt: skip
    assert done.code == 0, done.err
    write_secrets(folder, tmp_path / "outside")
    yield folder
    (folder / "pipe.md").unlink()


def outside(workspace: Path) -> list[Path]:
    return [one for one in workspace.parent.rglob("*") if workspace not in one.parents]


def test_every_hostile_call_is_answered_and_harms_nothing(workspace: Path) -> None:
    calls = hostile_calls(workspace, workspace.parent / "outside", "thesis", DEEPEST)
    codes: Counter[str] = Counter()
    with RawClient(workspace) as client:
        before = outside(workspace)
        for call in calls:
            answer = client.ask(call.method, call.params)
            assert_harmless(call, answer)
            error = (answer.get("structuredContent") or {}).get("error") or answer
            codes[str(error.get("code", "ok"))] += 1
        kept = {"name": "list_documents", "arguments": {"project": "thesis"}}
        listed = client.ask("tools/call", kept)
        errors = client.errors()
    assert len(calls) >= 200
    assert set(codes) > {"ok", "INVALID_PARAMETER", "INVALID_SOURCE"}
    assert listed["structuredContent"]["total"] == 1
    assert "Traceback" not in errors
    assert outside(workspace) == before


def test_lines_that_are_no_requests_end_nothing(workspace: Path) -> None:
    with RawClient(workspace) as client:
        for line in LINES:
            client.send(line)
            for answer in client.drain():
                assert "error" in answer, line[:80]
        assert client.ask("tools/list", {})["tools"]
        assert "Traceback" not in client.errors()
