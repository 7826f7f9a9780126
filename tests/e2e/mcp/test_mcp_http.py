"""``citeloom mcp --http``: one server for clients that come and go."""

import signal
import subprocess
import sys
from pathlib import Path

import anyio
from mcp import Client
from support.command_line import environment


def test_it_serves_one_client_after_the_other_and_ends_when_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "citeloom", "mcp", "--http", "--port", "0"]
    server = subprocess.Popen(
        [*command, "--workspace", str(tmp_path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    )
    assert server.stderr is not None
    told = server.stderr.readline().split()
    address = told[-1]
    assert told[0] == "serving"
    assert address.startswith("http://127.0.0.1:")

    async def ask() -> int:
        async with Client(address) as client:
            result = await client.call_tool("list_projects", {})
            assert result.structured_content is not None
            return int(result.structured_content["count"])

    async def ask_while_another_stays() -> list[int]:
        async with Client(address):
            return [await ask(), await ask()]

    try:
        assert anyio.run(ask_while_another_stays) == [0, 0]
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=60)
    finally:
        server.kill()

    assert (server.returncode, out) == (0, "")
    assert "Traceback" not in err
