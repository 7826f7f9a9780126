"""Labels of resources in the catalogue's database (port ``LabelStore``)."""

import json
from collections.abc import Sequence

from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.resources.metadata import ResourceLabel
from citeloom.infrastructure.storage.database.database import Row
from citeloom.infrastructure.storage.database.store import SqlStore
from citeloom.infrastructure.storage.rows import json_text

_ONE = "project_id = :project_id AND target = :target AND name = :name"


class SqlLabelStore(SqlStore):
    def put(self, project_id: ProjectId, document_id: str | None, label: ResourceLabel) -> None:
        row = {
            "project_id": project_id.value,
            "target": label.target,
            "name": label.name,
            "document_id": document_id,
            "value": json_text(label.value),
        }
        self._put("labels", ("project_id", "target", "name"), [row])

    def remove(self, project_id: ProjectId, target: str, name: str) -> bool:
        key = {"project_id": project_id.value, "target": target, "name": name}
        return bool(self._run(f"DELETE FROM labels WHERE {_ONE}", key))

    def labels(
        self, project_id: ProjectId, document_id: str | None = None
    ) -> Sequence[ResourceLabel]:
        statement = "SELECT * FROM labels WHERE project_id = :project_id"
        key = {"project_id": project_id.value}
        if document_id is not None:
            statement += " AND document_id = :document_id"
            key["document_id"] = document_id
        labels = [_label(row) for row in self._rows(statement, key)]
        return sorted(labels, key=lambda label: (label.target, label.name))


def _label(row: Row) -> ResourceLabel:
    return ResourceLabel(name=row["name"], target=row["target"], value=json.loads(row["value"]))
