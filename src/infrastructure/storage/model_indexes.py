"""Additional collections of a project, and their indexed documents, in SQL."""

from collections.abc import Iterable, Mapping, Sequence

from citeloom.application.ports.catalogue import IndexedDocument, ProjectState, StoredDocument
from citeloom.domain.projects.project import ModelIndex
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.storage.database.database import Transaction, insert_all, insert_into
from citeloom.infrastructure.storage.rows import indexed_of, indexed_row, others_json, project_row

_ONE = "project_id = :project_id AND collection = :collection"


def put_other(
    transaction: Transaction, project_id: ProjectId, others: Sequence[ModelIndex], new: ModelIndex
) -> None:
    if new in others:
        return
    collections = [one.collection for one in others]
    updated = list(others)
    if new.collection in collections:
        updated[collections.index(new.collection)] = new
    else:
        updated.append(new)
    _write_others(transaction, project_id, updated)


def remove_other(
    transaction: Transaction, project_id: ProjectId, others: Sequence[ModelIndex], collection: str
) -> None:
    _write_others(transaction, project_id, [o for o in others if o.collection != collection])
    _forget_all(transaction, project_id, collection)


def indexed(
    transaction: Transaction, project_id: ProjectId, collection: str
) -> Mapping[str, IndexedDocument]:
    rows = transaction.rows(f"SELECT * FROM indexed WHERE {_ONE}", _key(project_id, collection))
    return {row["document_id"]: indexed_of(row) for row in rows}


def put_indexed(
    transaction: Transaction, project_id: ProjectId, collection: str, document: IndexedDocument
) -> None:
    forget_indexed(transaction, project_id, collection, document.document_id)
    row = indexed_row(project_id, collection, document)
    transaction.run(insert_into("indexed", row), row)


def forget_indexed(
    transaction: Transaction, project_id: ProjectId, collection: str, document_id: str
) -> None:
    transaction.run(
        f"DELETE FROM indexed WHERE {_ONE} AND document_id = :document_id",
        {**_key(project_id, collection), "document_id": document_id},
    )


def forget_documents(transaction: Transaction, keys: Sequence[Mapping[str, str]]) -> None:
    """In all collections; ``keys`` have the project's and the document's id."""
    transaction.run_many(
        "DELETE FROM indexed WHERE project_id = :project_id AND document_id = :document_id", keys
    )


def switch(
    transaction: Transaction,
    before: ProjectState,
    after: ProjectState,
    left: Iterable[IndexedDocument],
) -> None:
    project = after.project
    row = project_row(project)
    columns = ", ".join(f"{name} = :{name}" for name in row if name != "id")
    transaction.run(f"UPDATE projects SET {columns} WHERE id = :id", row)
    transaction.run_many(
        "UPDATE documents SET chunks = :chunks, chunking = :chunking, embedding = :embedding "
        "WHERE project_id = :project_id AND document_id = :document_id",
        [_document_row(document) for document in after.documents],
    )
    for collection in {project.collection, before.project.collection}:
        _forget_all(transaction, project.id, collection)
    rows = [indexed_row(project.id, before.project.collection, one) for one in left]
    insert_all(transaction, "indexed", rows)


def _write_others(
    transaction: Transaction, project_id: ProjectId, others: Sequence[ModelIndex]
) -> None:
    transaction.run(
        "UPDATE projects SET others = :others WHERE id = :id",
        {"others": others_json(others), "id": project_id.value},
    )


def _forget_all(transaction: Transaction, project_id: ProjectId, collection: str) -> None:
    transaction.run(f"DELETE FROM indexed WHERE {_ONE}", _key(project_id, collection))


def _key(project_id: ProjectId, collection: str) -> dict[str, str]:
    return {"project_id": project_id.value, "collection": collection}


def _document_row(document: StoredDocument) -> dict[str, object]:
    return {
        "project_id": document.project_id.value,
        "document_id": document.document_id,
        "chunks": document.chunks,
        "chunking": document.chunking,
        "embedding": document.embedding,
    }
