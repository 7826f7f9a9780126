"""Parameters of the tools, by capability. Agents read the descriptions, and pay for them."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from citeloom.domain.choices import ChunkKind, DraftMarkup, InText, SortKey
from citeloom.domain.review.report.table import MOST_QUESTIONS
from citeloom.domain.search.request import DEFAULT_TOP_K, MAX_CONTEXT, MAX_QUERY_CHARACTERS
from citeloom.infrastructure.serving.jobs.checks import MAX_DRAFT


def _described_once(schema: dict[str, Any], kind: type[Any]) -> None:
    """What a class inherits is described in the schema of the class that declares it."""
    for name, part in schema.get("properties", {}).items():
        if name not in kind.__annotations__:
            part.pop("description", None)


def _parsed(given: str, opening: str) -> object:
    """The JSON value of a text that begins with ``opening``; None if it is not JSON."""
    try:
        return json.loads(given) if given.lstrip().startswith(opening) else None
    except (ValueError, RecursionError):
        return None


def as_object(given: object) -> object:
    """An object that was given as JSON."""
    parsed = _parsed(given, "{") if isinstance(given, str) else None
    return given if parsed is None else parsed


def as_list(given: object) -> object:
    """A list of a single value, or of a list that was given as JSON."""
    if isinstance(given, str):
        parsed = _parsed(given, "[")
        return parsed if isinstance(parsed, list) else [given]
    return [given] if isinstance(given, int | float) else given


def as_one(given: object) -> object:
    """The only value of a list."""
    return given[0] if isinstance(given, list) and len(given) == 1 else given


def as_ranges(given: object) -> object:
    """Alternatives of a list of numbers or ranges."""
    return ",".join(map(str, given)) if isinstance(given, list) and given else as_one(given)


def _as_keys(given: object) -> object:
    """Citation keys without their ``@``."""
    given = as_list(given)
    if isinstance(given, list):
        return [one.removeprefix("@") if isinstance(one, str) else one for one in given]
    return given


def _as_names(given: object) -> object:
    """Names between commas, or of a list."""
    given = as_list(given)
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return [name for one in given for part in one.split(",") if (name := part.strip())]
    return given


def declaring(*told: str, required: Sequence[str] = ()) -> ConfigDict:
    """The configuration of parameters. The schema lists ``told`` alone, or all (others are still
    accepted), and names ``required`` as needed; a missing one is filled in where it is plain."""

    def declared(schema: dict[str, Any], kind: type[Any]) -> None:
        _described_once(schema, kind)
        if required:
            schema["required"] = list(dict.fromkeys([*required, *schema.get("required", [])]))
        for other in set(schema["properties"]).difference(told or schema["properties"]):
            del schema["properties"][other]

    return ConfigDict(json_schema_extra=declared)


class Parameters(BaseModel):
    """Unknown parameters are refused."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        coerce_numbers_to_str=True,
        str_strip_whitespace=True,
        str_max_length=MAX_QUERY_CHARACTERS,
        json_schema_extra=_described_once,
    )


Text = Annotated[str, Field(min_length=1), BeforeValidator(as_one)]
Texts = Annotated[list[str], BeforeValidator(as_list)]
#: Alternatives; agents are told of one, as most filters need no more, and lists cost them tokens.
Alternatives = Annotated[list[str], BeforeValidator(as_list), WithJsonSchema({"type": "string"})]
Ranges = Annotated[str, BeforeValidator(as_ranges)]
Offset = Annotated[int, Field(ge=0), WithJsonSchema({"type": "integer"})]
Object = BeforeValidator(as_object)
Keys = Annotated[list[str], BeforeValidator(_as_keys)]
#: Names of projects, which have no commas; one text to agents.
ProjectNames = Annotated[
    list[Text], Field(min_length=1), BeforeValidator(_as_names), WithJsonSchema({"type": "string"})
]


class VerifyParameters(Parameters):
    """The format of a text is guessed if it is not given."""

    model_config = declaring("project", "text", "path", "uncited")

    project: Text | None = None
    text: str | None = Field(default=None, max_length=MAX_DRAFT, description="the draft, or")
    path: Text | None = Field(default=None, description="its absolute path (also .docx)")
    format: DraftMarkup | None = None
    uncited: bool = Field(default=False, description="also facts without a citation")
    job_id: Text | None = None
    offset: Offset = 0


MAX_WAIT = 14


