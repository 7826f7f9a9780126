"""Tools for structures and their nodes."""

from typing import Final

from citeloom.infrastructure.mcp.contract.parameters.maps import (
    NodeParameters,
    OutlineParameters,
    ResolveParameters,
    ResourcesParameters,
    StructureParameters,
)
from citeloom.infrastructure.mcp.handlers import maps
from citeloom.infrastructure.mcp.handlers.maps import (
    NodeReply,
    ResolutionReply,
    ResourcesReply,
    StructureReply,
)
from citeloom.infrastructure.mcp.tools.tool import Tool

MAP_TOOLS: Final = (
    Tool(
        name="listResources",
        title="List resources",
        description="Ids of documents and mapped files; with budget an outline in so many tokens.",
        parameters=ResourcesParameters,
        answer=ResourcesReply,
        listed=False,
        handler=maps.list_resources,
        seconds=5.0,
    ),
    Tool(
        name="get_structure",
        title="Table of contents",
        description="Chapters, headings, figures and tables of a document, with pages.",
        parameters=OutlineParameters,
        answer=StructureReply,
        handler=maps.outline,
        seconds=5.0,
    ),
    Tool(
        name="getStructure",
        title="Structure of a document",
        description="The parts of a document or mapped file as a tree of nodes, with their places.",
        parameters=StructureParameters,
        answer=StructureReply,
        handler=maps.get_structure,
        listed=False,
        seconds=5.0,
    ),
    Tool(
        name="getNode",
        title="Node of a structure",
        description="One node of a structure.",
        parameters=NodeParameters,
        answer=NodeReply,
        listed=False,
        handler=maps.get_node,
        seconds=5.0,
    ),
    Tool(
        name="resolve",
        title="Cut out a file",
        description="Cuts a part out as a file: pages as a PDF, lines, picture, recording.",
        parameters=ResolveParameters,
        answer=ResolutionReply,
        handler=maps.resolve,
        seconds=15.0,
        read_only=False,
    ),
)
