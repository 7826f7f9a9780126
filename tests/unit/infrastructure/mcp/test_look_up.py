"""ingest_from_source looks papers up where it is asked to and the settings let it."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from support.mcp_server import served_world
from support.world import World, an_item

TITLE = "Ponds cool the evening street"
PAPER = f"# {TITLE}\n\nOriana Weir, 2020\n\ndoi:10.5555/ponds\n\nA pond cools the air.\n"
OTHER = "# Grids of many points\n\nBo Quill\n\ndoi:10.5555/grids\n\nA grid has errors.\n"


def ingested(folder: Path, lookup: str, **options: Any) -> tuple[World, dict[str, Any]]:
    world = World(folder, settings={"metadata": {"lookup": lookup}})
    world.write("ponds.md", PAPER)
    world.write("grids.md", OTHER)
    author = [{"family": "Weir", "given": "Oriana"}]
    for doi, title in (("10.5555/ponds", TITLE), ("10.5555/grids", "Kites in wind")):
        world.lookup.items[doi] = an_item("x", doi, title=title, author=author)

    async def ask() -> dict[str, Any]:
        async with Client(server) as client:
            given = {"project": "thesis", "source": str(folder), "options": options}
            answer = await client.call_tool("ingest_from_source", given)
            return dict(answer.structured_content or {})

    world.settings["mcp"] = {"folders": [str(folder)]}
    with served_world(world) as server:
        return world, anyio.run(ask)


@pytest.mark.parametrize(("lookup", "options"), [("ask", {"identify": True}), ("on", {})])
def test_papers_are_looked_up_and_proposals_left_to_the_user(
    tmp_path: Path, lookup: str, options: dict[str, Any]
) -> None:
    world, told = ingested(tmp_path, lookup, **options)
    assert told["identified"] == {"taken": 1, "proposed": 1}
    assert any("the user may accept it" in one for one in told["warnings"])
    assert world.document("10.5555/ponds").is_cited


@pytest.mark.parametrize(
    ("lookup", "options"), [("off", {}), ("ask", {}), ("on", {"identify": False})]
)
def test_nothing_is_sent_unless_it_is_asked_for(
    tmp_path: Path, lookup: str, options: dict[str, Any]
) -> None:
    world, told = ingested(tmp_path, lookup, **options)
    assert "identified" not in told
    assert world.lookup.asked == []


def test_an_agent_is_refused_where_the_user_has_it_off(tmp_path: Path) -> None:
    world, told = ingested(tmp_path, "off", identify=True)
    assert "metadata.lookup is off" in str(told)
    assert world.lookup.asked == []
    assert world.catalogue.projects() == []
