"""Qdrant servers of a test's own, from the program that CITELOOM_TEST_QDRANT_PROGRAM names: they
can be killed, and make clusters."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from support.servers.qdrant import QdrantServer

PROGRAM = os.environ.get("CITELOOM_TEST_QDRANT_PROGRAM", "")
KILLS = int(os.environ.get("CITELOOM_TEST_QDRANT_KILLS", "10"))
needs_program = pytest.mark.skipif(
    not PROGRAM, reason="CITELOOM_TEST_QDRANT_PROGRAM names no program of a server"
)


class QdrantNode:
    """A server on the loopback with its files in ``folder``; with ``cluster`` one that joins the
    cluster of node ``first``, or begins one."""

    def __init__(
        self, folder: Path, *, cluster: bool = False, first: "QdrantNode | None" = None
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._http, self._grpc, self._peers = _free_ports(3)
        self.address = f"http://127.0.0.1:{self._peers}"
        begins = ["--uri", self.address] if cluster else []
        self._joins = [*begins, *(["--bootstrap", first.address] if first else [])]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def server(self) -> QdrantServer:
        return QdrantServer(f"http://127.0.0.1:{self._http}")

    def start(self) -> None:
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [PROGRAM, *self._joins],
                cwd=self._folder,
                stdout=log,
                stderr=log,
                env=os.environ | self._settings(),
            )
        until = time.monotonic() + 60
        while not self._ready():
            assert self._process.poll() is None, (self._folder / "log").read_text()[-2000:]
            assert time.monotonic() < until, "the server is not ready after a minute"
            time.sleep(0.05)

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def clear(self) -> None:
        """Remove all that the server, which does not run, has stored."""
        shutil.rmtree(self._folder)
        self._folder.mkdir()

    def _ready(self) -> bool:
        try:
            return httpx.get(f"{self.server.url}/readyz", timeout=5).status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def _settings(self) -> dict[str, str]:
        return {
            "QDRANT__TELEMETRY_DISABLED": "true",
            "QDRANT__SERVICE__HOST": "127.0.0.1",
            "QDRANT__SERVICE__HTTP_PORT": str(self._http),
            "QDRANT__SERVICE__GRPC_PORT": str(self._grpc),
            "QDRANT__CLUSTER__ENABLED": str(bool(self._joins)).lower(),
            "QDRANT__CLUSTER__P2P__PORT": str(self._peers),
            "QDRANT__STORAGE__STORAGE_PATH": str(self._folder / "storage"),
            "QDRANT__STORAGE__SNAPSHOTS_PATH": str(self._folder / "snapshots"),
        }


@contextmanager
def qdrant_node(folder: Path) -> Iterator[QdrantNode]:
    node = QdrantNode(folder)
    try:
        node.start()
        yield node
    finally:
        node.kill()


@contextmanager
def qdrant_cluster(folder: Path, size: int) -> Iterator[list[QdrantNode]]:
    with ExitStack() as stack:
        nodes: list[QdrantNode] = []
        for number in range(size):
            first = nodes[0] if nodes else None
            node = QdrantNode(folder / str(number), cluster=True, first=first)
            stack.callback(node.kill)
            node.start()
            nodes.append(node)
        yield nodes


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
