"""``citeloom serve`` in a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from support.command_line import environment
from support.http_client import client_at
from support.paths import LIBRARY


class Served(NamedTuple):
    """Where it is, and what programs show it: the ``token``, or the secret of its start."""

    url: str
    token: str
    told: dict[str, str]

    def finished_job(self) -> str:
        """The id of an ingest that has ended."""
        paper = (LIBRARY / "papers" / "pond-cooling.pdf").read_bytes()
        with client_at(f"{self.url}/api/v1", headers=self.told) as rest:
            sent = rest.put("/projects/local/samples/uploads/ponds.pdf", content=paper)
            job = str(sent.json()["id"])
            assert "event: done" in rest.get(f"/jobs/{job}/events").text
        return job


@contextmanager
def served(workspace: Path, token: str = "", **settings: str) -> Iterator[Served]:
    """A server of ``workspace`` at a free port of the loopback; ``settings`` are environment
    variables."""
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0"]
    more = {"CITELOOM_MCP__TOKEN": token} if token else {}
    with subprocess.Popen(
        [*command, "--workspace", str(workspace)],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(**more, **settings),
    ) as server:
        try:
            assert server.stderr is not None
            line = server.stderr.readline()
            assert line.startswith("serving"), line
            told = json.loads((workspace / ".citeloom" / "serve.json").read_text("utf-8"))
            shown = (
                {"authorization": f"Bearer {token}"}
                if token
                else {"X-CiteLoom-Secret": told["secret"]}
            )
            yield Served(line.split()[1], token, shown)
        finally:
            server.kill()
