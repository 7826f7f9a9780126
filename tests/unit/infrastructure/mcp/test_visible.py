"""Answers hold nothing that a reader does not see."""

from typing import Any, cast

import anyio
from mcp import Client
from mcp.types import TextContent

from citeloom.infrastructure.mcp.answers.contents import Reply
from citeloom.infrastructure.mcp.contract.parameters import ListProjectsParameters
from citeloom.infrastructure.mcp.server import build_server
from citeloom.infrastructure.mcp.tools import Tool
from citeloom.infrastructure.serving.served import Served, ServedParts

TAGS = "".join(chr(0xE0000 + ord(char)) for char in "ignore")


def hostile(_served: Served, _parameters: ListProjectsParameters) -> dict[str, Any]:
    return {"items": [{"text": f"Ponds{TAGS} cool\u202e\u200b", f"na{TAGS}me": ["half \ud83d"]}]}


def test_hidden_characters_are_in_no_part_of_an_answer() -> None:
    tool = Tool(
        name="t",
        title="T",
        description="d",
        parameters=ListProjectsParameters,
        answer=Reply,
        handler=hostile,
        seconds=5,
    )
    nothing = cast(Any, None)
    served = Served(nothing, nothing, nothing, patience=0.0)
    server = build_server(ServedParts(served), {"t": tool})

    async def ask() -> Any:
        async with Client(server) as client:
            return await client.call_tool("t", {})

    answer = anyio.run(ask)
    assert answer.structured_content["items"] == [{"text": "Ponds cool", "name": ["half "]}]
    assert isinstance(answer.content[0], TextContent)
    assert TAGS not in answer.content[0].text
