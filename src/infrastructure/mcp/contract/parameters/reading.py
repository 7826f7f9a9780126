"""Parameters of open_page, list_documents and cite."""

from typing import Annotated, Final, Literal

from pydantic import Field, WithJsonSchema

from citeloom.infrastructure.mcp.contract.parameters.base import (
    Object,
    Offset,
    Parameters,
    Text,
    Texts,
)
from citeloom.infrastructure.mcp.contract.parameters.search import Filters

MAX_AROUND: Final = 10
MAX_ROWS: Final = 150

Sort = Literal["author", "key", "pages", "state", "title", "year"]
Form = Literal["pandoc", "latex", "typst", "markdown", "text"]
Style = Literal["apa", "chicago", "ieee", "nature", "vancouver"]


class OpenPageParameters(Parameters):
    place: Text = Field(description="address of a hit, [@key, p. 3], knowledge URI, or a document")
    project: Text | None = None
    pages: Text | None = Field(default=None, description='printed: 12, xii-xv; or "PDF 3"')
    section: Text | None = Field(default=None, description="a heading")
    around: int = Field(
        default=0, ge=0, le=MAX_AROUND, description="passages on each side, instead of pages"
    )
    image: bool = Field(default=False, description="also the page as picture, passage marked")
    quote: Text | None = Field(default=None, description="words to mark in it")
    offset: Offset = 0


class ListDocumentsParameters(Parameters):
    project: Text | None = None
    text: Text | None = Field(default=None, description="words of key, title, authors")
    filters: Annotated[
        Filters, Object, WithJsonSchema({"type": "object", "description": "as of query_hybrid"})
    ] = Filters()
    sort: Sort = "author"
    limit: int = Field(default=50, ge=1, le=MAX_ROWS)
    cursor: Text | None = None


class CiteParameters(Parameters):
    works: Texts = Field(default=[], description="keys, documents or places; none: all")
    project: Text | None = None
    form: Form = Field(default="pandoc", description="text and markdown follow style")
    style: Style = "apa"
    bibliography: bool = Field(default=False, description="entries too")
    cursor: Text | None = None
