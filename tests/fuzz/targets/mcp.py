"""Targets: arguments of MCP tools, resources, and requests over HTTP."""

import atexit
import json
import socket
import threading
import time
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

import anyio
import h11
import httpx2
import uvicorn
from fuzz.mutation import documents, texts
from fuzz.served import resources, served, unexpected
from fuzz.target import Target
from hypothesis import strategies as st
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, ReadResourceRequestParams

from citeloom.infrastructure.mcp.calls import Calls
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.mcp.tools import TOOLS
from citeloom.infrastructure.serving import http_server as http
from citeloom.infrastructure.serving.http import ServerNames
from citeloom.infrastructure.serving.served import ServedParts

FILTERS = {
    "tags": ["a"], "year": "2015..2020", "author": ["Smith, Jo"], "section": "Results", "doc": "a",
    "section_prefix": "Methods > Sampling", "kind": "text", "page": 3, "lang": "en", "citekey": "a",
    "zotero_item_key": "ABC", "collection": "c", "type": "book", "marked": "yellow",
}  # fmt: skip
QUESTION = {"project": ["thesis"], "text": '"one hundred" metres -x', "top_k": 3}
ARGUMENTS: dict[str, Any] = {
    "query_hybrid": {**QUESTION, "per_document": 1, "diverse": True, "context": 1, "filters": {}},
    "query": {**QUESTION, "filters": FILTERS},
    "verify": {"project": "thesis", "text": "Gone at 100 m [@a, p. 3].", "format": "markdown",
               "uncited": True, "offset": 0},
    "review": {"project": "local/thesis", "job_id": "x", "offset": 0, "cancel": True},
    "ingest_from_source": {"project": "thesis", "source": "/nonexistent/a.pdf",
                           "options": {"references": "/nonexistent/b.bib", "collection_key": "X"}},
    "ingest_status": {"job_id": "x", "wait_seconds": 0},
    "list_projects": {},
    "inspect_collection": {"project": "thesis", "sample": 2},
    "listResources": {"project": "thesis", "budget": 100},
    "getStructure": {"resource_id": "ponds", "project": "thesis"},
    "get_structure": {"resource_id": "ponds", "node_id": "results", "project": "thesis"},
    "getNode": {"resource_id": "ponds", "node_id": "results", "project": "thesis"},
    "resolve": {"resource_id": "ponds", "node_id": "results", "virtual": True},
}  # fmt: skip
URIS = (
    "ndk://file/local-thesis/-/$collection", "ndk://file/local-thesis/ponds/$body",
    "ndk://file/thesis/ponds/0-40/$chunk", "ndk://file/thesis/ponds/$media/fig.1",
    "citeloom://reports/123", "ndk://file/thesis/ponds/$plain",
)  # fmt: skip
HEADERS = ("accept", "content-type", "host", "origin", "mcp-session-id", "mcp-protocol-version",
           "authorization", "transfer-encoding", "content-length", "last-event-id")  # fmt: skip
MESSAGES = (
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}}},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
     "params": {"name": "list_projects", "arguments": {}}},
    {"jsonrpc": "2.0", "id": "a", "method": "resources/read", "params": {"uri": URIS[0]}},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}},
)  # fmt: skip


def _call(drawn: tuple[str, Any]) -> None:
    name, arguments = drawn
    if name == "ingest_from_source" and isinstance(arguments, dict):
        arguments["source"] = f"/nonexistent/{arguments.get('source')}"
    if isinstance(arguments, dict):  # anything else is refused before a tool is called
        answer = anyio.run(Calls(TOOLS, served()), name, arguments, backend="asyncio")
        unexpected().raise_first()
        assert answer.is_error == ("error" in answer.content)


def _resource(uri: str) -> None:
    async def read() -> None:
        context = SimpleNamespace(protocol_version="2026-07-28")
        await resources().read(cast(Any, context), ReadResourceRequestParams(uri=uri))

    try:
        anyio.run(read)
    except MCPError as error:
        unexpected().raise_first()
        if error.error.code == INTERNAL_ERROR:
            raise


@cache
def _address() -> str:
    """A server of this process over HTTP."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}{http.PATH}"
    app = http.gated(http.streaming_app(build_server(ServedParts(served()))), ServerNames(), None)
    config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True).start()
    while not running.started:
        time.sleep(0.01)
    atexit.register(setattr, running, "should_exit", True)
    return address


@cache
def _client() -> httpx2.Client:
    client = httpx2.Client(timeout=20)
    accepted = {"accept": "application/json, text/event-stream"}
    answer = client.post(_address(), json=MESSAGES[0], headers=accepted)
    session = answer.headers.get("mcp-session-id")
    client.headers.update(accepted | ({"mcp-session-id": session} if session else {}))
    return client


def _request(drawn: tuple[str, str, dict[str, str], bytes]) -> None:
    method, path, headers, body = drawn
    shown = {name: value.encode("latin-1") for name, value in headers.items()}
    try:
        with _client().stream(method, _address() + path, headers=shown, content=body) as answer:
            assert answer.status_code < 500, answer.status_code
    except (httpx2.ProtocolError, httpx2.InvalidURL, h11.LocalProtocolError):
        pass  # no HTTP: the client does not send it, or the server hangs up


_header = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12)
_body = documents(MESSAGES).map(json.dumps) | texts(
    [json.dumps(one) for one in MESSAGES], ("[", "]")
)
_requests = st.tuples(
    st.sampled_from(("POST", "POST", "POST", "DELETE", "PUT", "OPTIONS", "HEAD")),
    st.sampled_from(("", "", "", "/", "/../x", "?a=%00", "//", "/%2e%2e")),
    st.dictionaries(st.sampled_from(HEADERS), _header, max_size=2),
    _body.map(lambda text: text.encode("utf-8", "surrogatepass")),
)
TARGETS = (
    Target(
        "mcp-calls",
        st.sampled_from(sorted(ARGUMENTS)).flatmap(
            lambda name: st.tuples(st.just(name), documents((ARGUMENTS[name],)))
        ),
        _call,
        weight=8,
    ),
    Target("mcp-resources", texts(URIS, ("$", "/", "%", "$chunk/", "0-40")), _resource, 4),
    Target("mcp-http", _requests, _request, weight=8),
)
