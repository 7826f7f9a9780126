"""How ``citeloom mcp`` ends, and that its output holds nothing but the protocol."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.command_line import environment
from support.paths import LIBRARY

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks at processes in /proc"
)

# Seconds for the end of a process on a busy machine.
PATIENCE = 60


class Server:
    """The server's process and its two pipes."""

    def __init__(self, workspace: Path, **variables: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "mcp", "--workspace", str(workspace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(**variables),
        )
        start = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }
        self.send("initialize", start, id=1)
        assert self.receive()["id"] == 1
        self.send("notifications/initialized")

    def send(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}, **more}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, tool: str, id: int, **arguments: Any) -> None:
        self.send("tools/call", {"name": tool, "arguments": arguments}, id=id)

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def children(self) -> set[int]:
        """The processes that this one has started."""
        return {
            pid
            for pid in (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
            if (stat := status_of(pid)) and int(stat[1]) == self.process.pid
        }


def status_of(pid: int) -> list[str] | None:
    """State and parent of a process; None when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields


def until(condition: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to this"
        time.sleep(0.02)


def test_a_server_whose_client_has_died_ends(tmp_path: Path) -> None:
    server = Server(tmp_path)
    assert server.process.stdout is not None
    server.process.stdout.close()

    server.call("list_projects", 2)
    assert server.process.stdin is not None
    server.process.stdin.close()

    assert server.process.wait(timeout=PATIENCE) == 0
    assert server.process.stderr is not None
    told = server.process.stderr.read().decode()
    assert told.startswith(f"workspace {tmp_path}: no projects yet")
    assert "Traceback" not in told


def test_ctrl_c_ends_a_server_that_waits_for_input(tmp_path: Path) -> None:
    server = Server(tmp_path)

    server.process.send_signal(signal.SIGINT)

    assert server.process.wait(timeout=PATIENCE) == 130


HALF_EMOJI = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"half \\ud83d"}}'
DEEP = '{"id":8,"jsonrpc":"2.0","method":"ping","params":' + "[" * 3000 + "]" * 3000 + "}"
UNREADABLE = [
    (HALF_EMOJI, -32700, 7),
    (DEEP, -32700, 8),
    ('{"jsonrpc":"2.0","id":"a","method":', -32700, "a"),
    ("no JSON", -32700, None),
    ('{"params":{"id":5},"id":[1]', -32700, None),
    ('{"jsonrpc":"1.0","id":9,"method":"ping"}', -32600, 9),
    ("[1, 2]", -32600, None),
]
NOISE = """import os, threading, time
def shout():
    while True:
        time.sleep(0.05)
        if os.fstat(1) == os.fstat(2):  # the transport has taken standard output over
            print('PRINTED')
            os.write(1, b'WRITTEN\\n')
threading.Thread(target=shout, daemon=True).start()
"""


def test_unreadable_input_and_output_of_libraries_are_kept_apart_from_the_protocol_to_its_end(
    tmp_path: Path,
) -> None:
    """The end of input comes in the middle of an ingest, of which no process is left."""
    noisy = tmp_path / "noisy"
    noisy.mkdir()
    (noisy / "sitecustomize.py").write_text(NOISE)
    path = os.pathsep.join([str(noisy), *filter(None, [os.environ.get("PYTHONPATH")])])
    (tmp_path / "workspace").mkdir()
    server = Server(tmp_path / "workspace", PYTHONPATH=path, CITELOOM_MCP__FOLDERS=str(LIBRARY))
    assert server.process.stdin is not None
    server.process.stdin.write(b"\n  \n")
    for line, code, id in UNREADABLE:
        server.process.stdin.write(line.encode() + b"\n")
        server.process.stdin.flush()
        answer = server.receive()
        assert (answer["error"]["code"], answer["id"]) == (code, id), line
    server.call("list_projects", 10)
    assert server.receive()["result"]["structuredContent"]["count"] == 0
    server.call("ingest_from_source", 11, project="p", source=str(LIBRARY / "papers"))
    until(server.children)
    converters = server.children()

    out, err = server.process.communicate(timeout=PATIENCE)  # which ends its input

    assert server.process.returncode == 0, err
    # After the last answer standard output is given back, perhaps between look and print.
    told = [json.loads(line) for line in out.removesuffix(b"PRINTED\n").splitlines()]
    assert all(one["jsonrpc"] == "2.0" for one in told)
    # Whoever waits for the end of the ingest has its result.
    assert not any("result" in one for one in told if one.get("id") == 11)
    assert b"WRITTEN" in err
    assert b"PRINTED" in err
    assert b"Traceback" not in err
    until(lambda: not any(map(status_of, converters)))


@pytest.mark.server
def test_a_cancelled_call_ends_its_ingest_and_one_under_way_is_answered_before_the_server_ends(
    tmp_path: Path,
) -> None:
    server = Server(tmp_path, CITELOOM_MCP__FOLDERS=str(LIBRARY))
    source = {"project": "p", "source": str(LIBRARY / "papers")}
    server.call("ingest_from_source", 2, **source)
    until(server.children)

    server.send("notifications/cancelled", {"requestId": 2})

    until(lambda: not server.children())
    for number in range(3, 600):  # its process is gone a moment before it says so
        server.call("jobs", number)
        (job,) = server.receive()["result"]["structuredContent"]["jobs"]
        if job["status"] != "cancelling":
            break
        time.sleep(0.1)
    assert (job["kind"], job["status"]) == ("ingest", "cancelled")

    server.call("ingest_from_source", 600, **source)
    until(server.children)
    converters = server.children()
    server.process.send_signal(signal.SIGTERM)

    answer = server.receive()
    assert answer["id"] == 600
    assert answer["result"]["isError"]
    assert "the server is stopping" in answer["result"]["structuredContent"]["error"]["message"]
    assert server.process.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
    until(lambda: not any(map(status_of, converters)))
