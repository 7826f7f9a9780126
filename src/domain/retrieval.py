"""Requests and results of the verbs: what is asked, what is answered."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from pydantic import Field, field_validator, model_validator

from citeloom.domain.annotation import Annotation, Mark
from citeloom.domain.chunk import ChunkKind
from citeloom.domain.filters import Filter
from citeloom.domain.fusion import Mode as Mode
from citeloom.domain.held import AlternativeCitation
from citeloom.domain.library import KeySource, LibraryScope
from citeloom.domain.project import ProjectId
from citeloom.domain.spans import Region
from citeloom.domain.values import Value

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


class DocumentStatus(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    FAILED = "failed"


class DocumentReport(Value):
    """What an ingest did with one source. Of documents of a followed library,
    ``key_source`` says where the citation key came from, ``alternatives`` what else the
    document may be cited as, ``former_keys`` which keys it had before."""

    source: str
    document_id: str | None = None
    status: DocumentStatus
    citekey: str | None = None
    chunks: int = Field(default=0, ge=0)
    pages: int = Field(default=0, ge=0)
    warnings: tuple[str, ...] = ()
    error: str | None = None
    error_code: str | None = None
    key_source: KeySource | None = None
    alternatives: tuple[AlternativeCitation, ...] = ()
    former_keys: tuple[str, ...] = ()


class KeyChange(Value):
    """A citation key that is another now; the old one is still understood."""

    old: str
    new: str


class LibraryReport(Value):
    """What was read of a reader's library. The numbers are of the scope, but for
    ``missing_files`` (not on this machine) and ``generated_keys`` (items that have none of
    their own). ``documents_marked`` are those whose annotations changed. ``unchanged`` tells
    that nothing was read, because nothing had changed.
    ``rule`` says how one of several items is chosen to be cited."""

    source: str
    place: str
    scope: LibraryScope
    complete: bool = True
    unchanged: bool = False
    items: int = 0
    files: int = 0
    notes: int = 0
    annotations: int = 0
    documents_marked: int = 0
    missing_files: int = 0
    generated_keys: int = 0
    key_changes: tuple[KeyChange, ...] = ()
    rule: str | None = None


class SyncRequest(Value):
    """A reader's library to bring in. ``scope`` is None for the one that the project
    remembers, or all of her own library. ``prune`` removes documents that are no longer in
    the scope (None: if they were in it before; False: none; True: also those of an earlier,
    other scope). The rest is as in ``IngestRequest``."""

    project_id: ProjectId
    scope: LibraryScope | None = None
    model: str | None = None
    sentences: bool | None = None
    force: bool = False
    prune: bool | None = None
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)


class IngestRequest(Value):
    """What to ingest, into which project.

    ``sources`` may be empty when only the references are to be read again. ``prune``
    removes documents whose files are gone from the given folders; ``force`` redoes all.
    ``gone`` are absolute paths of files or folders where, and below which, the same is done.
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
    gone: tuple[str, ...] = ()
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)


class IngestResult(Value):
    """The outcome of an ingest; the numbers count this run, ``chunks_total`` the project.

    ``citations_updated`` are the documents whose citation changed without being written anew,
    ``page_labels_updated`` those of them whose printed page labels changed with it.
    """

    project: str
    documents: tuple[DocumentReport, ...]
    documents_processed: int = Field(ge=0)
    documents_converted: int = Field(default=0, ge=0)
    documents_removed: int = Field(default=0, ge=0)
    citations_updated: int = Field(default=0, ge=0)
    page_labels_updated: int = Field(default=0, ge=0)
    chunks_written: int = Field(ge=0)
    chunks_total: int = Field(ge=0)
    duration_seconds: float = Field(ge=0.0)
    embed_model: str
    correlation_id: str
    warnings: tuple[str, ...] = ()
    library: LibraryReport | None = None

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        return tuple(d for d in self.documents if d.status is DocumentStatus.FAILED)
