"""The read-only mode: what writes is neither listed nor answered."""

from typing import Any, cast

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.protocol.resources import ResourceReader
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.mcp.tools.table import TOOLS, offered_tools


def test_tools_that_write_are_neither_listed_nor_called() -> None:
    reading = offered_tools(read_only=True)
    nothing = cast(Any, None)
    served = Served(nothing, nothing, nothing, patience=0.0)
    server = build_server(served, ResourceReader(nothing), reading)

    async def ask() -> tuple[dict[str, bool | None], Any]:
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            listed = {t.name: t.annotations and t.annotations.read_only_hint for t in tools}
            arguments = {"project": "p", "source": "/"}
            with pytest.raises(MCPError) as refused:
                await client.call_tool("ingest_from_source", arguments)
            return listed, refused.value.error

    listed, refused = anyio.run(ask)
    assert "query_hybrid" in listed
    assert not {"ingest_from_source", "review"}.intersection(listed)
    assert all(listed.values())
    assert all(TOOLS[name].read_only for name in listed if name != "jobs")
    assert "jobs" in listed
    assert refused.code == INVALID_PARAMS
    assert refused.data["error"]["code"] == "UNKNOWN_TOOL"
    assert set(offered_tools(read_only=False)) == set(TOOLS)
