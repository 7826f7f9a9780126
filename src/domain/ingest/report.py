"""Report of an ingest: documents, counts, warnings."""

from enum import StrEnum

from pydantic import Field

from citeloom.domain.library.snapshot import AlternativeCitation, KeySource, LibraryReport
from citeloom.domain.messages import MessageText
from citeloom.domain.value import Value


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
