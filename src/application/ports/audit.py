"""Port: the record of what ingests did."""

from datetime import datetime
from typing import Protocol

from pydantic import Field

from citeloom.domain.values import Value


class AuditRecord(Value):
    """One ingest, or one document of it (then ``doc_id`` or at least ``source_path`` is set).

    ``correlation_id`` is the same for all records of a run. ``chunks_written`` are those
    added and updated; skipped ones were stored already.
    """

    correlation_id: str = Field(min_length=1)
    timestamp: datetime
    project_id: str = Field(min_length=1)
    doc_id: str | None = None
    source_path: str | None = None
    documents_processed: int = Field(default=0, ge=0)
    chunks_written: int = Field(default=0, ge=0)
    chunks_added: int = Field(default=0, ge=0)
    chunks_updated: int = Field(default=0, ge=0)
    chunks_skipped: int = Field(default=0, ge=0)
    duration_seconds: float = Field(default=0.0, ge=0.0)
    dense_model: str | None = None
    sparse_model: str | None = None
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class AuditLog(Protocol):
    """Keeps records for a person to read later; nothing in the product reads them."""

    def append(self, record: AuditRecord) -> None:
        """Add a record behind all others. Raises StorageFailed."""
