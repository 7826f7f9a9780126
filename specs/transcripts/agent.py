"""An agent of ``citeloom mcp`` over standard input and output."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PROTOCOL = "2025-06-18"
_SECONDS = 300


class Agent:
    """A client of one server, which runs until ``close``."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "mcp"],
            cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, encoding="utf-8",
        )  # fmt: skip
        self._number = 0
        client = {"name": "transcripts", "version": "1"}
        self._ask("initialize", protocolVersion=_PROTOCOL, capabilities={}, clientInfo=client)
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer of a tool; of a job that runs on, the answer at its end."""
        begun = time.monotonic()
        while True:
            answer: dict[str, Any] = self._ask("tools/call", name=tool, arguments=arguments)[
                "structuredContent"
            ]
            if answer.get("status") not in ("queued", "running"):
                return answer
            if time.monotonic() - begun > _SECONDS:
                raise TimeoutError(f"{tool}: no result after {_SECONDS} s")
            arguments = {"job_id": answer["job_id"]}

    def close(self) -> None:
        self._server.communicate(timeout=_SECONDS)

    def _ask(self, method: str, **params: Any) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        assert self._server.stdout is not None
        for line in self._server.stdout:
            message = json.loads(line)
            if message.get("id") == self._number:
                return message["result"]
        raise EOFError("the server ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._server.stdin.flush()
