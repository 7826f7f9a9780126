"""Readers' annotations in the catalogue's database (port ``AnnotationStore``)."""

from collections.abc import Mapping, Sequence

from pydantic import TypeAdapter

from citeloom.domain.library.snapshot import LibraryAnnotation
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.storage.database.store import SqlStore

_ONE = "project_id = :project_id AND document_id = :document_id"
_BODY = TypeAdapter(tuple[LibraryAnnotation, ...])


class SqlAnnotationStore(SqlStore):
    """One row per document."""

    def put(
        self, project_id: ProjectId, document_id: str, annotations: Sequence[LibraryAnnotation]
    ) -> None:
        row = {
            **_key(project_id, document_id),
            "digest": "",
            "annotations": len(annotations),
            "body": _BODY.dump_json(tuple(annotations), exclude_defaults=True).decode(),
        }
        self._put("annotations", ("project_id", "document_id"), [row])

    def record_digest(self, project_id: ProjectId, document_id: str, digest: str) -> None:
        row = {**_key(project_id, document_id), "digest": digest}
        self._run(f"UPDATE annotations SET digest = :digest WHERE {_ONE}", row)

    def annotations(self, project_id: ProjectId, document_id: str) -> Sequence[LibraryAnnotation]:
        statement = f"SELECT body FROM annotations WHERE {_ONE}"
        row = next(iter(self._rows(statement, _key(project_id, document_id))), None)
        return _BODY.validate_json(row["body"]) if row else ()

    def digests(self, project_id: ProjectId) -> Mapping[str, str]:
        rows = self._rows(
            "SELECT document_id, digest FROM annotations WHERE project_id = :project_id",
            {"project_id": project_id.value},
        )
        return {row["document_id"]: row["digest"] for row in rows}

    def counts(self, project_id: ProjectId) -> Mapping[str, int]:
        rows = self._rows(
            "SELECT document_id, annotations FROM annotations "
            "WHERE project_id = :project_id AND annotations > 0",
            {"project_id": project_id.value},
        )
        return {row["document_id"]: row["annotations"] for row in rows}


def _key(project_id: ProjectId, document_id: str) -> dict[str, str]:
    return {"project_id": project_id.value, "document_id": document_id}
