"""``citeloom serve`` in a process of its own, and a browser."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from support.command_line import environment
from support.http_client import client_at

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def served(workspace: Path) -> Iterator[str]:
    """The address of the server of a workspace."""
    command = [sys.executable, "-m", "citeloom", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--workspace", str(workspace)],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    ) as server:
        assert server.stderr is not None
        told = server.stderr.readline().split()
        try:
            assert told[0] == "serving"
            yield told[1]
            assert (workspace / ".citeloom" / "serve.json").exists()
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) == 0
        finally:
            server.kill()
    # Another test may serve the same samples.
    left = workspace / ".citeloom" / "serve.json"
    assert not left.exists() or json.loads(left.read_text("utf-8"))["pid"] != server.pid


def client_of(workspace: Path) -> httpx2.Client:
    """A client of the REST interface that may change things."""
    told = json.loads((workspace / ".citeloom" / "serve.json").read_text("utf-8"))
    headers = {"X-CiteLoom-Secret": told["secret"]}
    return client_at(f"{told['url']}/api/v1", headers=headers)


def ended(client: httpx2.Client, path: str) -> dict[str, Any]:
    """A job or a review, once it has ended."""
    for _ in range(600):
        state: dict[str, Any] = client.get(path).json()
        if state["status"].lower() not in ("queued", "running", "pending", "in_progress"):
            return state
        time.sleep(0.1)
    raise AssertionError(f"{path}: has not ended")
