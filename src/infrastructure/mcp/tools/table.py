"""Table of the tools."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from citeloom.domain.errors import ConfigurationError
from citeloom.infrastructure.mcp.tools.drafts import DRAFT_TOOLS
from citeloom.infrastructure.mcp.tools.maps import MAP_TOOLS
from citeloom.infrastructure.mcp.tools.projects import PROJECT_TOOLS
from citeloom.infrastructure.mcp.tools.reading import READING_TOOLS
from citeloom.infrastructure.mcp.tools.search import SEARCH_TOOLS
from citeloom.infrastructure.mcp.tools.tool import Tool

#: All tools by name; those that are not listed have their names from older versions.
TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (*SEARCH_TOOLS, *READING_TOOLS, *DRAFT_TOOLS, *PROJECT_TOOLS, *MAP_TOOLS)
}
LISTED: Final[Mapping[str, Tool]] = {name: tool for name, tool in TOOLS.items() if tool.listed}

#: It can cancel reviews and ingests. Where there are none, it is one that only reads.
_READING_ALONE: Final = frozenset({"jobs"})


def offered_tools(*, read_only: bool, names: Collection[str] = ()) -> Mapping[str, Tool]:
    """The tools that a server has: all, or those of ``names``, which are listed then; with
    ``read_only`` without those that write or delete. Raises ConfigurationError."""
    if unknown := [name for name in names if name not in TOOLS]:
        raise ConfigurationError(
            f"mcp.tools: {', '.join(unknown)}: no such tool; the tools are {', '.join(TOOLS)}"
        )
    chosen = (
        {name: replace(TOOLS[name], listed=True) for name in TOOLS if name in names}
        if names
        else TOOLS
    )
    if not read_only:
        return chosen
    return {
        name: replace(tool, read_only=True)
        for name, tool in chosen.items()
        if tool.read_only or name in _READING_ALONE
    }
