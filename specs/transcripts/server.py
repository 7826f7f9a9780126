"""A server that a page starts, while the commands after it run."""

import socket
import subprocess
import sys
from pathlib import Path

_SECONDS = 60


class Server:
    """``citeloom serve`` at a free port, in place of the ``port`` that the page names, until
    ``close``. ``line`` is what it prints at its start."""

    def __init__(self, folder: Path, environment: dict[str, str], port: str) -> None:
        self._port = port
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self._own = str(listener.getsockname()[1])
        self._server = subprocess.Popen(
            [sys.executable, "-m", "citeloom", "serve", "--port", self._own],
            cwd=folder, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            encoding="utf-8",
        )  # fmt: skip
        assert self._server.stderr is not None
        self.line = self.shown(self._server.stderr.readline().rstrip())

    def asked(self, command: str) -> str:
        """A command of the page, for this server."""
        return command.replace(f":{self._port}", f":{self._own}")

    def shown(self, line: str) -> str:
        """A line that was printed, as the page shows it."""
        return line.replace(f":{self._own}", f":{self._port}")

    def close(self) -> None:
        self._server.terminate()
        self._server.communicate(timeout=_SECONDS)
