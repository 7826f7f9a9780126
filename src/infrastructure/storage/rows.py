"""Rows of the catalogue: projects, documents, sources, aliases, citations."""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from citeloom.application.ports.catalogue import IndexedDocument, SourceStamp, StoredDocument
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.fidelity import DocumentFidelity
from citeloom.domain.errors import ProjectExists
from citeloom.domain.library import LibraryRecord
from citeloom.domain.messages import Action, NextStep, UserMessage, WarningCode
from citeloom.domain.naming import Name
from citeloom.domain.projects.project import (
    EmbeddingModel,
    ModelIndex,
    Project,
    ProjectId,
    RetrievalSettings,
)

from .database.database import Row

_OTHERS = TypeAdapter(tuple[ModelIndex, ...])
#: Columns of documents that hold a field of their name as it is.
_SAME = (
    "document_id", "title", "year",
    "mime_type", "pages", "chunks", "language", "conversion", "chunking",
    "embedding", "citation_how", "references_digest",
)  # fmt: skip


def project_row(project: Project) -> Row:
    model = project.embedding_model
    return {
        "id": project.id.value,
        "folded_id": folded(project.id),
        "collection": project.collection,
        "model_name": model.name,
        "model_dimension": model.dimension,
        "model_digest": model.digest,
        "model_max_tokens": model.max_tokens,
        "others": others_json(project.others),
        "sparse_model": project.sparse_model,
        "references_json": str(project.references_json) if project.references_json else None,
        "hybrid_enabled": project.hybrid_enabled,
        "retrieval": project.retrieval.model_dump_json(exclude_defaults=True),
        "created_at": project.created_at.isoformat(),
        "folders": json.dumps([str(folder) for folder in project.folders]),
        "more_references": json.dumps([str(path) for path in project.more_references]),
    }


def others_json(others: Sequence[ModelIndex]) -> str | None:
    return _OTHERS.dump_json(tuple(others)).decode() if others else None


def project_of(row: Row) -> Project:
    return _project(tuple(row.items()))


# A question asks for its project several times.
@lru_cache(maxsize=64)
def _project(columns: tuple[tuple[str, Any], ...]) -> Project:
    row = dict(columns)
    references = row["references_json"]
    return Project(
        id=ProjectId(value=row["id"]),
        collection=row["collection"],
        embedding_model=EmbeddingModel(
            name=row["model_name"],
            dimension=row["model_dimension"],
            digest=row["model_digest"],
            max_tokens=row["model_max_tokens"],
        ),
        others=_OTHERS.validate_json(row["others"]) if row["others"] else (),
        sparse_model=row["sparse_model"],
        references_json=Path(references) if references else None,
        hybrid_enabled=bool(row["hybrid_enabled"]),
        retrieval=RetrievalSettings.model_validate_json(row["retrieval"] or "{}"),
        created_at=datetime.fromisoformat(row["created_at"]),
        folders=tuple(map(Path, json.loads(row["folders"] or "[]"))),
        more_references=tuple(map(Path, json.loads(row["more_references"] or "[]"))),
    )


def folded(project_id: ProjectId) -> str:
    """Equal for ids that a file system or a person would confuse."""
    return project_id.value.casefold()


def project_exists(project_id: ProjectId, existing_id: str) -> ProjectExists:
    spelling = (
        "" if existing_id == project_id.value else f" as {existing_id} (only the case differs)"
    )
    return ProjectExists(
        f"{project_id}: the project exists already{spelling}; choose another name",
        NextStep(Action.DELETE_PROJECT, project=existing_id),
        project_id=existing_id,
    )


def document_row(document: StoredDocument) -> Row:
    return {
        "project_id": document.project_id.value,
        **{name: getattr(document, name) for name in _SAME},
        "authors": json_text(document.authors) if document.authors else None,
        "identifiers": json_text(document.identifiers),
        "warnings": json_text([*map(_stored, document.warnings)]),
        "stored_at": document.stored_at.isoformat(),
        "held": document.held.model_dump_json(exclude_defaults=True) if document.held else None,
        "fidelity": document.fidelity.model_dump_json() if document.fidelity else None,
        "item": document.item.model_dump_json() if document.item else None,
    }


# A question asks for its project several times.
@lru_cache(maxsize=64)
def _project_id(value: str) -> ProjectId:
    return ProjectId(value=value)


def document_of(row: Row, sources: Sequence[Row]) -> StoredDocument:
    """``row`` has the citation's JSON (or None) as ``citation``; ``sources`` are in order."""
    citation = row["citation"]
    return StoredDocument(
        **{name: row[name] for name in _SAME},
        project_id=_project_id(row["project_id"]),
        authors=tuple(json.loads(row["authors"] or "[]")),
        identifiers=tuple(json.loads(row["identifiers"])),
        sources=tuple(
            SourceStamp(path=one["path"], size=one["size"], mtime_ns=one["mtime_ns"])
            for one in sources
        ),
        citation=CitationMeta.model_validate_json(citation) if citation else None,
        warnings=tuple(map(_warning, json.loads(row["warnings"]))),
        stored_at=datetime.fromisoformat(row["stored_at"]),
        held=LibraryRecord.model_validate_json(row["held"]) if row["held"] else None,
        fidelity=DocumentFidelity.model_validate_json(row["fidelity"]) if row["fidelity"] else None,
        item=CitationMeta.model_validate_json(row["item"]) if row["item"] else None,
    )


def _stored(warning: str) -> str | Row:
    """The value's text; an object if it has a code."""
    code = warning.code if isinstance(warning, UserMessage) else None
    return {"code": code.value, "text": warning} if code else warning


def _warning(stored: str | Row) -> str:
    if isinstance(stored, str):
        return stored
    return UserMessage(stored["text"], code=WarningCode(stored["code"]))


def source_rows(document: StoredDocument) -> list[Row]:
    return [
        _key(document) | {"position": position, **dict(one)}
        for position, one in enumerate(document.sources)
    ]


def alias_rows(key: Row, names: frozenset[Name]) -> list[Row]:
    """``key`` has the project's and the document's id."""
    return [{**key, "kind": str(kind), "value": value} for kind, value in sorted(names)]


def citation_row(document: StoredDocument, citation: CitationMeta) -> Row:
    return _key(document) | {"body": citation.model_dump_json()}


def indexed_row(project_id: ProjectId, collection: str, document: IndexedDocument) -> Row:
    return {"project_id": project_id.value, "collection": collection, **dict(document)}


def indexed_of(row: Row) -> IndexedDocument:
    return IndexedDocument(**{name: row[name] for name in IndexedDocument.model_fields})


def _key(document: StoredDocument) -> dict[str, object]:
    return {"project_id": document.project_id.value, "document_id": document.document_id}


def json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
