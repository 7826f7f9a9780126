"""What the catalogue needs of a database, and which revision of the schema this is.

SQLite is spoken to through the standard library and other databases through SQLAlchemy,
with the same statements (named parameters, ``:name``). Importing SQLAlchemy takes longer
than all else that a query does; only a new or outdated schema needs it on SQLite.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from citeloom.domain.errors import WorkspaceTooNew, WorkspaceTooOld

Row = Mapping[str, Any]

# From the oldest that can be upgraded.
REVISIONS = ("0008",)
HEAD = REVISIONS[-1]

READ_REVISION = "SELECT version_num FROM alembic_version"

# NUL, which PostgreSQL cannot hold in a text, and lone surrogates, which are no UTF-8: Python has
# them for bytes of a command line that are none.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class ConflictError(Exception):
    """A key that is there already, or a row that refers to nothing."""


class Transaction(Protocol):
    """Statements that see one state of the database and count together or not at all."""

    def rows(self, statement: str, parameters: Row) -> list[Row]: ...

    def run(self, statement: str, parameters: Row) -> int:
        """The number of rows that the statement touched. Raises ConflictError."""

    def run_many(self, statement: str, parameters: Sequence[Row]) -> None:
        """Raises ConflictError."""

    def hold(self, name: str) -> None:
        """Before all else in a transaction that writes: wait for whoever else holds this name,
        then hold it to the end."""


class Database(Protocol):
    """Opens on first use and brings the schema up to date. Raises StorageFailed with a
    sentence for whatever the database complains about, WorkspaceTooNew and WorkspaceTooOld."""

    def reading(self) -> AbstractContextManager[Transaction | None]:
        """A snapshot; None where nothing was ever written. Creates nothing."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """Committed, durably, at the end of the block; undone if it raises."""

    def close(self) -> None: ...


def is_current(revision: str, place: str) -> bool:
    """Whether a database at ``revision`` needs no migration. Raises WorkspaceTooOld for a
    revision before the first of ``REVISIONS``, WorkspaceTooNew for other unknown ones."""
    if revision < REVISIONS[0]:
        raise WorkspaceTooOld(
            f"{place}: written by an older CiteLoom (schema {revision}), which cannot be upgraded; "
            "ingest the documents anew in a new workspace",
            schema=revision,
            oldest=REVISIONS[0],
        )
    if revision not in REVISIONS:
        raise WorkspaceTooNew(
            f"{place}: written by a newer CiteLoom (schema {revision}); upgrade CiteLoom",
            schema=revision,
            known=HEAD,
        )
    return revision == HEAD


def insert_into(table: str, row: Row) -> str:
    columns = ", ".join(row)
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join(f':{name}' for name in row)})"


def put_into(table: str, row: Row, key: str = "id", *, keep: frozenset[str] = frozenset()) -> str:
    """Insert a row, or replace the one with the same ``key``, whose columns ``keep`` stay."""
    changed = ", ".join(f"{name} = excluded.{name}" for name in row if name not in {key, *keep})
    return f"{insert_into(table, row)} ON CONFLICT ({key}) DO UPDATE SET {changed}"


def storable(value: Any) -> Any:
    """``value`` as every database can hold it: in texts U+FFFD stands for NUL and for lone
    surrogates, on SQLite as well, so that a record reads the same wherever it is kept."""
    if isinstance(value, str) and _UNSTORABLE.search(value):
        return _UNSTORABLE.sub("\ufffd", value)
    return value


def bound(parameters: Row) -> dict[str, Any]:
    """The parameters of a statement, each as it can be held."""
    return {name: storable(value) for name, value in parameters.items()}
