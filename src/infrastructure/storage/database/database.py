"""Database interface of the catalogue, and schema revisions.

SQLite is accessed through the standard library, other databases through SQLAlchemy, with the same
statements (named parameters, ``:name``). Importing SQLAlchemy takes longer than everything else in
a query; on SQLite only creating or upgrading a schema needs it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, Protocol

from citeloom.domain.errors import WorkspaceTooNew, WorkspaceTooOld

Row = Mapping[str, Any]

# From the oldest that can be upgraded.
REVISIONS = (
    "0008", "0009", "0010", "0011", "0012", "0014", "0015", "0016", "0017", "0018", "0019",
)  # fmt: skip
HEAD = REVISIONS[-1]

READ_REVISION = "SELECT version_num FROM alembic_version"

# NUL, which PostgreSQL cannot store in a text, and lone surrogates, which Python uses for
# undecodable bytes of a command line.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class ConflictError(Exception):
    """A duplicate key, or a foreign key without its row."""


class Transaction(Protocol):
    """Statements over one state of the database that take effect together or not at all."""

    def rows(self, statement: str, parameters: Row) -> list[Row]: ...

    def each(self, statement: str) -> Iterator[Row]:
        """The rows of a long result, a part in memory at a time."""

    def run(self, statement: str, parameters: Row) -> int:
        """Number of affected rows. Raises ConflictError."""

    def run_many(self, statement: str, parameters: Sequence[Row]) -> None:
        """Raises ConflictError."""

    def hold(self, name: str) -> None:
        """As the first statement of a write transaction: wait for any other holder of this name,
        then hold it to the end."""


class NothingWritten:
    """A transaction over a database in which nothing was ever written: there are no rows."""

    def rows(self, _statement: str, _parameters: Row) -> list[Row]:
        return []


Reading = Transaction | NothingWritten


class Database(Protocol):
    """Opens on first use and upgrades the schema. Raises StorageFailed with a message for every
    error of the database, WorkspaceTooNew and WorkspaceTooOld."""

    def reading(self) -> AbstractContextManager[Reading]:
        """A snapshot. Creates nothing."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """Committed durably at the end of the block; rolled back if it raises."""

    def verify(self, *, deep: bool) -> None:
        """Raise StorageFailed if the database finds itself damaged; ``deep`` checks indexes and
        references too."""

    def close(self) -> None: ...


def is_current(revision: str, place: str) -> bool:
    """Whether a database at ``revision`` needs no migration. Raises WorkspaceTooOld for a revision
    before the first of ``REVISIONS``, WorkspaceTooNew for other unknown ones."""
    if revision < REVISIONS[0]:
        raise WorkspaceTooOld(
            f"{place}: written by an older CiteLoom (schema {revision}), which cannot be upgraded; "
            "ingest the documents in a new workspace",
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


def insert_all(transaction: Transaction, table: str, rows: Sequence[Row]) -> None:
    if rows:
        transaction.run_many(insert_into(table, rows[0]), rows)


def put_into(table: str, row: Row, key: str = "id", *, keep: frozenset[str] = frozenset()) -> str:
    """Insert a row, or replace the one with the same ``key`` (comma-separated columns) except its
    columns ``keep``."""
    kept = {*key.split(", "), *keep}
    changed = ", ".join(f"{name} = excluded.{name}" for name in row if name not in kept)
    return f"{insert_into(table, row)} ON CONFLICT ({key}) DO UPDATE SET {changed}"


def time_text(time: datetime) -> str:
    """UTC, always with microseconds, so that texts sort chronologically."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")


def storable(value: Any) -> Any:
    """``value`` as every database can store it: in texts U+FFFD replaces NUL and lone surrogates,
    also on SQLite, so that a record is the same everywhere."""
    if isinstance(value, str) and _UNSTORABLE.search(value):
        return _UNSTORABLE.sub("\ufffd", value)
    return value


def bound(parameters: Row) -> dict[str, Any]:
    """Parameters of a statement as they can be stored."""
    return {name: storable(value) for name, value in parameters.items()}
