"""The content of a workspace: what must be equal after any interruption."""

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from citeloom.application.ports.index import Collection, EmbeddedPassage
from citeloom.domain.projects.project import Project
from citeloom.infrastructure.composition.application import Application, open_application

# Fields of a stored document that tell when and in which order it was stored, not what it says.
WHEN = {"stored_at", "sources"}


def content(workspace: Path) -> dict[str, Any]:
    """Documents, passages with digests of their vectors, own changes and tables, by project."""
    application = open_application(workspace)
    try:
        return dict(_projects(application))
    finally:
        application.close()


def _projects(application: Application) -> Iterator[tuple[str, Any]]:
    catalogue = application.stores.catalogue
    for project in catalogue.projects():
        documents = catalogue.documents(project.id)
        yield (
            str(project.id),
            {
                "model": project.embedding_model.name,
                "documents": {
                    one.document_id: one.model_dump(mode="json", exclude=WHEN)
                    | {"sources": sorted(source.path for source in one.sources)}
                    for one in documents
                },
                "bundles": {
                    one.document_id: application.stores.bundles.load(one.document_id) is not None
                    for one in documents
                },
                "passages": _passages(application, project),
                "statistics": project.retrieval.lengths.model_dump(),
                "own": {
                    id: own.model_dump(mode="json")
                    for id, own in application.stores.own_records.owned(project.id).items()
                },
                "table": sorted(
                    repr(cell.model_dump(mode="json", exclude=WHEN))
                    for cell in application.stores.tables.cells(project.id)
                ),
            },
        )


def _passages(application: Application, project: Project) -> dict[str, Any]:
    with application.stores.index.open(
        project.collection, dimension=project.embedding_model.dimension
    ) as collection:
        return dict(_described(collection))


def _described(collection: Collection) -> Iterator[tuple[str, Any]]:
    for embedded in collection.export():
        # Of several files with one content that came first is named.
        passage = embedded.passage.model_dump(mode="json", exclude={"source_path"})
        yield embedded.passage.chunk.id, {"passage": passage, "vectors": _digest(embedded)}


def _digest(embedded: EmbeddedPassage) -> str:
    """Of the dense and sparse vectors, bit for bit."""
    dense = [struct.pack(f"{len(vector)}f", *vector)
             for vector in (embedded.dense, *embedded.sentences)]  # fmt: skip
    sparse = sorted(zip(embedded.sparse.indices, embedded.sparse.values, strict=True))
    return hashlib.sha256(repr((dense, sparse)).encode()).hexdigest()
