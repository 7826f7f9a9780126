"""A server that a page starts, while the commands after it run."""

import re
import subprocess
import sys
from pathlib import Path

_SECONDS = 60


class Server:
    """``citeloom serve`` at a free port, in place of the ``port`` that the page names, until
    ``close``. ``line`` is what it prints at its start."""

    def __init__(self, folder: Path, environment: dict[str, str], port: str) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "serve", "--port", "0"],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            encoding="utf-8",
        )  # fmt: skip
        assert self._server.stderr is not None
        line = self._server.stderr.readline().rstrip()
        self._port, self._own = port, re.findall(r":(\d+)", line)[0]
        self.line = self.shown(line)

    def asked(self, command: str) -> str:
        """A command of the page, for this server."""
        return command.replace(f":{self._port}", f":{self._own}")

    def shown(self, line: str) -> str:
        """A line that was printed, as the page shows it."""
        return line.replace(f":{self._own}", f":{self._port}")

    def close(self) -> None:
        self._server.terminate()
        self._server.communicate(timeout=_SECONDS)
