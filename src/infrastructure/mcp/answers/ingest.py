"""Answers about ingests."""

from collections import Counter
from pathlib import PurePath
from typing import Any, Final

from citeloom.domain.ingest.missing_keys import missing_keys
from citeloom.domain.ingest.report import DocumentStatus, IngestResult
from citeloom.domain.messages import prefixed
from citeloom.infrastructure.mcp.answers.contents import JobReply, first
from citeloom.infrastructure.serving.errors import IngestionFailed
from citeloom.infrastructure.serving.next_steps import in_words

_SHOWN: Final = 20  # failures


class IngestReply(JobReply, total=False):
    """Progress or result of an ingest."""

    documents_done: int
    documents_total: Any
    documents_failed: int
    pages: int
    passages: int
    passages_per_second: float
    seconds_left: int
    documents_processed: int
    documents: dict[str, int]
    chunks_written: int
    chunks_total: int
    dense_model: str
    sparse_model: str
    duration_seconds: float
    failures: list[dict[str, Any]]


def refuse_failure(result: IngestResult) -> None:
    """Raises IngestionFailed if every document failed; a new project is not kept then."""
    if result.failed and len(result.failed) == len(result.documents):
        raise IngestionFailed(len(result.failed), _failures(result)[:_SHOWN])


def ingested(result: IngestResult, sparse_model: str) -> IngestReply:
    """Counts, warnings, and failures. Raises IngestionFailed if every document failed."""
    refuse_failure(result)
    failures = _failures(result)
    unnamed = missing_keys(result)
    warnings = [in_words(one) for one in [*result.warnings, *filter(None, [unnamed])]] + [
        in_words(prefixed(f"{PurePath(document.source).name}: ", warning))
        for document in result.documents
        if document.status is not DocumentStatus.UNCHANGED
        for warning in document.warnings
    ]
    answer: IngestReply = {
        "project": result.project,
        "documents_processed": result.documents_processed,
        "documents": dict(Counter(document.status.value for document in result.documents)),
        "chunks_written": result.chunks_written,
        "chunks_total": result.chunks_total,
        "dense_model": result.embed_model,
        "sparse_model": sparse_model,
        "duration_seconds": result.duration_seconds,
        "warnings": first(warnings),
        "correlation_id": result.correlation_id,
    }
    if failures:
        answer["failures"] = failures[:_SHOWN]
    return answer


def _failures(result: IngestResult) -> list[dict[str, Any]]:
    return [
        {"source": d.source, "code": d.error_code, "message": in_words(d.error or "")}
        for d in result.failed
    ]
