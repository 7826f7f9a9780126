"""``citeloom serve`` several times over one PostgreSQL and one index server, as behind a proxy."""

import itertools
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from support.command_line import environment
from support.http_client import client_at
from support.paths import ROOT

TOKEN = "t" * 43
BEARER = {"authorization": f"Bearer {TOKEN}"}


class GroupProcess:
    """One of the processes; ``rest`` asks it, with the token."""

    def __init__(self, workspace: Path, settings: dict[str, str]) -> None:
        command = [sys.executable, "-m", "citeloom", "serve", "--port", "0"]
        self._server = subprocess.Popen(
            [*command, "--workspace", str(workspace)],
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(CITELOOM_MCP__TOKEN=TOKEN, **settings),
        )

    def begin(self) -> None:
        """Returns when it serves."""
        assert self._server.stderr is not None
        line = self._server.stderr.readline()
        assert line.startswith("serving"), line
        self.url = line.split()[1]
        self.rest = client_at(f"{self.url}/api/v1", headers=BEARER)

    def kill(self) -> None:
        """At once, as often as it is said."""
        if self._server.poll() is None:
            self._server.kill()
            self._server.communicate()


class Group:
    """A library as config/group-server.toml has it, its ``processes``, and ``rest``, whose requests
    go to one after the other."""

    def __init__(self, workspace: Path, catalogue: str, index: str) -> None:
        self.workspace = workspace
        settings = {
            "CITELOOM_CATALOGUE__URL": catalogue,
            "CITELOOM_INDEX__URL": index,
            "CITELOOM_STORAGE__URL": str(workspace / "shared"),
        }
        settings_file = (ROOT / "config" / "group-server.toml").read_bytes()
        (workspace / "citeloom.toml").write_bytes(settings_file)
        self.processes = [GroupProcess(workspace, settings) for _ in range(2)]
        for process in self.processes:  # which start at once
            process.begin()
        transport = Alternating([one.url for one in self.processes])
        self.rest = httpx2.Client(
            base_url="http://group/api/v1", headers=BEARER, transport=transport, timeout=120
        )


@contextmanager
def group(workspace: Path, catalogue: str, index: str) -> Iterator[Group]:
    made = Group(workspace, catalogue, index)
    try:
        yield made
    finally:
        for process in made.processes:
            process.kill()


class Alternating(httpx2.BaseTransport):
    """Sends each request to the next of ``addresses``, as a proxy without sticky sessions."""

    def __init__(self, addresses: list[str]) -> None:
        self._next = itertools.cycle(httpx2.URL(one) for one in addresses)
        self._inner = httpx2.HTTPTransport(verify=False)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._inner.handle_request(_sent_to(request, next(self._next)))


class AsyncAlternating(httpx2.AsyncBaseTransport):
    """As ``Alternating``; ``asked`` counts the requests."""

    def __init__(self, addresses: list[str]) -> None:
        self._next = itertools.cycle(httpx2.URL(one) for one in addresses)
        self._inner = httpx2.AsyncHTTPTransport(verify=False)
        self.asked = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        return await self._inner.handle_async_request(_sent_to(request, next(self._next)))


def _sent_to(request: httpx2.Request, address: httpx2.URL) -> httpx2.Request:
    request.url = request.url.copy_with(scheme=address.scheme, host=address.host, port=address.port)
    request.headers["host"] = f"{address.host}:{address.port}"
    return request