class IngestOptions(Parameters):
    force_rebuild: bool = Field(default=False, description="redo unchanged files")
    references: Text | None = Field(
        default=None,
        description="a BibTeX, CSL or RIS file",
    )
    identify: Annotated[
        bool | None, WithJsonSchema({"type": "boolean", "description": "look up online"})
    ] = None
    collection_key: Text | None = Field(default=None, description="for zotero")
    include_tags: Alternatives = Field(default=[], description="of zotero")
    exclude_tags: Alternatives = Field(default=[])
    # The contract has these two. Agents are not told of them: the first has no effect, the second
    # is refused.
    ocr_languages: SkipJsonSchema[Texts] = Field(default=[])
    zotero_config: SkipJsonSchema[dict[str, Any]] = Field(default={})


class IngestParameters(Parameters):
    project: Text
    source: Text = Field(description='absolute path of a file or folder, or "zotero"')
    options: Annotated[IngestOptions, Object] = IngestOptions()


class StatusParameters(Parameters):
    job_id: Text
    wait_seconds: int = Field(default=0, ge=0, le=MAX_WAIT)


class JobsParameters(Parameters):
    job_id: Text | None = Field(default=None, description="without it all are listed")
    wait_seconds: int = Field(default=0, ge=0, le=MAX_WAIT)
    cancel: bool = False
    offset: Offset = 0


MOST_BUDGET = 8000
# Clients send both, as CiteKit has them; an address is taken without a node too.
_BOTH = ("resource_id", "node_id")


class ResourcesParameters(Parameters):
    project: Text | None = None
    budget: int = Field(default=0, le=MOST_BUDGET)
    offset: Offset = 0


class StructureParameters(Parameters):
    """CiteKit's, with ``offset`` for maps that do not fit."""

    model_config = declaring("resource_id", "project")

    resource_id: Text = Field(description="citekey, title or id")
    project: Text | None = None
    offset: Offset = 0


class OutlineParameters(StructureParameters):
    model_config = declaring("resource_id", "node_id", "offset")

    node_id: Text | None = Field(default=None, description="only this part")


class NodeParameters(StructureParameters):
    model_config = declaring("resource_id", "node_id", "project")

    node_id: Text


class ResolveParameters(Parameters):
    model_config = declaring("resource_id", "node_id", "virtual", required=_BOTH)

    resource_id: Text = Field(description="document; or an address, [@key, p. 3]")
    node_id: str | None = Field(default=None, description="empty for an address")
    project: Text | None = None
    virtual: bool = Field(default=False, description="only say where it is")


MAX_SAMPLE = 5


class InspectParameters(Parameters):
    """Without ``project`` the default one, or the only one."""

    model_config = declaring(required=["project"])

    project: Text | None = None
    sample: int = Field(default=0, ge=0, le=MAX_SAMPLE, description="passages")


class ListProjectsParameters(Parameters):
    offset: Offset = 0


MAX_TOP_K = 20
MAX_MORE = 5

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
    kind: ChunkKind | None = None
    doc: Alternatives | None = Field(default=None, description="citekey, title or id")
    page: Ranges | None = Field(default=None, description="of the PDF")
    zotero_item_key: Alternatives | None = None
    lang: Alternatives | None = None
    status: Alternatives | None = Field(default=None, description="unread, reading, read, excluded")
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


class TableParameters(Parameters):
    model_config = declaring("project", "questions", "drop")

    project: Text | None = None
    questions: Annotated[list[Text], Field(max_length=MOST_QUESTIONS), BeforeValidator(as_list)] = (
        Field(default=[], description="new columns")
    )
    drop: Alternatives = Field(default=[], description="a column")
    filters: FiltersAgain = Filters()
    job_id: Text | None = None
    offset: Offset = 0


class MeaningParameters(QueryParameters):
    """The same; agents that read the others in one schema need not pay for them in two."""

    model_config = declaring("project", "text", "top_k", required=["project"])


MAX_AROUND: Final = 10
MAX_ROWS: Final = 150

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
    sort: SortKey = SortKey.AUTHOR
    limit: Annotated[int, WithJsonSchema({"type": "integer"})] = Field(
        default=50, ge=1, le=MAX_ROWS
    )
    cursor: Text | None = None


class CiteParameters(Parameters):
    works: Texts = Field(default=[], description="keys or places; none: all")
    project: Text | None = None
    form: InText | None = None
    style: Style | None = None
    bibliography: bool = False
    cursor: Text | None = None


MAX_DOCUMENTS = 200


class RemoveParameters(Parameters):
    project: Text
    documents: Keys = Field(default=[], max_length=MAX_DOCUMENTS)
    confirm: str | None = None


class AskParameters(Parameters):
    project: Text | None = None
    question: Text


class ReviewParameters(Parameters):
    model_config = declaring("project", "question", "depth", "job_id", "offset")

    project: Text | None = None
    question: Text | None = None
    depth: Literal["light", "medium", "extended"] | None = None
    job_id: Text | None = Field(default=None, description="or session_id, to go on")
    offset: Offset = 0
    cancel: bool = False
