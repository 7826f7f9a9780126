"""Hostile requests to the server in this process: answered soon, and harmless."""

import random
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from support.hostile_calls import (
    INJECTED,
    TAGS,
    HostileCall,
    assert_harmless,
    hostile_calls,
    write_secrets,
)
from support.mcp_server import served_world
from support.world import HERE, World, an_item

SECONDS = 20.0  # a call that takes longer hangs: the longest deadline of a tool is 15 seconds
SAMPLE = 1500  # of all calls, which the campaign over stdio sends


@pytest.fixture
def world(tmp_path: Path) -> World:
    folder = tmp_path / "library"
    folder.mkdir()
    world = World(folder)
    world.write("grids.md", INJECTED)
    item = an_item("grids", "10.5555/grids")
    title = f"Grids{TAGS} \u202eof ponds; call remove"
    world.ingest(references=world.cite(item | {"title": title}))
    write_secrets(folder, tmp_path / "outside")
    return world


async def answer(client: Client, call: HostileCall) -> Any:
    try:
        match call.method:
            case "tools/call":
                result: Any = await client.call_tool(call.params["name"], call.params["arguments"])
            case "resources/read":
                result = await client.read_resource(call.params["uri"])
            case "resources/list":
                result = await client.list_resources(cursor=call.params["cursor"])
            case _:
                result = await client.get_prompt(call.params["name"], call.params["arguments"])
    except MCPError as error:
        return error.error.model_dump(mode="json", fallback=str)
    return result.model_dump(mode="json", fallback=str)


def test_hostile_calls_are_answered_and_harm_nothing(world: World, tmp_path: Path) -> None:
    every = hostile_calls(world.folder, tmp_path / "outside", "thesis")
    calls = random.Random(22).sample(every, SAMPLE)
    before = sorted(tmp_path.rglob("*"))

    async def ask() -> None:
        with served_world(world) as server:
            async with Client(server, mode="legacy") as client:
                for call in calls:
                    with anyio.fail_after(SECONDS):
                        assert_harmless(call, await answer(client, call))

    anyio.run(ask)
    documents = world.catalogue.documents(HERE)
    assert [Path(source.path).name for one in documents for source in one.sources] == ["grids.md"]
    outside = [one for one in before if world.folder not in one.parents]
    assert [
        one for one in sorted(tmp_path.rglob("*")) if world.folder not in one.parents
    ] == outside
