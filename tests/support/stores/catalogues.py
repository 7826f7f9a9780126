"""Projects and documents for the contracts of the catalogue and of what lies beside it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest

from citeloom.application.ports.catalogue import (
    SourceStamp,
    StoredDocument,
)
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.projects.project import EmbeddingModel, Project, ProjectId
from citeloom.infrastructure.storage.catalogue import SqlCatalogue

HERE = ProjectId.parse("thesis")
THERE = ProjectId.parse("other/thesis")
ID_A, ID_B, ID_C = "ab12cd" + "0" * 58, "ab12ce" + "1" * 58, "ff00aa" + "2" * 58
STORES = ("memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.server))


class Closable(Protocol):
    def close(self) -> None: ...


Store = TypeVar("Store", bound=Closable)


def reopening(
    request: pytest.FixtureRequest,
    folder: Path,
    memory: Callable[[], Any],
    stored: Callable[[str], Store],
) -> Iterator[Callable[[], Any]]:
    """For a fixture with ``STORES``: opens the same store beside a catalogue of the projects
    ``HERE`` and ``THERE``, as another process would where there can be one."""
    if request.param == "memory":
        store = memory()
        yield lambda: store
        return
    url = f"sqlite:///{folder / 'catalogue.sqlite'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    catalogue = SqlCatalogue(url)
    for project in (HERE, THERE):
        catalogue.add_project(a_project(project))
    catalogue.close()
    opened: list[Store] = []

    def open_it() -> Store:
        opened.append(stored(url))
        return opened[-1]

    yield open_it
    for one in opened:
        one.close()


def a_project(project_id: ProjectId = HERE, **changes: object) -> Project:
    values: dict[str, object] = {
        "id": project_id,
        "collection": project_id.collection,
        "embedding_model": EmbeddingModel(
            name="fastembed/mini", dimension=384, digest="0f" * 32, max_tokens=256
        ),
        "sparse_model": "bm25-v1",
        "created_at": datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC),
    }
    return Project.model_validate(values | changes)


def a_document(document_id: str = ID_A, **changes: object) -> StoredDocument:
    values: dict[str, object] = {
        "project_id": HERE,
        "document_id": document_id,
        "title": "On Ångström’s law – 法則",
        "mime_type": "application/pdf",
        "pages": 12,
        "chunks": 34,
        "language": "en",
        "identifiers": ("10.1000/182",),
        "sources": (stamp(f"/papers/{document_id[:6]}.pdf"),),
        "conversion": "docling 1",
        "chunking": "structure 1",
        "embedding": "mini@384",
        "stored_at": datetime(2026, 3, 1, 14, 0, tzinfo=timezone(timedelta(hours=2))),
    }
    return StoredDocument.model_validate(values | changes)


def stamp(path: str, size: int = 5_000_000_000) -> SourceStamp:
    return SourceStamp(path=path, size=size, mtime_ns=1_772_366_400_123_456_789)


def a_citation(citekey: str = "Ångström:2020", **changes: object) -> CitationMeta:
    values: dict[str, object] = {
        "citekey": citekey,
        "title": "On a law",
        "authors": ("Ångström, A.", "李, 明"),
        "year": 2020,
        "csl": {"id": citekey, "issued": {"date-parts": [[2020, 5]]}},
    }
    return CitationMeta.model_validate(values | changes)
