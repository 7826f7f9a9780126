"""Tools that search."""

from typing import Final

from citeloom.infrastructure.mcp.answers.search import SearchReply
from citeloom.infrastructure.mcp.contract.parameters.search import (
    MeaningParameters,
    QueryParameters,
)
from citeloom.infrastructure.mcp.handlers import search
from citeloom.infrastructure.mcp.tools.tool import Tool
from citeloom.infrastructure.serving.lanes import LaneName

SEARCH_TOOLS: Final = (
    Tool(
        name="query_hybrid",
        title="Search passages",
        description="Finds what the user's papers say on a question: evidence to quote and cite, "
        "by meaning and words.",
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
        description="As query_hybrid, with all its parameters, by meaning only: same idea, other "
        "words.",
        parameters=MeaningParameters,
        answer=SearchReply,
        handler=search.query,
        seconds=8.0,
        lane=LaneName.SEARCHING,
        heavy_with="rerank",
    ),
)
