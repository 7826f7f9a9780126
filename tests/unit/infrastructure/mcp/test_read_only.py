"""The read-only mode: what writes is neither listed nor answered."""

import re
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from support.cases import each
from support.mcp_server import served_world
from support.world import PONDS, World

from citeloom.domain.messages import Action, NextStep, UserMessage
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.mcp.tools import TOOLS, offered_tools
from citeloom.infrastructure.serving.next_steps import in_words, offering
from citeloom.infrastructure.serving.served import Served, ServedParts


def test_tools_that_write_are_neither_listed_nor_called() -> None:
    reading = offered_tools(read_only=True)
    nothing = cast(Any, None)
    served = Served(nothing, nothing, nothing, patience=0.0)
    server = build_server(ServedParts(served), reading)

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


@each("action", Action)
def test_no_next_step_names_a_tool_that_the_server_has_not_got(action: Action) -> None:
    step = UserMessage("nothing here", NextStep(action, session="s", project="p"))
    with offering(["query_hybrid"]):
        said = in_words(step)
    named = [name for name in TOOLS if re.search(rf"\b{name}\b", said)]
    assert not named
    assert said.startswith("nothing here; ")
    assert in_words(step).startswith("nothing here; ")


def test_a_read_only_server_names_no_tool_that_writes(tmp_path: Path) -> None:
    world = World(tmp_path, settings={"mcp": {"read_only": True}})
    world.write("ponds.md", PONDS)
    world.ingest()

    async def ask() -> list[str]:
        async with Client(server) as client:
            with pytest.raises(MCPError) as refused:
                await client.read_resource("citeloom://evidence/gone.pdf")
            answer = await client.call_tool("list_documents", {"project": "other"})
            found = await client.call_tool("query_hybrid", {"project": "thesis", "text": "ponds"})
            return [
                refused.value.error.message,
                str(answer.structured_content),
                str(found.structured_content),
            ]

    with served_world(world) as server:
        told = anyio.run(ask)
    assert "'provisional': True" in told[-1]
    assert not [one for one in told if re.search(r"\b(ingest_from_source|resolve|review)\b", one)]
