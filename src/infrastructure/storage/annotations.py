"""Readers' annotations in the catalogue's database (port ``AnnotationStore``)."""

from collections.abc import Mapping, Sequence

from pydantic import TypeAdapter

from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.library.snapshot import LibraryAnnotation
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.storage.catalogue import open_database
from citeloom.infrastructure.storage.database.database import ConflictError, Row, insert_into

_ONE = "project_id = :project_id AND document_id = :document_id"
_BODY = TypeAdapter(tuple[LibraryAnnotation, ...])


class SqlAnnotationStore:
    """Annotations at ``url``, as of ``SqlCatalogue``: one row per document. Opened on first use."""

    def __init__(self, url: str) -> None:
        self._database = open_database(url)

    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        row = {
            **_key(project_id, document_id),
            "digest": "",
            "annotations": len(annotations),
            "body": _BODY.dump_json(tuple(annotations), exclude_defaults=True).decode(),
        }
        try:
            with self._database.writing() as transaction:
                transaction.run(f"DELETE FROM annotations WHERE {_ONE}", row)
                transaction.run(insert_into("annotations", row), row)
        except ConflictError:
            raise ProjectNotFound(project_id.value) from None

    def record_digest(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        row = {**_key(project_id, document_id), "digest": digest}
        with self._database.writing() as transaction:
            transaction.run(f"UPDATE annotations SET digest = :digest WHERE {_ONE}", row)

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        row = self._row("body", project_id, document_id)
        return _BODY.validate_json(row["body"]) if row else ()

    def digest(self, project_id: ProjectId, document_id: str) -> str | None:
        row = self._row("digest", project_id, document_id)
        return str(row["digest"]) if row else None

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        with self._database.reading() as transaction:
            if transaction is None:
                return {}
            rows = transaction.rows(
                "SELECT document_id, annotations FROM annotations "
                "WHERE project_id = :project_id AND annotations > 0",
                {"project_id": project_id.value},
            )
        return {row["document_id"]: row["annotations"] for row in rows}

    def close(self) -> None:
        self._database.close()

    def _row(self, column: str, project_id: ProjectId, document_id: str) -> Row | None:
        with self._database.reading() as transaction:
            if transaction is None:
                return None
            statement = f"SELECT {column} FROM annotations WHERE {_ONE}"
            return next(iter(transaction.rows(statement, _key(project_id, document_id))), None)


def _key(project_id: ProjectId, document_id: str) -> dict[str, str]:
    return {"project_id": project_id.value, "document_id": document_id}
