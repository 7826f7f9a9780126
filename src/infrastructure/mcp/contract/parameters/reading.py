"""Parameters of open_page, list_documents and cite."""

from typing import Annotated, Final, Literal

from pydantic import Field, WithJsonSchema

from citeloom.infrastructure.mcp.contract.parameters.base import (
    Offset,
    Parameters,
    Text,
    Texts,
    declaring,
)
from citeloom.infrastructure.mcp.contract.parameters.search import Filters, FiltersAgain

MAX_AROUND: Final = 10
MAX_ROWS: Final = 150

Sort = Literal["author", "key", "pages", "state", "title", "year"]
Form = Literal["pandoc", "latex", "typst", "markdown", "text"]
Style = Literal["apa", "chicago", "ieee", "nature", "vancouver"]


class OpenPageParameters(Parameters):
    place: Text = Field(description="address, [@key, p. 3], or document")
    project: Text | None = None
    pages: Text | None = Field(default=None, description='printed, or "PDF 3"')
    section: Text | None = Field(default=None, description="a heading")
    around: Annotated[
        int, WithJsonSchema({"type": "integer", "description": "passages beside it"})
    ] = Field(default=0, ge=0, le=MAX_AROUND)
    image: bool = Field(default=False, description="a picture too, marked")
    quote: Text | None = None
    offset: Offset = 0


class ListDocumentsParameters(Parameters):
    model_config = declaring("project", "text", "filters", "cursor")

    project: Text | None = None
    text: Text | None = Field(default=None, description="in key, title, authors")
    filters: FiltersAgain = Filters()
    sort: Sort = "author"
    limit: Annotated[int, WithJsonSchema({"type": "integer"})] = Field(
        default=50, ge=1, le=MAX_ROWS
    )
    cursor: Text | None = None


class CiteParameters(Parameters):
    works: Texts = Field(default=[], description="keys or places; none: all")
    project: Text | None = None
    form: Form = "pandoc"
    style: Style = "apa"
    bibliography: bool = False
    cursor: Text | None = None
