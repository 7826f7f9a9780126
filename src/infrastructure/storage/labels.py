"""Labels of resources in the catalogue's database (port ``LabelStore``)."""

import json
from collections.abc import Sequence

from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.labels import ResourceLabel
from citeloom.infrastructure.storage.catalogue import open_database
from citeloom.infrastructure.storage.database.database import ConflictError, Row, insert_into

_ONE = "project_id = :project_id AND target = :target AND name = :name"


class SqlLabelStore:
    """Labels at ``url``, as of ``SqlCatalogue``. Opened on first use."""

    def __init__(self, url: str) -> None:
        self._database = open_database(url)

    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        row = {
            "project_id": project_id.value,
            "target": label.target,
            "name": label.name,
            "document_id": document_id,
            "value": json.dumps(label.value, ensure_ascii=False),
        }
        try:
            with self._database.writing() as transaction:
                transaction.run(f"DELETE FROM labels WHERE {_ONE}", row)
                transaction.run(insert_into("labels", row), row)
        except ConflictError:
            raise ProjectNotFound(project_id.value) from None

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        key = {"project_id": project_id.value, "target": target, "name": name}
        with self._database.writing() as transaction:
            return bool(transaction.run(f"DELETE FROM labels WHERE {_ONE}", key))

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        document_clause = " AND document_id = :document_id" if document_id is not None else ""
        key = {"project_id": project_id.value, "document_id": document_id}
        if document_id is None:
            del key["document_id"]
        with self._database.reading() as transaction:
            if transaction is None:
                return []
            rows = transaction.rows(
                f"SELECT * FROM labels WHERE project_id = :project_id{document_clause}", key
            )
        labels = [_label(row) for row in rows]
        return sorted(labels, key=lambda one: (one.target, one.name))

    def close(self) -> None:
        self._database.close()


def _label(row: Row) -> ResourceLabel:
    return ResourceLabel(name=row["name"], target=row["target"], value=json.loads(row["value"]))
