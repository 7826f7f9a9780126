"""Answers of search, ingest and resolve. Agents pay by the token: empty fields are left out, except
where the contract requires them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from citeloom.application.maps.resolve import Resolution
from citeloom.application.projects.inspection import Inspection
from citeloom.application.projects.projects import ProjectSummary
from citeloom.domain.errors import CiteLoomError
from citeloom.domain.ingest.report import DocumentStatus, IngestResult
from citeloom.domain.messages import prefixed
from citeloom.domain.search.request import MAX_TEXT, QueryResult
from citeloom.domain.text.sentences import cut_at_sentence
from citeloom.infrastructure.mcp.contract.errors import IngestionFailed
from citeloom.infrastructure.mcp.contract.next_steps import in_words

Content = dict[str, Any]

_CITED: Final = ("citekey", "section", "page_span", "section_path", "doi")
_MORE: Final = (
    "citation",
    "page_labels",
    "title",
    "year",
    "url",
    "document_id",
    "address",
    "knowledge_uri",
    "zotero_link",
)
_SHOWN: Final = 20  # warnings and failures of an ingest

# Facts about every collection that no verb tells; tests hold them against the index.
NAMED_VECTORS: Final = ("dense", "bm25")
INTEGER_INDEXES: Final = frozenset({"year", "page_start", "page_end"})


def passage(item: Mapping[str, Any]) -> Content:
    """An item of a query, or a sample (which has no score)."""
    shown: Content = {"render_text": cut_at_sentence(item["text"], MAX_TEXT)}
    if "score" in item:
        shown["score"] = item["score"]
    shown |= {name: item[name] for name in _CITED}
    shown["full_text"] = None
    if item["annotation"]:
        shown["annotation"] = _mark(item["annotation"], ("quote", "located", "chunk_id"))
    if item["marks"]:
        shown["marks"] = [_mark(mark) for mark in item["marks"]]
    if item["text_uncertain"]:
        shown["text_uncertain"] = True
    return shown | {name: item[name] for name in _MORE if item[name] not in (None, [], "")}


def _mark(mark: Mapping[str, Any], more: Sequence[str] = ()) -> Content:
    """A reader's comment; the marked words are in the passage."""
    names = ("kind", "comment", "color", "tags", "author", "uri", *more)
    return {name: mark[name] for name in names if mark[name]}


def found(result: QueryResult) -> Content:
    items = result.model_dump(mode="json")["items"]
    answer: Content = {"items": [passage(item) for item in items], "count": result.count}
    for shown, item in zip(answer["items"], items, strict=True):
        if item["project"] not in (None, result.project):  # several were asked
            shown["project"] = item["project"]
        if item["context"]:
            shown["context"] = [_neighbour(one) for one in item["context"]]
    if result.warnings:
        answer["warnings"] = [in_words(one) for one in result.warnings]
    return answer


def _neighbour(item: Mapping[str, Any]) -> Content:
    shown: Content = {"offset": item["offset"], "text": cut_at_sentence(item["text"], MAX_TEXT)}
    more = ("page_labels", "address", "text_uncertain")
    return shown | {name: item[name] for name in more if item[name]}


def refuse_failure(result: IngestResult) -> None:
    """Raises IngestionFailed if every document failed; a new project is not kept then."""
    if result.failed and len(result.failed) == len(result.documents):
        raise IngestionFailed(len(result.failed), _failures(result)[:_SHOWN])


def ingested(result: IngestResult, sparse_model: str) -> Content:
    """Counts, warnings, and failures. Raises IngestionFailed if every document failed."""
    refuse_failure(result)
    failures = _failures(result)
    warnings = [in_words(warning) for warning in result.warnings] + [
        in_words(prefixed(f"{PurePath(document.source).name}: ", warning))
        for document in result.documents
        if document.status is not DocumentStatus.UNCHANGED
        for warning in document.warnings
    ]
    answer: Content = {
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


def _failures(result: IngestResult) -> list[Content]:
    return [
        {"source": d.source, "code": d.error_code, "message": in_words(d.error or "")}
        for d in result.failed
    ]


def resolved(found: Resolution) -> Content:
    """CiteKit's fields, a mark on uncertain text, and the warnings if there are any."""
    evidence = found.evidence
    answer = evidence.model_dump(mode="json")
    answer["node"] = evidence.node.model_dump(mode="json", exclude_none=True)
    if found.text_uncertain:
        answer["text_uncertain"] = True
    if found.warnings:
        answer["warnings"] = list(found.warnings)
    return answer


def inspected(inspection: Inspection) -> Content:
    vectors = list(NAMED_VECTORS)
    fields = inspection.indexed_fields
    answer = {
        "project": inspection.project,
        "collection": inspection.collection,
        "size": inspection.chunks,
        "documents": inspection.documents,
        "embedding_model": {
            "dense_model": inspection.model,
            "sparse_model": inspection.sparse_model,
            "project_config_model": inspection.model_fingerprint,
            "hybrid_enabled": inspection.hybrid_enabled,
            "named_vectors": vectors,
        },
        "dense_model": inspection.model,
        "sparse_model": inspection.sparse_model,
        "named_vectors": vectors,
        "payload_keys": ["render_text", *_CITED, *_MORE],
        "indexes": {
            "keyword": [name for name in fields if name not in INTEGER_INDEXES],
            "integer": [name for name in fields if name in INTEGER_INDEXES],
            "fulltext": [],
        },
        "storage": {"on_disk_vectors": False, "on_disk_hnsw": False},
        "sample_payloads": [passage(sample) for sample in inspection.samples],
    }
    uncertain = [
        {"document": one.citekey or PurePath(one.document).name, "pages": one.fidelity.uncertain}
        for one in inspection.fidelity
        if one.fidelity and one.fidelity.uncertain
    ]
    return answer | ({"text_uncertain": uncertain[:_SHOWN]} if uncertain else {})


def listed(projects: Sequence[ProjectSummary]) -> Content:
    names = (
        "id",
        "collection",
        "dense_model",
        "sparse_model",
        "hybrid_enabled",
        "documents",
        "chunks",
    )
    answer: Content = {
        "projects": [{name: getattr(project, name) for name in names} for project in projects],
        "count": len(projects),
    }
    warnings = [in_words(project.warning) for project in projects if project.warning]
    return answer | ({"warnings": first(warnings)} if warnings else {})


def refused(error: CiteLoomError) -> Content:
    """Code, message and details."""
    message = in_words(error.message)
    return {"error": {"code": error.code, "message": message, "details": error.details}}


def first(texts: Sequence[str]) -> list[str]:
    """Warnings, as many as are shown, and how many there are besides."""
    more = len(texts) - _SHOWN
    return [*texts[:_SHOWN], f"and {more} more warnings"] if more > 0 else list(texts)
