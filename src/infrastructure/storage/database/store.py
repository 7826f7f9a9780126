"""A store of rows in the catalogue's database."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.plugins import of_scheme

from .database import ConflictError, Database, Row, put_into
from .sqlite import SqliteDatabase

_SQLITE: Final = "sqlite:///"


class SqlStore:
    """Rows at ``url``: ``sqlite:///PATH`` or a server's, as SQLAlchemy writes them, by a plugin.
    Opened on first use."""

    def __init__(self, url: str) -> None:
        self._database: Database = _open_database(url)

    def close(self) -> None:
        """Close connections; the next call opens them again."""
        self._database.close()

    def _rows(self, statement: str, parameters: Row) -> list[Row]:
        """None if nothing was ever written."""
        with self._database.reading() as transaction:
            return transaction.rows(statement, parameters)

    def _of(
        self,
        project_id: ProjectId,
        table: str,
        columns: str = "*",
        more: str = "",
        **key: object,
    ) -> list[Row]:
        """The rows of a project in a table that have these values; ``more`` is another condition
        (``AND …``), an order or a limit."""
        where = " AND ".join(f"{name} = :{name}" for name in ("project_id", *key))
        statement = f"SELECT {columns} FROM {table} WHERE {where} {more}"
        return self._rows(statement, {"project_id": project_id.value, **key})

    def _run(self, statement: str, parameters: Row) -> int:
        with self._database.writing() as transaction:
            return transaction.run(statement, parameters)

    def _put(self, table: str, key: Sequence[str], rows: Sequence[Row]) -> None:
        """Write these rows of a project in place of those with the same ``key``, in the order of
        the keys: two who write the same rows do not wait for each other. Raises
        ProjectNotFound."""
        ordered = sorted(rows, key=lambda row: [str(row[name]) for name in key])
        try:
            with self._database.writing() as transaction:
                transaction.run_many(put_into(table, ordered[0], ", ".join(key)), ordered)
        except ConflictError:
            raise ProjectNotFound(str(rows[0]["project_id"])) from None


def _open_database(url: str) -> Database:
    if url.startswith(_SQLITE):
        return SqliteDatabase(Path(url.removeprefix(_SQLITE)))
    return of_scheme(lambda plugin: plugin.databases(), url, "catalogue.url").database(url)
