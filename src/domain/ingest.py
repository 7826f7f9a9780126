"""Request and report of an ingest."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from .documents.readable_folders import ReadableFolders
from .library import AlternativeCitation, KeySource, LibraryReport
from .messages import Action, MessageText, NextStep, UserMessage, WarningCode
from .projects.project import ProjectId
from .text.phrasing import counted
from .value import Value


class DocumentStatus(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    FAILED = "failed"


class DocumentReport(Value):
    """Outcome of one source. For documents of a library ``key_source`` is the source of the
    citation key, ``alternatives`` are other items that the document may be cited as, and
    ``former_keys`` its earlier keys. ``duration_seconds`` is the time of its conversion and
    storage in this run, told for one of several files of the same content."""

    source: str
    document_id: str | None = None
    status: DocumentStatus
    citekey: str | None = None
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
    ``page_labels_updated`` those of them whose printed page labels changed too.
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

    @property
    def failed(self) -> tuple[DocumentReport, ...]:
        return tuple(d for d in self.documents if d.status is DocumentStatus.FAILED)


def missing_keys(result: IngestResult) -> UserMessage | None:
    """The way to citations, if nothing was looked up for new documents: no reference file is
    known. None for libraries, whose documents are those of items."""
    looked_up = any(
        isinstance(warning, UserMessage) and warning.code is WarningCode.NO_CITATION
        for document in result.documents
        for warning in document.warnings
    )
    new = [one for one in result.documents if one.status is DocumentStatus.ADDED]
    if result.library is not None or looked_up or not new or any(one.citekey for one in new):
        return None
    has = "has" if len(new) == 1 else "have"
    step = NextStep(Action.ADD_REFERENCES, project=result.project)
    return UserMessage(f"{counted(len(new), 'document')} {has} no citation key", step)


class IngestRequest(Value):
    """Sources to ingest into a project.

    ``sources`` may be empty to reread the references only. ``prune`` removes documents whose
    files are gone from the given folders; ``gone`` are absolute paths of deleted files or
    folders, which are pruned too; ``force`` redoes all. ``sentences`` turns sentence vectors of
    the project on or off (None: unchanged). ``passwords`` are by file name or pattern
    (``smith*.pdf``), ``password`` is tried on all others. With ``within`` files that lie
    elsewhere are left out, links followed.
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
    within: ReadableFolders | None = None
