"""Request and report of an ingest."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from .citation.metadata import CitationSource
from .documents.readable_folders import ReadableFolders
from .library import AlternativeCitation, KeySource, LibraryReport
from .messages import Action, MessageText, NextStep, UserMessage
from .projects.project import ProjectId
from .text.phrasing import counted
from .value import Value


class DocumentStatus(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    FAILED = "failed"


class DocumentReport(Value):
    """Outcome of one source. ``citation_source`` is ``document`` for a provisional citation. For
    documents of a library ``key_source`` is the source of the citation key, ``alternatives`` are
    other items that the document may be cited as, and ``former_keys`` its earlier keys.
    ``duration_seconds`` is the time of its conversion and storage in this run, given for one of
    several files with the same content."""

    source: str
    document_id: str | None = None
    status: DocumentStatus
    citekey: str | None = None
    citation_source: CitationSource | None = None
    chunks: int = Field(default=0, ge=0)
    pages: int = Field(default=0, ge=0)
    warnings: tuple[MessageText, ...] = ()
    error: MessageText | None = Field(default=None, title="Error")
    error_code: str | None = None
    key_source: KeySource | None = None
    alternatives: tuple[AlternativeCitation, ...] = ()
    former_keys: tuple[str, ...] = ()
    duration_seconds: float = Field(default=0.0, ge=0.0)


class IngestResult(Value):
    """Outcome of an ingest; the numbers count this run, ``chunks_total`` the project.

    ``citations_updated`` counts documents whose citation changed without reindexing,
    ``page_labels_updated`` those of them whose printed page labels changed too. ``identified``
    counts documents that were looked up afterwards, by outcome.
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
    warnings: tuple[MessageText, ...] = ()
    library: LibraryReport | None = None
    identified: Mapping[str, int] | None = None

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        return tuple(d for d in self.documents if d.status is DocumentStatus.FAILED)


def provisional_citations(result: IngestResult) -> UserMessage | None:
    """How many papers of the run have a provisional citation, and the way to their items."""
    cited = [one for one in result.documents if one.citekey]
    made = [one for one in cited if one.citation_source is CitationSource.DOCUMENT]
    changed = any(one.status is not DocumentStatus.UNCHANGED for one in made)
    if not changed:
        return None
    has = "has" if len(made) == 1 else "have"
    return UserMessage(
        f"{len(made)} of {counted(len(cited), 'paper')} {has} a provisional citation, made from "
        "the paper itself",
        NextStep(Action.IDENTIFY, project=result.project),
    )


def one_or_several(given: Any) -> Any:
    """One file as a tuple."""
    return (given,) if isinstance(given, str) else given or ()


class IngestRequest(Value):
    """Sources to ingest into a project.

    ``sources`` may be empty to reread the references only. ``references`` are files that are new
    to the project come before those it has. ``prune`` removes documents whose
    files are gone from the given folders; ``gone`` are absolute paths of deleted files or
    folders, which are pruned too; ``force`` redoes all. ``sentences`` turns sentence vectors of
    the project on or off (None: unchanged). ``passwords`` are by file name or pattern
    (``smith*.pdf``), ``password`` is tried on all others. With ``within`` files that lie
    elsewhere are left out, links followed. ``identify``: whether a server looks up documents with
    a provisional citation afterwards (None: as ``metadata.lookup`` says).
    """

    project_id: ProjectId
    sources: tuple[str, ...]
    references: Annotated[tuple[str, ...], BeforeValidator(one_or_several)] = ()
    model: str | None = None
    sentences: bool | None = None
    force: bool = False
    prune: bool = False
    gone: tuple[str, ...] = ()
    password: str | None = None
    passwords: Mapping[str, str] = Field(default_factory=dict)
    within: ReadableFolders | None = None
    identify: bool | None = None
