"""Catalogue in an SQL database: SQLite in the workspace, or a server."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from citeloom.application.documents.finder import names_of
from citeloom.application.ports.catalogue import (
    UNFINISHED,
    CatalogueAmounts,
    IndexedDocument,
    ProjectState,
    StoredDocument,
)
from citeloom.domain.errors import ProjectChanged, ProjectExists, ProjectNotFound
from citeloom.domain.naming import OF_SOURCES, Name, source_names
from citeloom.domain.projects.project import ModelIndex, Project, ProjectId

from .database.database import ConflictError, Reading, Row, Transaction, insert_all, insert_into
from .database.store import SqlStore
from .rows import (
    alias_rows,
    citation_row,
    document_of,
    document_row,
    folded,
    indexed_of,
    indexed_row,
    others_json,
    project_exists,
    project_of,
    project_row,
    source_rows,
)

_OF = "project_id = :project_id AND collection = :collection"


# Few projects have other collections: all of those are read.
_HOLDERS = "SELECT * FROM projects WHERE collection = :collection OR others IS NOT NULL"
_NAMED = (
    "SELECT document_id FROM aliases WHERE project_id = :project_id "
    "AND kind = :kind AND value = :value"
)
_BEGINNING = (
    "SELECT document_id FROM documents WHERE project_id = :project_id "
    "AND substr(document_id, 1, :length) = :prefix"
)
_VERSIONS = (
    "SELECT d.document_id, d.stored_at, d.embedding, d.references_digest, "
    "length(d.held) AS held, length(c.body) AS cited FROM documents d LEFT JOIN citations c "
    "ON c.project_id = d.project_id AND c.document_id = d.document_id "
    "WHERE d.project_id = :project_id ORDER BY d.document_id"
)
# The places are for the condition of one project.
_AMOUNTS = (
    "SELECT (SELECT COUNT(*) FROM projects {0}) AS projects, "
    "(SELECT COUNT(*) FROM documents {1}) AS documents, "
    "(SELECT COALESCE(SUM(chunks), 0) FROM documents {1}) AS passages, "
    "(SELECT COALESCE(SUM(size), 0) FROM (SELECT MAX(size) AS size FROM sources {1} "
    "GROUP BY project_id, document_id) AS files) AS file_bytes"
)
# A server locks the row, and so keeps other writers of the project waiting: without that, two that
# change the same documents in another order would wait for each other.
_TOUCH = "UPDATE projects SET created_at = created_at WHERE id = :id"
_ONE = "project_id = :project_id AND document_id = :document_id"
_UNFINISH = f"UPDATE documents SET chunks = 0, embedding = :embedding WHERE {_ONE}"


class SqlCatalogue(SqlStore):
    """Projects and documents."""

    def add_project(self, project: Project) -> None:
        row = project_row(project)
        try:
            with self._database.writing() as transaction:
                transaction.run(insert_into("projects", row), row)
        except ConflictError:
            raise self._exists(project.id) from None

    def update_project(self, project: Project) -> None:
        row = project_row(project)
        columns = ", ".join(f"{name} = :{name}" for name in row if name not in ("id", "others"))
        with self._database.writing() as transaction:
            _lock_project(transaction, project.id, project.collection)
            transaction.run(f"UPDATE projects SET {columns} WHERE id = :id", row)

    def project(self, project_id: ProjectId) -> Project:
        with self._database.reading() as transaction:
            return _project(transaction, project_id)

    def projects(self) -> Sequence[Project]:
        rows = self._rows("SELECT * FROM projects", {})
        return sorted((project_of(row) for row in rows), key=lambda one: one.id.value)

    def holder(self, collection: str) -> Project | None:
        rows = self._rows(_HOLDERS, {"collection": collection})
        holders = (project_of(row).held_in(collection) for row in rows)
        return next((project for project in holders if project is not None), None)

    def delete_project(self, project_id: ProjectId) -> None:
        with self._database.writing() as transaction:
            if not transaction.run("DELETE FROM projects WHERE id = :id", {"id": project_id.value}):
                raise _not_found(transaction, project_id)

    def put_document(self, document: StoredDocument, collection: str | None = None) -> None:
        row = document_row(document)
        with self._database.writing() as transaction:
            _lock_project(transaction, document.project_id, collection)
            transaction.run(f"DELETE FROM documents WHERE {_ONE}", row)
            for source in document.sources:
                _take_source(transaction, document.project_id, source.path)
            transaction.run(insert_into("documents", row), row)
            insert_all(transaction, "sources", source_rows(document))
            insert_all(transaction, "aliases", alias_rows(_key(row), names_of(document)))
            if document.citation is not None:
                citation = citation_row(document, document.citation)
                transaction.run(insert_into("citations", citation), citation)

    def documents(self, project_id: ProjectId) -> Sequence[StoredDocument]:
        with self._database.reading() as transaction:
            return _load(transaction, {"project_id": project_id.value})

    def document(self, project_id: ProjectId, document_id: str) -> StoredDocument | None:
        with self._database.reading() as transaction:
            key = {"project_id": project_id.value, "document_id": document_id}
            return next(iter(_load(transaction, key)), None)

    def version(self, project_id: ProjectId) -> str:
        rows = self._rows(_VERSIONS, {"project_id": project_id.value})
        told = sha256()
        for row in rows:
            told.update(json.dumps([row[name] for name in sorted(row)]).encode())
        return told.hexdigest()

    def languages(self, project_id: ProjectId) -> Sequence[str]:
        more = "AND language IS NOT NULL ORDER BY language"
        rows = self._of(project_id, "documents", "DISTINCT language", more)
        return [str(row["language"]) for row in rows]

    def passages(self, project_id: ProjectId) -> int:
        rows = self._of(project_id, "documents", "COALESCE(SUM(chunks), 0) AS passages")
        return int(rows[0]["passages"]) if rows else 0

    def amounts(self, project_id: ProjectId | None = None) -> CatalogueAmounts:
        of_one = ("WHERE id = :id", "WHERE project_id = :id") if project_id else ("", "")
        rows = self._rows(_AMOUNTS.format(*of_one), {"id": project_id.value} if project_id else {})
        return CatalogueAmounts(**{k: int(v) for k, v in rows[0].items()} if rows else {})

    def find_documents(
        self, project_id: ProjectId, names: Iterable[Name]
    ) -> Sequence[StoredDocument]:
        with self._database.reading() as transaction:
            key = {"project_id": project_id.value}
            rows = [
                row
                for kind, value in names
                for row in transaction.rows(_NAMED, {**key, "kind": str(kind), "value": value})
            ]
            return _each(transaction, key, rows)

    def documents_beginning(self, project_id: ProjectId, prefix: str) -> Sequence[StoredDocument]:
        with self._database.reading() as transaction:
            key = {"project_id": project_id.value}
            rows = transaction.rows(_BEGINNING, {**key, "length": len(prefix), "prefix": prefix})
            return _each(transaction, key, rows)

    def unfinish_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        keys = [{"project_id": project_id.value, "document_id": one} for one in document_ids]
        if keys:
            with self._database.writing() as transaction:
                transaction.run(_TOUCH, {"id": project_id.value})
                transaction.run_many(_UNFINISH, [{**key, "embedding": UNFINISHED} for key in keys])
                transaction.run_many(f"DELETE FROM indexed WHERE {_ONE}", keys)

    def remove_documents(self, project_id: ProjectId, document_ids: Iterable[str]) -> None:
        keys = [{"project_id": project_id.value, "document_id": one} for one in document_ids]
        if keys:
            with self._database.writing() as transaction:
                transaction.run(_TOUCH, {"id": project_id.value})
                for table in ("documents", "indexed", "labels", "annotations"):
                    transaction.run_many(f"DELETE FROM {table} WHERE {_ONE}", keys)

    def put_other(self, project_id: ProjectId, index: ModelIndex) -> None:
        with self._database.writing() as transaction:
            _lock_project(transaction, project_id)
            others = list(_project(transaction, project_id).others)
            collections = [one.collection for one in others]
            if index.collection in collections:
                others[collections.index(index.collection)] = index
            else:
                others.append(index)
            _write_others(transaction, project_id, others)

    def remove_other(self, project_id: ProjectId, collection: str) -> None:
        with self._database.writing() as transaction:
            _lock_project(transaction, project_id)
            others = _project(transaction, project_id).others
            kept = [one for one in others if one.collection != collection]
            _write_others(transaction, project_id, kept)
            transaction.run(f"DELETE FROM indexed WHERE {_OF}", _of_model(project_id, collection))

    def indexed(self, project_id: ProjectId, collection: str) -> Mapping[str, IndexedDocument]:
        rows = self._of(project_id, "indexed", collection=collection)
        return {row["document_id"]: indexed_of(row) for row in rows}

    def put_indexed(
        self, project_id: ProjectId, collection: str, document: IndexedDocument
    ) -> None:
        with self._database.writing() as transaction:
            _lock_project(transaction, project_id)
            row = indexed_row(project_id, collection, document)
            transaction.run(f"DELETE FROM indexed WHERE {_OF} AND document_id = :document_id", row)
            transaction.run(insert_into("indexed", row), row)

    def forget_indexed(self, project_id: ProjectId, collection: str, document_id: str) -> None:
        key = {**_of_model(project_id, collection), "document_id": document_id}
        self._run(f"DELETE FROM indexed WHERE {_OF} AND document_id = :document_id", key)

    def state(self, project_id: ProjectId) -> ProjectState:
        with self._database.reading() as transaction:
            return _state(transaction, project_id)

    def switch(
        self, before: ProjectState, after: ProjectState, left: Iterable[IndexedDocument]
    ) -> bool:
        with self._database.writing() as transaction:
            _lock_project(transaction, before.project.id)
            if _state(transaction, before.project.id) != before:
                return False
            project, former = after.project, before.project.collection
            row = project_row(project)
            columns = ", ".join(f"{name} = :{name}" for name in row if name != "id")
            transaction.run(f"UPDATE projects SET {columns} WHERE id = :id", row)
            transaction.run_many(
                "UPDATE documents SET chunks = :chunks, chunking = :chunking, "
                f"embedding = :embedding WHERE {_ONE}",
                [_stages(document) for document in after.documents],
            )
            for one in {project.collection, former}:
                transaction.run(f"DELETE FROM indexed WHERE {_OF}", _of_model(project.id, one))
            rows = [indexed_row(project.id, former, document) for document in left]
            insert_all(transaction, "indexed", rows)
            return True

    def used_elsewhere(self, project_id: ProjectId, document_id: str) -> bool:
        rows = self._rows(
            "SELECT document_id FROM documents WHERE document_id = :document_id "
            "AND project_id <> :project_id LIMIT 1",
            {"project_id": project_id.value, "document_id": document_id},
        )
        return bool(rows)

    def verify(self, *, deep: bool = False) -> None:
        self._database.verify(deep=deep)

    def _exists(self, project_id: ProjectId) -> ProjectExists:
        existing_ids = [one.id for one in self.projects() if folded(one.id) == folded(project_id)]
        existing_id = existing_ids[0].value if existing_ids else project_id.value
        return project_exists(project_id, existing_id)


def _lock_project(
    transaction: Transaction, project_id: ProjectId, collection: str | None = None
) -> None:
    """Find the project and, on a server, lock it against other writers. Raises ProjectNotFound, and
    ProjectChanged if another collection is in use."""
    key = {"id": project_id.value}
    if not transaction.run(_TOUCH, key):
        raise _not_found(transaction, project_id)
    if collection is not None:
        rows = transaction.rows("SELECT collection FROM projects WHERE id = :id", key)
        if rows[0]["collection"] != collection:
            raise ProjectChanged(project_id.value)


def _project(transaction: Reading, project_id: ProjectId) -> Project:
    rows = transaction.rows("SELECT * FROM projects WHERE id = :id", {"id": project_id.value})
    if not rows:
        raise _not_found(transaction, project_id)
    return project_of(rows[0])


def _state(transaction: Reading, project_id: ProjectId) -> ProjectState:
    documents = _load(transaction, {"project_id": project_id.value})
    return ProjectState(project=_project(transaction, project_id), documents=tuple(documents))


def _not_found(transaction: Reading, project_id: ProjectId) -> ProjectNotFound:
    project_ids = [str(row["id"]) for row in transaction.rows("SELECT id FROM projects", {})]
    return ProjectNotFound(project_id.value, sorted(project_ids))


def _load(transaction: Reading, key: Row) -> list[StoredDocument]:
    """The documents of the project in ``key``, or the one it names."""
    document_clause = " AND {}.document_id = :document_id" if "document_id" in key else ""
    rows = transaction.rows(
        "SELECT d.*, c.body AS citation FROM documents d LEFT JOIN citations c "
        "ON c.project_id = d.project_id AND c.document_id = d.document_id "
        "WHERE d.project_id = :project_id" + document_clause.format("d"),
        key,
    )
    sources: dict[str, list[Row]] = defaultdict(list)
    for source in transaction.rows(
        "SELECT * FROM sources s WHERE s.project_id = :project_id"
        + document_clause.format("s")
        + " ORDER BY s.document_id, s.position",
        key,
    ):
        sources[source["document_id"]].append(source)
    rows.sort(key=lambda row: str(row["document_id"]))
    return [document_of(row, sources[row["document_id"]]) for row in rows]


def _each(transaction: Reading, key: Row, rows: Iterable[Row]) -> list[StoredDocument]:
    """The documents whose ids are in ``rows``, each once, by id."""
    ids = sorted({str(row["document_id"]) for row in rows})
    return [one for id in ids for one in _load(transaction, {**key, "document_id": id})]


def _take_source(transaction: Transaction, project_id: ProjectId, path: str) -> None:
    """Remove ``path`` from its document, with the names derived from it."""
    key = {"project_id": project_id.value, "path": path}
    where = "project_id = :project_id AND path = :path"
    owners = transaction.rows(f"SELECT document_id FROM sources WHERE {where}", key)
    transaction.run(f"DELETE FROM sources WHERE {where}", key)
    for owner in owners:
        other = {"project_id": project_id.value, "document_id": owner["document_id"]}
        for kind in OF_SOURCES:
            transaction.run(
                f"DELETE FROM aliases WHERE {_ONE} AND kind = :kind",
                {**other, "kind": str(kind)},
            )
        remaining = transaction.rows(f"SELECT path FROM sources WHERE {_ONE}", other)
        names = source_names(str(row["path"]) for row in remaining)
        insert_all(transaction, "aliases", alias_rows(other, names))


def _key(row: Row) -> Row:
    return {"project_id": row["project_id"], "document_id": row["document_id"]}


def _write_others(
    transaction: Transaction, project_id: ProjectId, others: Sequence[ModelIndex]
) -> None:
    row = {"others": others_json(others), "id": project_id.value}
    transaction.run("UPDATE projects SET others = :others WHERE id = :id", row)


def _of_model(project_id: ProjectId, collection: str) -> dict[str, str]:
    return {"project_id": project_id.value, "collection": collection}


def _stages(document: StoredDocument) -> dict[str, object]:
    fields = ("document_id", "chunks", "chunking", "embedding")
    return {"project_id": document.project_id.value} | {
        name: getattr(document, name) for name in fields
    }
