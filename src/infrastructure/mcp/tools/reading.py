"""Tools that read documents and cite them."""

from typing import Final

from citeloom.infrastructure.mcp.contract.parameters.reading import (
    CiteParameters,
    ListDocumentsParameters,
    OpenPageParameters,
)
from citeloom.infrastructure.mcp.handlers import reading
from citeloom.infrastructure.mcp.handlers.reading import CiteReply, DocumentsReply, PageReply
from citeloom.infrastructure.mcp.tools.tool import Tool

READING_TOOLS: Final = (
    Tool(
        name="open_page",
        title="Show a page",
        description="Shows a page, section or passage as it stands; as a picture, the quote "
        "marked.",
        parameters=OpenPageParameters,
        answer=PageReply,
        handler=reading.open_page,
        seconds=15.0,
        heavy_with="image",
    ),
    Tool(
        name="list_documents",
        title="List documents",
        description="What is in the library: keys, authors, years, titles.",
        parameters=ListDocumentsParameters,
        answer=DocumentsReply,
        handler=reading.list_documents,
        seconds=8.0,
    ),
    Tool(
        name="cite",
        title="Cite works",
        description="An in-text citation of works, and their bibliography.",
        parameters=CiteParameters,
        answer=CiteReply,
        handler=reading.cite,
        seconds=15.0,
    ),
)
