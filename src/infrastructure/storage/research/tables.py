"""Tables of papers and questions in the catalogue's database."""

from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError

from citeloom.application.ports.research import KeptCell
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.review.report.table import PaperCell
from citeloom.infrastructure.storage.database.database import Row
from citeloom.infrastructure.storage.database.store import SqlStore

_OF: Final = "project_id = :project_id"


class SqlTableStore(SqlStore):
    def questions(self, project_id: ProjectId) -> Sequence[str]:
        statement = f"SELECT question FROM table_columns WHERE {_OF} ORDER BY number"
        return [row["question"] for row in self._rows(statement, {"project_id": project_id.value})]

    def add_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        with self._database.writing() as transaction:
            if not transaction.rows(
                "SELECT id FROM projects WHERE id = :project_id", {"project_id": project_id.value}
            ):
                raise ProjectNotFound(project_id.value)
            for question in questions:
                transaction.run(
                    "INSERT INTO table_columns (project_id, question, number) "
                    "SELECT :project_id, :question, COALESCE(MAX(number), 0) + 1 "
                    f"FROM table_columns WHERE {_OF} ON CONFLICT (project_id, question) DO NOTHING",
                    {"project_id": project_id.value, "question": question},
                )

    def drop_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        rows = [{"project_id": project_id.value, "question": one} for one in sorted(questions)]
        with self._database.writing() as transaction:
            for table in ("table_columns", "table_cells") if rows else ():
                transaction.run_many(
                    f"DELETE FROM {table} WHERE {_OF} AND question = :question", rows
                )

    def cells(self, project_id: ProjectId) -> Sequence[KeptCell]:
        rows = self._rows(
            f"SELECT * FROM table_cells WHERE {_OF}", {"project_id": project_id.value}
        )
        return [cell for row in rows if (cell := _kept_cell(row)) is not None]

    def put_cells(self, project_id: ProjectId, cells: Sequence[KeptCell]) -> None:
        rows = [
            {
                "project_id": project_id.value,
                "document_id": one.document_id,
                "question": one.question,
                "version": one.version,
                "body": one.cell.model_dump_json(exclude_defaults=True),
            }
            for one in cells
        ]
        if rows:
            self._put("table_cells", ("project_id", "document_id", "question"), rows)


def _kept_cell(row: Row) -> KeptCell | None:
    try:
        return KeptCell(
            document_id=row["document_id"],
            question=row["question"],
            version=row["version"],
            cell=PaperCell.model_validate_json(row["body"]),
        )
    except ValidationError:
        return None
