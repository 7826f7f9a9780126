"""Parameters of query and query_hybrid."""

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from citeloom.domain.search.request import DEFAULT_TOP_K, MAX_CONTEXT, MAX_QUERY_CHARACTERS
from citeloom.infrastructure.mcp.contract.parameters.base import Parameters, Text, Texts

MAX_TOP_K = 20

Kind = Literal["text", "table", "caption", "reference", "figure", "annotation"]


class Filters(Parameters):
    """All must hold; a list gives alternatives, but for ``tags``."""

    tags: list[Text] = Field(default=[], description="all of them")
    year: int | str | None = Field(default=None, description='2019 or "2015..2020"')
    author: Texts | None = None
    citekey: Texts | None = None
    collection: Texts | None = None
    type: Texts | None = Field(default=None, description="CSL type")
    section: Texts | None = Field(default=None, description="a heading")
    section_prefix: Texts | None = Field(default=None, description='"Methods > Sampling"')
    kind: Kind | None = None
    doc: Texts | None = Field(default=None, description="citekey, title, id or path")
    page: int | str | None = Field(default=None, description="PDF page or range")
    zotero_item_key: Texts | None = None
    lang: Texts | None = None
    marked: SkipJsonSchema[Texts | None] = None
    # Accepted so that it can be refused by name; agents are not told of it.
    zotero_attachment_key: SkipJsonSchema[Any] = None


class QueryParameters(Parameters):
    project: Text | Annotated[list[Text], Field(min_length=1)] = Field(
        description="NAME or NAMESPACE/NAME; or several"
    )
    text: str = Field(min_length=1, max_length=MAX_QUERY_CHARACTERS)
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    rerank: bool = Field(default=False, description="slower, often better order")
    per_document: int | None = Field(default=None, ge=1, le=MAX_TOP_K)
    diverse: bool = False
    context: int = Field(default=0, ge=0, le=MAX_CONTEXT, description="neighbours on each side")
    filters: Filters = Field(default=Filters(), description="all must hold; lists are alternatives")


class MeaningParameters(QueryParameters):
    """The same; agents that read the filters in one schema need not pay for them in two."""

    filters: Annotated[
        Filters, WithJsonSchema({"type": "object", "description": "as of query_hybrid"})
    ] = Filters()
