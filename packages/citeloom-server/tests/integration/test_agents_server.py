"""The server of ``citeloom mcp --http``: MCP alone, with what operators ask of any server."""

from pathlib import Path

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from support.http_client import client_at, request
from support.http_server import running
from support.world import World

from citeloom.infrastructure.http.serving import agents_app
from citeloom.infrastructure.serving.http import ServerNames
from citeloom.infrastructure.serving.serving import Serving
from citeloom_server.application.audit.ports import AuditFilter

TOKEN = "t" * 40
BEARER = {"Authorization": f"Bearer {TOKEN}"}


def test_it_has_health_figures_and_trail_and_no_rest_interface(tmp_path: Path) -> None:
    world = World(tmp_path)
    serving = Serving(world.application)
    app = agents_app(world.application, serving, ServerNames([]), TOKEN)

    async def ask(address: str) -> int:
        async with (
            httpx2.AsyncClient(headers=BEARER) as shown,
            Client(streamable_http_client(f"{address}/mcp", http_client=shown)) as client,
        ):
            called = await client.call_tool("list_projects", {})
            assert called.structured_content is not None
            return int(called.structured_content["count"])

    with running(app) as address, client_at(address) as anybody:
        ready = anybody.get("/health/ready")
        assert (ready.status_code, ready.json()["status"]) == (200, "UP")
        assert ready.headers["x-request-id"]
        assert anybody.get("/metrics").status_code == 401
        assert anyio.run(ask, address) == 0
        told = request("GET", f"{address}/metrics", headers=BEARER).text
        assert "citeloom_mcp_calls_total{" in told
        assert 'citeloom_lane_workers{lane="reading"}' in told
        for path in ("/", "/ask", "/api/v1/projects"):
            assert request("GET", f"{address}{path}", headers=BEARER).status_code == 404
    refused = world.audit_trail.latest(AuditFilter(action="refuse"), 10)
    assert {event.outcome for event in refused} == {"401"}
