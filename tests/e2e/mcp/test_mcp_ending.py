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


def test_a_server_ends_in_the_middle_of_an_ingest_and_leaves_no_process(tmp_path: Path) -> None:
    server = Server(tmp_path, CITELOOM_MCP__FOLDERS=str(LIBRARY))
    server.call("ingest_from_source", 2, project="p", source=str(LIBRARY / "papers"))
    until(server.children)
    converters = server.children()

    out, err = server.process.communicate(timeout=PATIENCE)

    assert server.process.returncode == 0, err
    told = [json.loads(line) for line in out.splitlines()]
    assert all(one["jsonrpc"] == "2.0" for one in told)
    # Whoever waits for the end of the ingest has its result.
    assert not any("result" in one for one in told if one.get("id") == 2)
    assert b"Traceback" not in err
    until(lambda: not any(map(status_of, converters)))


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


def test_what_libraries_print_does_not_reach_the_protocol(tmp_path: Path) -> None:
    noisy = tmp_path / "noisy"
    noisy.mkdir()
    (noisy / "sitecustomize.py").write_text(
        "import os, threading\n"
        "def shout():\n"
        "    import time\n"
        "    while True:\n"
        "        time.sleep(0.05)\n"
        "        if os.fstat(1) == os.fstat(2):\n"  # the transport has taken standard output over
        "            print('PRINTED')\n"
        "            os.write(1, b'WRITTEN\\n')\n"
        "threading.Thread(target=shout, daemon=True).start()\n"
    )
    path = os.pathsep.join([str(noisy), *filter(None, [os.environ.get("PYTHONPATH")])])
    (tmp_path / "workspace").mkdir()
    server = Server(tmp_path / "workspace", PYTHONPATH=path)
    for n in range(2, 5):
        server.call("list_projects", n)
        assert server.receive()["id"] == n
        time.sleep(0.2)

    out, err = server.process.communicate(timeout=PATIENCE)

    assert out == b""
    assert b"WRITTEN" in err
    assert b"PRINTED" in err


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


def test_what_cannot_be_read_is_answered_and_the_end_of_input_ends_it(tmp_path: Path) -> None:
    server = Server(tmp_path)
    assert server.process.stdin is not None
    server.process.stdin.write(b"\n  \n")
    for line, code, id in UNREADABLE:
        server.process.stdin.write(line.encode() + b"\n")
        server.process.stdin.flush()
        answer = server.receive()
        assert (answer["error"]["code"], answer["id"]) == (code, id), line

    server.call("list_projects", 10)

    assert server.receive()["result"]["structuredContent"]["count"] == 0
    out, err = server.process.communicate(timeout=PATIENCE)  # which ends its input
    assert (server.process.returncode, out) == (0, b"")
    assert b"Traceback" not in err


def test_a_call_under_way_is_answered_before_a_terminated_server_ends(tmp_path: Path) -> None:
    server = Server(tmp_path, CITELOOM_MCP__FOLDERS=str(LIBRARY))
    server.call("ingest_from_source", 2, project="p", source=str(LIBRARY / "papers"))
    until(server.children)
    converters = server.children()

    server.process.send_signal(signal.SIGTERM)

    answer = server.receive()
    assert answer["id"] == 2
    assert answer["result"]["isError"]
    assert "the server is ending" in answer["result"]["structuredContent"]["error"]["message"]
    assert server.process.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
    until(lambda: not any(map(status_of, converters)))


def test_a_call_that_its_client_cancels_ends_its_ingest_and_leaves_no_process(
    tmp_path: Path,
) -> None:
    server = Server(tmp_path, CITELOOM_MCP__FOLDERS=str(LIBRARY))
    server.call("ingest_from_source", 2, project="p", source=str(LIBRARY / "papers"))
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
    server.process.communicate(timeout=PATIENCE)
