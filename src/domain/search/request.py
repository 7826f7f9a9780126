"""Query request and query result."""

from typing import Self

from pydantic import Field, field_validator, model_validator

from citeloom.domain.annotations import Annotation, Mark
from citeloom.domain.citation.metadata import CitationSource
from citeloom.domain.documents.spans import ChunkKind, Region
from citeloom.domain.messages import MessageText
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value

from .filters import Filter
from .fusion import Mode

MAX_TOP_K = 50


DEFAULT_TOP_K = 6


MAX_CONTEXT = 5


MAX_TEXT = 1800


MAX_QUERY_CHARACTERS = 32_000


class QueryRequest(Value):
    """A query to one project, or to several with the same embedding model (``also``).

    ``top_k`` is 1 to 50. ``per_document`` limits the passages of one document (None: no
    limit); ``context`` is the number of neighbours shown on either side of a passage, 0 to 5.
    ``mode`` None is the default of the projects (``default_mode``). ``diverse`` selects by
    maximal marginal relevance. ``rerank`` applies the cross-encoder (None: as configured).
    ``favour_marked`` boosts passages with a reader's annotation.
    """

    project_id: ProjectId
    also: tuple[ProjectId, ...] = ()
    query_text: str = Field(max_length=MAX_QUERY_CHARACTERS)
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    mode: Mode | None = None
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
    """A passage next to a hit: ``offset`` -1 is the one before, 1 the one after; 0 is the
    passage that an annotation hit marks. ``char_span``, ``text_uncertain`` and ``disputed`` are
    as in a hit."""

    offset: int
    chunk_id: str
    char_span: tuple[int, int]
    text: str
    page_labels: tuple[str, ...] = ()
    address: str
    text_uncertain: bool | None = None
    disputed: tuple[str, ...] = ()


class HitPicture(Region):
    """Where the figure, table or formula of a hit is. ``uri`` is the knowledge URI of the figure,
    or of the page as a picture."""

    uri: str


class QueryResultItem(Value):
    """A passage with all that is needed to cite and to open it.

    ``score`` is in 0..1. ``text`` is at most 1,800 characters, cut at a sentence end.
    ``char_span`` is where the whole passage stands in the document's text, ``[start, end)``.
    ``best_sentence`` is the passage's sentence that answers the question best (verbatim, even if
    beyond the cut), where sentences are embedded, or a row of a table. ``matched`` are the
    question's words as they occur in the text, each once. ``copies`` are other documents (citation
    key or id) with a near-duplicate passage, which is not shown. ``marks`` are a reader's
    annotations of the passage; ``annotation`` is set on passages of kind annotation. ``place`` is
    the locator in words if there are no certain printed pages (``PDF p. 5``). ``zotero_link`` opens
    the page or annotation in Zotero, or selects the item. ``title``, ``authors`` and ``year`` are
    those of the citation, or without one (``citekey`` is None) what the file itself says.
    ``citation_source`` is ``document`` for a provisional citation.
    ``text_uncertain``: the stored text of a page of it, or of a sentence in it, differs from
    another reading of that page; None where that is not known. ``disputed`` are these sentences,
    verbatim: their words are not side by side in the other reading. ``picture`` shows what the
    words of a figure, table or formula do not. ``header`` has the heads above the later rows
    of a table that the passage has, or the caption of the figure whose text it is.
    """

    rank: int = Field(ge=1)
    score: float = Field(ge=0.0)
    text: str = Field(max_length=MAX_TEXT)
    citekey: str | None = None
    citation: str | None = None
    citation_source: CitationSource | None = None
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str | None = None
    url: str | None = None
    document_id: str
    chunk_id: str
    char_span: tuple[int, int]
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
    text_uncertain: bool | None = None
    disputed: tuple[str, ...] = ()
    picture: HitPicture | None = None
    header: str | None = None

    @property
    def is_provisional(self) -> bool:
        return self.citation_source is CitationSource.DOCUMENT


class RunningIngest(Value):
    """An ingest that runs: of its ``documents_total`` papers ``documents_done`` are searched."""

    documents_done: int
    documents_total: int

    def __str__(self) -> str:
        return (
            f"an ingest is running: {self.documents_done} of {self.documents_total} papers are "
            "searched so far"
        )


class QueryResult(Value):
    """The hits, best first, at most ``top_k``. For several projects ``project`` has all their
    names, joined by ", ", and each item its own. ``probability`` is that of an answer among the
    hits, None for a search by words or where a phrase was found. ``ingest``: what is not searched
    yet, of all ingests that run together."""

    project: str
    query: str
    mode: Mode
    model: str
    count: int
    items: tuple[QueryResultItem, ...]
    probability: float | None = None
    ingest: RunningIngest | None = None
    warnings: tuple[MessageText, ...] = ()

    @model_validator(mode="after")
    def _counted(self) -> Self:
        if self.count != len(self.items):
            raise ValueError("count is the number of items")
        return self
