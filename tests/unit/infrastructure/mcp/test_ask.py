"""ask: sentences with verdicts and quotations; listed where a model is configured."""

from pathlib import Path
from typing import Any

import anyio
from mcp import Client
from support.mcp_server import served_world
from support.models.llm_double import a_language_model, streams, tokens
from support.world import PONDS, World

from citeloom.infrastructure.mcp.tools import offered_tools

TRUE = "The cooling falls with distance and is gone at one hundred metres"


def test_an_agent_gets_sentences_with_verdict_and_quotation(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.write("ponds.md", PONDS)
    world.ingest()
    answer: dict[str, Any] = {}

    async def ask() -> None:
        async with Client(server) as client:
            called = await client.call_tool("ask", {"question": "How far does it cool?"})
            answer.update(called.structured_content or {})

    written = streams(*tokens(f"{TRUE} [1]. Nobody measured any temperature there [1]."))
    with a_language_model(always=written) as double:
        world.settings |= {"llm": {"url": double.url, "model": "m"}, "verify": {"judge": "rules"}}
        with served_world(world) as server:
            anyio.run(ask)
    true, false = answer["sentences"]
    assert (true["sentence"], true["verdict"]) == (f"{TRUE}.", "SUPPORTED")
    assert true["quote"] == f"{TRUE}."
    assert false["verdict"] != "SUPPORTED"
    assert false["reasons"]
    assert answer["model"] == "m"


def test_it_is_listed_where_a_model_is_configured() -> None:
    assert not offered_tools(read_only=False)["ask"].listed
    assert offered_tools(read_only=False, has_model=True)["ask"].listed
