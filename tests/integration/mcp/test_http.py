"""MCP over HTTP, on loopback: the official client, and who is not let in."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from support.command_line import citeloom
from support.folders import anywhere
from support.http_client import request
from support.http_server import running
from support.in_memory.principals import InMemoryPrincipalStore
from support.in_memory.stores import InMemoryCatalogue
from support.recorders import a_recorder

from citeloom.application.ports.verification import DraftText
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import ConfigurationError, Unavailable
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.verification.drafts.draft import Verification
from citeloom.infrastructure.http.serving import serve_agents
from citeloom.infrastructure.mcp.contract.parameters import MAX_DRAFT
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.mcp.tools import TOOLS
from citeloom.infrastructure.serving import http_server as http
from citeloom.infrastructure.serving.http import OneToken, ServerNames
from citeloom.infrastructure.serving.jobs.background import background
from citeloom.infrastructure.serving.served import Served, ServedParts
from citeloom.infrastructure.settings.sections import Settings

ASKED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
ACCEPTED = {"accept": b"application/json, text/event-stream"}
TOKEN = "s3cret-token" * 3
WEB = "https://notes.example.org"


class Library:
    """An application without projects that verifies each draft until its client has heard how
    far it is."""

    def __init__(self) -> None:
        self.heard = threading.Event()
        self.settings = Settings()
        self.workspace = SimpleNamespace(root="/library")
        self.projects = SimpleNamespace(
            projects=SimpleNamespace(list=tuple), choice=ProjectId.parse
        )
        project = SimpleNamespace(embedding_model=SimpleNamespace(name="m"))
        self.stores = SimpleNamespace(catalogue=SimpleNamespace(project=lambda _: project))
        self.folders = anywhere(self.stores.catalogue)
        self.verification = SimpleNamespace(verify=self.verify, model_notice=lambda: None)

    def verify(self, request: VerifyRequest, told: Callable[[int, int], None]) -> Verification:
        assert isinstance(request.draft, DraftText)
        assert len(request.draft.text) == MAX_DRAFT
        told(1, 2)
        assert self.heard.wait(10)
        return Verification(
            draft="text",
            format="markdown",
            project="local/p",
            model="m",
            judge="j",
            claims=0,
            counts={},
            findings=(),
            duration_seconds=0,
        )


@contextmanager
def serving(library: Library, token: str = "", *names: str) -> Iterator[str]:
    models = SimpleNamespace(ready=lambda _: None)
    jobs = background(cast(Any, library), cast(Any, models), a_recorder())
    served = Served(cast(Any, library), jobs, cast(Any, models), patience=10)
    server = build_server(ServedParts(served))
    app = http.gated(
        http.streaming_app(server),
        ServerNames(names, [WEB]),
        OneToken(token) if token else None,
    )
    with running(app) as address:
        yield f"{address}{http.PATH}"
    assert jobs.stop(10)


@pytest.fixture(scope="module")
def library() -> Library:
    return Library()


@pytest.fixture(scope="module")
def address(library: Library) -> Iterator[str]:
    with serving(library, "", "papers.example.org", "::2") as address:
        yield address


@pytest.fixture(scope="module")
def guarded(library: Library) -> Iterator[str]:
    with serving(library, TOKEN) as address:
        yield address


def post(address: str, **headers: str) -> int:
    shown = {name: value.encode() for name, value in headers.items()}
    answer = request("POST", address, json=ASKED, headers=ACCEPTED | shown)
    return answer.status_code


def test_the_official_client_calls_tools_and_hears_of_progress(
    address: str, library: Library
) -> None:
    heard: list[float] = []

    async def told(progress: float, _total: float | None, _message: str | None) -> None:
        heard.append(progress)
        library.heard.set()

    async def ask() -> Any:
        async with Client(address) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
            assert listed == {name for name, tool in TOOLS.items() if tool.listed}
            long = {"project": "p", "text": "ж" * MAX_DRAFT}
            return await client.call_tool("verify", long, progress_callback=told)

    assert anyio.run(ask).structured_content["status"] == "done"
    assert heard == [1]


HOSTS = [
    "evil.example.org",
    "evil.example.org:80",
    "127.0.0.1.evil.example.org",
    "papers.example",
    "localhost:80.evil.example.org",
    "localhost:x",
    "user@localhost",
]


@pytest.mark.parametrize("host", HOSTS)
def test_requests_to_other_names_are_refused_and_the_setting_is_named(
    address: str, host: str
) -> None:
    answer = request("POST", address, json=ASKED, headers=ACCEPTED | {"host": host.encode()})
    assert answer.status_code == 421
    assert "mcp.hosts" in answer.text


NAMES = ["localhost:1", "LOCALHOST:18365", "papers.example.org", "[::1]:9", "[::2]:9"]


@pytest.mark.parametrize("host", NAMES)
def test_requests_to_names_that_are_known_are_answered(address: str, host: str) -> None:
    assert post(address, host=host) == 200


def test_pages_from_elsewhere_are_refused(address: str) -> None:
    assert post(address, origin="https://evil.example.org") == 403
    assert post(address, origin="null") == 403
    assert post(address, origin="https://papers.example.org") == 200
    assert post(address, origin="http://localhost:3000") == 200
    assert post(address, origin="http://localhost:3000.evil.example") == 403
    assert post(address, origin="ftp://localhost") == 403


def preflight(address: str, origin: str) -> httpx2.Response:
    headers = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,mcp-protocol-version",
    }
    return httpx2.options(address, headers=headers)


def test_pages_of_a_configured_origin_may_call_it_from_a_browser(guarded: str) -> None:
    answer = preflight(guarded, WEB)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == WEB
    assert "authorization" in answer.headers["access-control-allow-headers"]
    refused = request("POST", guarded, json=ASKED, headers=ACCEPTED | {"origin": WEB.encode()})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, WEB)


@pytest.mark.parametrize("origin", ["https://evil.example.org", "http://localhost:3000", "null"])
def test_preflights_of_other_pages_are_refused(address: str, origin: str) -> None:
    answer = preflight(address, origin)
    assert answer.status_code in (400, 403)
    assert "access-control-allow-origin" not in answer.headers


def test_a_body_that_is_too_large_is_refused(address: str) -> None:
    answer = request("POST", address, content=b" " * 7_000_000, headers=ACCEPTED)
    assert answer.status_code == 413


@pytest.mark.parametrize("shown", ["", "Bearer", "Bearer wrong", f"Basic {TOKEN}", "Bearer ж"])
def test_without_the_token_nothing_is_answered(guarded: str, shown: str) -> None:
    headers = {"authorization": shown} if shown else {}
    assert post(guarded, **headers) == 401


def test_a_refusal_says_what_is_wanted(guarded: str) -> None:
    answer = request("POST", guarded, json=ASKED, headers=ACCEPTED)
    assert answer.headers["www-authenticate"] == 'Bearer realm="citeloom"'
    assert "Authorization: Bearer" in answer.text


def test_with_the_token_the_client_is_let_in(guarded: str) -> None:
    async def ask() -> Any:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers) as shown,
            Client(streamable_http_client(guarded, http_client=shown)) as client,
        ):
            return await client.call_tool("list_projects", {})

    assert anyio.run(ask).structured_content["count"] == 0


def application(token: str = "") -> Any:
    settings = Settings.model_validate({"mcp": {"token": token}})
    stores = SimpleNamespace(other=lambda _name, _make: InMemoryPrincipalStore(InMemoryCatalogue()))
    stores.catalogue = stores.clock = None
    return SimpleNamespace(settings=settings, stores=stores)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "papers.example.org"])
def test_a_network_is_served_with_a_token_only(host: str) -> None:
    with pytest.raises(ConfigurationError, match="CITELOOM_MCP__TOKEN"):
        serve_agents(application(), host, 0, print)


@pytest.mark.parametrize("token", ["short", "x" * 31, "with blanks " * 4, "ж" * 40])
def test_a_weak_token_is_refused_with_the_command_that_makes_one(token: str) -> None:
    with pytest.raises(ConfigurationError, match="citeloom mcp token"):
        serve_agents(application(token), "127.0.0.1", 0, print)


def test_the_command_refuses_other_hosts_without_a_token_and_a_port_without_http(
    tmp_path: Path,
) -> None:
    def told(*options: str) -> tuple[int, str]:
        # In a process of its own: the command starts a log.
        done = citeloom("mcp", *options, workspace=tmp_path)
        return done.code, done.err

    code, words = told("--http", "--host", "0.0.0.0")
    assert (code, "CITELOOM_MCP__TOKEN" in words) == (2, True)
    code, words = told("--port", "80")
    assert (code, "--http" in words) == (2, True)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"])
def test_loopback_addresses_need_no_token(host: str) -> None:
    assert http.is_loopback(host)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Unavailable, match=str(port)):
            http.listener_at("127.0.0.1", port)
