"""Requests and results of the verbs: what is asked, what is answered."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from pydantic import Field, field_validator, model_validator

from citeloom.domain.filters import Filter
from citeloom.domain.fusion import Mode as Mode
from citeloom.domain.project import ProjectId
from citeloom.domain.spans import Region
from citeloom.domain.values import Value

MAX_TOP_K = 50
DEFAULT_TOP_K = 6
MAX_TEXT = 1800
MAX_QUERY_CHARACTERS = 32_000


class QueryRequest(Value):
    """A question to one project. ``top_k`` is 1 to 50."""

    project_id: ProjectId
    query_text: str = Field(max_length=MAX_QUERY_CHARACTERS)
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    mode: Mode = Mode.HYBRID
    filter: Filter = Filter()

    @field_validator("query_text")
    @classmethod
    def _not_empty(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("it is empty; ask for something")
        return text.strip()


class QueryResultItem(Value):
    """A passage that answers, with all that is needed to cite and to open it.

    ``score`` is in 0..1. ``text`` is at most 1,800 characters, cut at a sentence end.
    ``best_sentence`` is the sentence of the passage (verbatim, cut off or not) that is
    closest to the question, where sentences have vectors.
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


class QueryResult(Value):
    """The answer, best first; never more items than were asked for."""

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


class DocumentStatus(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    FAILED = "failed"


class DocumentReport(Value):
    """What an ingest did with one source."""

    source: str
    document_id: str | None = None
    status: DocumentStatus
    citekey: str | None = None
    chunks: int = Field(default=0, ge=0)
    pages: int = Field(default=0, ge=0)
    warnings: tuple[str, ...] = ()
    error: str | None = None
    error_code: str | None = None


class IngestRequest(Value):
    """What to ingest, into which project.

    ``sources`` may be empty when only the references are to be read again. ``prune``
    removes documents whose files are gone from the given folders; ``force`` redoes all.
    ``sentences`` says whether the project has vectors of sentences from now on (None: as it is).
    ``passwords`` are by file name or pattern (``smith*.pdf``), ``password`` is tried on all
    others.
    """

    project_id: ProjectId
    sources: tuple[str, ...]
    references: str | None = None
    model: str | None = None
    sentences: bool | None = None
    force: bool = False
    prune: bool = False
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)


class IngestResult(Value):
    """The outcome of an ingest; the numbers count this run, ``chunks_total`` the project."""

    project: str
    documents: tuple[DocumentReport, ...]
    documents_processed: int = Field(ge=0)
    documents_converted: int = Field(default=0, ge=0)
    documents_removed: int = Field(default=0, ge=0)
    citations_updated: int = Field(default=0, ge=0)
    chunks_written: int = Field(ge=0)
    chunks_total: int = Field(ge=0)
    duration_seconds: float = Field(ge=0.0)
    embed_model: str
    correlation_id: str
    warnings: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        return tuple(d for d in self.documents if d.status is DocumentStatus.FAILED)
