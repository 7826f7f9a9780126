"""Parameters of query and query_hybrid."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from citeloom.domain.search.request import DEFAULT_TOP_K, MAX_CONTEXT, MAX_QUERY_CHARACTERS
from citeloom.infrastructure.mcp.contract.parameters.base import (
    Keys,
    Object,
    Offset,
    Parameters,
    ProjectNames,
    Ranges,
    Text,
    Texts,
    as_list,
    requiring,
)

MAX_TOP_K = 20
MAX_MORE = 5

Kind = Literal["text", "table", "caption", "reference", "figure", "annotation"]
Question = Annotated[Text, Field(max_length=MAX_QUERY_CHARACTERS)]


class Filters(Parameters):
    """All must hold; a list gives alternatives, but for ``tags``."""

    tags: Texts = Field(default=[], description="all of them")
    year: Ranges | None = Field(default=None, description='"2019" or "2015..2020"')
    author: Texts | None = None
    citekey: Keys | None = None
    collection: Texts | None = None
    type: Texts | None = Field(default=None, description="CSL type")
    section: Texts | None = Field(default=None, description="a heading")
    section_prefix: Texts | None = Field(default=None, description='"Methods > Sampling"')
    kind: Kind | None = None
    doc: Texts | None = Field(default=None, description="citekey, title, id or path")
    page: Ranges | None = Field(default=None, description="PDF page or range")
    zotero_item_key: Texts | None = None
    lang: Texts | None = None
    marked: Texts | None = Field(default=None, description='"yes" or a colour')
    # Accepted so that it can be refused by name; agents are not told of it.
    zotero_attachment_key: SkipJsonSchema[Any] = None


class QueryParameters(Parameters):
    """Without ``project`` the default one is asked, or the only one."""

    model_config = requiring("project")

    project: ProjectNames | None = Field(
        default=None, description="NAME or NAMESPACE/NAME; several: a, b"
    )
    text: Question
    more: Annotated[list[Question], Field(max_length=MAX_MORE), BeforeValidator(as_list)] = Field(
        default=[], description="further questions"
    )
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    rerank: bool = Field(default=False, description="slower, often better order")
    per_document: int | None = Field(default=None, ge=1, le=MAX_TOP_K)
    diverse: bool = False
    context: int = Field(default=0, ge=0, le=MAX_CONTEXT, description="neighbours on each side")
    filters: Annotated[Filters, Object] = Field(
        default=Filters(), description="all must hold; lists are alternatives"
    )
    offset: Offset = 0
    details: bool = Field(default=False, description="all fields of a hit, and the models")


class MeaningParameters(QueryParameters):
    """The same; agents that read the filters in one schema need not pay for them in two."""

    filters: Annotated[
        Filters, Object, WithJsonSchema({"type": "object", "description": "as of query_hybrid"})
    ] = Filters()
