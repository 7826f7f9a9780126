"""Parameters of query and query_hybrid."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from citeloom.domain.search.request import DEFAULT_TOP_K, MAX_CONTEXT, MAX_QUERY_CHARACTERS
from citeloom.infrastructure.mcp.contract.parameters.base import (
    Alternatives,
    Keys,
    Object,
    Offset,
    Parameters,
    ProjectNames,
    Ranges,
    Text,
    Texts,
    as_list,
    declaring,
)

MAX_TOP_K = 20
MAX_MORE = 5

Kind = Literal["text", "table", "caption", "reference", "figure", "annotation"]
Question = Annotated[Text, Field(max_length=MAX_QUERY_CHARACTERS)]


class Filters(Parameters):
    """All must hold; a list gives alternatives, but for ``tags``."""

    model_config = declaring(
        "tags", "year", "author", "collection", "type", "section", "kind", "doc", "page", "marked"
    )

    tags: Texts = Field(default=[], description="all of them")
    year: Ranges | None = Field(default=None, description="2015..2020")
    author: Texts | None = None
    citekey: Keys | None = None
    collection: Alternatives | None = None
    type: Alternatives | None = Field(default=None, description="CSL type")
    section: Alternatives | None = Field(default=None, description="a heading")
    section_prefix: Alternatives | None = Field(default=None, description='"Methods > Sampling"')
    kind: Kind | None = None
    doc: Alternatives | None = Field(default=None, description="citekey, title or id")
    page: Ranges | None = Field(default=None, description="of the PDF")
    zotero_item_key: Alternatives | None = None
    lang: Alternatives | None = None
    marked: Alternatives | None = Field(default=None, description="yes, or a colour")
    # Accepted so that it can be refused by name; agents are not told of it.
    zotero_attachment_key: SkipJsonSchema[Any] = None


class QueryParameters(Parameters):
    """Without ``project`` the default one is asked, or the only one."""

    model_config = declaring(
        "project", "text", "more", "top_k", "filters", "per_document", "context", "rerank",
        "offset", "details", required=["project"],
    )  # fmt: skip

    project: ProjectNames | None = Field(default=None, description="several: a, b")
    text: Question
    more: Annotated[list[Question], Field(max_length=MAX_MORE), BeforeValidator(as_list)] = Field(
        default=[], description="further questions"
    )
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    rerank: bool = Field(default=False, description="slower, better")
    per_document: int | None = Field(default=None, ge=1, le=MAX_TOP_K)
    diverse: bool = False
    context: int = Field(default=0, ge=0, le=MAX_CONTEXT, description="neighbours")
    filters: Annotated[Filters, Object] = Field(
        default=Filters(), description="all must hold; lists are alternatives"
    )
    offset: Offset = 0
    details: bool = Field(default=False, description="all fields")


#: Filters to agents that read of them in the schema of query_hybrid. One is named here: Gemini
#: refuses objects without properties.
FiltersAgain = Annotated[
    Filters,
    Object,
    WithJsonSchema(
        {
            "type": "object",
            "properties": {"year": {"type": "string"}},
            "description": "as in query_hybrid",
        }
    ),
]


class MeaningParameters(QueryParameters):
    """The same; agents that read the others in one schema need not pay for them in two."""

    model_config = declaring("project", "text", "top_k", required=["project"])
