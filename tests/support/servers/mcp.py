"""``citeloom mcp`` over HTTP, and what npm installs to test it (``make typescript``)."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.command_line import environment
from support.paths import ROOT

NODE = shutil.which("node")
#: The folder of npm's packages.
PACKAGES = Path(os.environ.get("TYPESCRIPT_SDK", ROOT / "build" / "node"))
COMMAND = (sys.executable, "-m", "citeloom", "mcp", "--workspace")


def has_package(name: str) -> bool:
    """Whether there is node, and the package of MCP."""
    return NODE is not None and (PACKAGES / "node_modules/@modelcontextprotocol" / name).is_dir()


def node_version() -> int:
    """The first number of node's version; 0 where there is no node."""
    if NODE is None:
        return 0
    told = subprocess.run([NODE, "--version"], capture_output=True, encoding="utf-8", check=True)
    return int(told.stdout.strip().removeprefix("v").split(".")[0])


@contextmanager
def served_over_http(workspace: Path) -> Iterator[str]:
    """The address of a server."""
    server = subprocess.Popen(
        [*COMMAND, str(workspace), "--http", "--port", "0"],
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    )
    try:
        assert server.stderr is not None
        yield server.stderr.readline().split()[-1]
        server.terminate()
        server.communicate(timeout=60)
    finally:
        server.kill()
