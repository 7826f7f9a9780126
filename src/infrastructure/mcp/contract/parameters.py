"""What each tool takes. The descriptions are read, and paid for, by agents: keep them short."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from citeloom.domain.search.request import DEFAULT_TOP_K, MAX_CONTEXT, MAX_QUERY_CHARACTERS

MAX_TOP_K = 20
MAX_SAMPLE = 5
MAX_WAIT = 14
MAX_DRAFT = 1_000_000
"""Characters of a draft that is handed over as text; a long book has that many."""

Kind = Literal["text", "table", "caption", "reference", "figure", "annotation"]
Text = Annotated[str, Field(min_length=1)]
Texts = str | list[str]
Offset = Annotated[int, Field(ge=0), WithJsonSchema({"type": "integer"})]


def _described_once(schema: dict[str, Any], kind: type[Any]) -> None:
    """What a class inherits is described in the schema of the class that declares it."""
    for name, part in schema.get("properties", {}).items():
        if name not in kind.__annotations__:
            part.pop("description", None)


class Parameters(BaseModel):
    """Types are not converted (``"6"`` is no number), unknown parameters are refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        str_strip_whitespace=True,
        json_schema_extra=_described_once,
    )


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


class IngestOptions(Parameters):
    force_rebuild: bool = Field(default=False, description="redo unchanged files")
    references: Text | None = Field(
        default=None,
        description="path of a BibTeX, CSL, RIS or Better BibTeX JSON file; remembered",
    )
    ocr_languages: list[str] = []
    collection_key: Text | None = Field(default=None, description="required by source zotero")
    include_tags: list[str] = Field(default=[], description="zotero only")
    exclude_tags: list[str] = Field(default=[], description="zotero only")
    zotero_config: dict[str, Any] = {}


class IngestParameters(Parameters):
    project: Text = Field(description="NAME or NAMESPACE/NAME")
    source: Text = Field(description='absolute path of a file or folder, or "zotero"')
    options: IngestOptions = IngestOptions()


class StatusParameters(Parameters):
    job_id: Text
    wait_seconds: int = Field(default=0, ge=0, le=MAX_WAIT)


class VerifyParameters(Parameters):
    project: Text | None = None
    text: str | None = Field(default=None, max_length=MAX_DRAFT, description="the draft, or")
    path: Text | None = Field(default=None, description="its absolute path (also .docx)")
    format: Literal["markdown", "latex", "typst", "plain"] | None = Field(
        default=None, description="of text"
    )
    uncited: bool = Field(default=False, description="also facts without a citation")
    job_id: Text | None = Field(default=None, description="of a call")
    offset: Offset = 0


class ReviewParameters(Parameters):
    project: Text | None = None
    question: Text | None = None
    depth: Literal["light", "medium", "extended"] | None = None
    job_id: Text | None = Field(default=None, description="or session_id, to go on")
    offset: Offset = 0
    cancel: bool = False


class InspectParameters(Parameters):
    project: Text
    sample: int = Field(default=0, ge=0, le=MAX_SAMPLE, description="passages to show")


class NoParameters(Parameters):
    """Takes nothing."""


class ResourcesParameters(Parameters):
    project: Text | None = None
    budget: int = 0


class StructureParameters(Parameters):
    resource_id: Text = Field(description="citekey, title, id or path")
    project: Text | None = None


class NodeParameters(StructureParameters):
    node_id: Text


class ResolveParameters(NodeParameters):
    virtual: bool = Field(default=False, description="only say where it is")
