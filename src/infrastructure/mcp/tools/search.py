"""Tools that search."""

from typing import Final

from citeloom.infrastructure.mcp.answers.search import SearchReply
from citeloom.infrastructure.mcp.contract.parameters.search import (
    MeaningParameters,
    QueryParameters,
)
from citeloom.infrastructure.mcp.handlers import search
from citeloom.infrastructure.mcp.lanes import LaneName
from citeloom.infrastructure.mcp.tools.tool import Tool

SEARCH_TOOLS: Final = (
    Tool(
        name="query_hybrid",
        title="Search passages",
        description="Passages of a project that answer a question, by meaning and by words, best "
        "first, each ready to cite.",
        parameters=QueryParameters,
        answer=SearchReply,
        handler=search.query_hybrid,
        seconds=15.0,
        lane=LaneName.SEARCHING,
        heavy_with="rerank",
    ),
    Tool(
        name="query",
        title="Search passages by meaning",
        description="As query_hybrid and with all its parameters, but by meaning only.",
        parameters=MeaningParameters,
        answer=SearchReply,
        handler=search.query,
        seconds=8.0,
        lane=LaneName.SEARCHING,
        heavy_with="rerank",
    ),
)
