"""Query request and query result."""

from typing import Self

from pydantic import Field, field_validator, model_validator

from citeloom.domain.annotations.annotation import Annotation, Mark
from citeloom.domain.documents.chunk import ChunkKind
from citeloom.domain.documents.spans import Region
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Mode
from citeloom.domain.value import Value

MAX_TOP_K = 50


DEFAULT_TOP_K = 6


MAX_CONTEXT = 5


MAX_TEXT = 1800


MAX_QUERY_CHARACTERS = 32_000


class QueryRequest(Value):
    """A question to a project, or to several with the same embedding model.

    ``top_k`` is 1 to 50. ``per_document`` is the most passages of one document (None: any
    number), ``context`` how many neighbours are shown on either side of a passage, 0 to 5.
    ``diverse`` prefers passages that differ from those before. ``rerank`` reads question
    and passage together (None: where the configuration says so). ``favour_marked`` moves
    passages up that hold a reader's mark.
    """

    project_id: ProjectId
    also: tuple[ProjectId, ...] = ()
    query_text: str = Field(max_length=MAX_QUERY_CHARACTERS)
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    mode: Mode = Mode.HYBRID
    filter: Filter = Filter()
    per_document: int | None = Field(default=None, ge=1, le=MAX_TOP_K)
    diverse: bool = False
    context: int = Field(default=0, ge=0, le=MAX_CONTEXT)
    rerank: bool | None = None
    favour_marked: bool = False

    @field_validator("query_text")
    @classmethod
    def _not_empty(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("it is empty; ask for something")
        return text.strip()


class Neighbour(Value):
    """A passage next to a hit; ``offset`` is -1 for the one before, 1 for the one after, and
    0 for the one that a hit marks which is an annotation."""

    offset: int
    chunk_id: str
    text: str
    page_labels: tuple[str, ...] = ()
    address: str


class QueryResultItem(Value):
    """A passage that answers, with all that is needed to cite and to open it.

    ``score`` is in 0..1. ``text`` is at most 1,800 characters, cut at a sentence end.
    ``best_sentence`` is the sentence of the passage (verbatim, cut off or not) that is
    closest to the question, where sentences have vectors. ``matched`` are the words of the
    text that the question asks for, each once, as they stand. ``copies`` name other documents
    (by citation key or id) whose passage says the same and is not shown. ``marks`` are what a
    reader marked in the passage; of an annotation (which is of that ``kind``) ``annotation``
    tells what she wrote. ``place`` says in words where the passage is if it has no certain
    printed pages (``PDF p. 5``); ``zotero_link`` opens its page or mark in Zotero, or selects
    the item there.
    """

    rank: int = Field(ge=1)
    score: float = Field(ge=0.0)
    text: str = Field(max_length=MAX_TEXT)
    citekey: str | None = None
    citation: str | None = None
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str | None = None
    url: str | None = None
    document_id: str
    chunk_id: str
    section: str | None = None
    section_path: tuple[str, ...] = ()
    page_span: tuple[int, int] | None = None
    page_labels: tuple[str, ...] = ()
    address: str
    knowledge_uri: str
    source_path: str
    regions: tuple[Region, ...] = ()
    best_sentence: str | None = None
    matched: tuple[str, ...] = ()
    project: str | None = None
    copies: tuple[str, ...] = ()
    context: tuple[Neighbour, ...] = ()
    kind: ChunkKind = ChunkKind.TEXT
    marks: tuple[Mark, ...] = ()
    annotation: Annotation | None = None
    place: str | None = None
    zotero_link: str | None = None


class QueryResult(Value):
    """The answer, best first; never more items than were asked for. Of a question to several
    projects ``project`` names all of them, joined by ", ", and each item its own."""

    project: str
    query: str
    mode: Mode
    model: str
    count: int
    items: tuple[QueryResultItem, ...]
    warnings: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _counted(self) -> Self:
        if self.count != len(self.items):
            raise ValueError("count is the number of items")
        return self
