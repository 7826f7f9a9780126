"""The catalogue moved from SQLite to PostgreSQL, and back.

All rows are copied in one transaction of the target, and compared there, so nobody sees a part of
them. The source is locked against writers and stays unchanged. After an interruption the target is
as before, and the same command starts over.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from sqlalchemy import Boolean, Table

from citeloom.application.ports.system import ProcessLocks
from citeloom.domain.errors import InvalidRequest, ProjectExists, StorageFailed
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.value import Value
from citeloom.infrastructure.storage.database.database import (
    Database,
    NothingWritten,
    Row,
    Transaction,
    insert_into,
    storable,
)
from citeloom.infrastructure.storage.database.sqlite import Reason, SqliteDatabase, take_snapshot
from citeloom.infrastructure.storage.schema import metadata
from citeloom.infrastructure.system.files import storage_failed, sync_folder
from citeloom.infrastructure.system.workspace import make_folder

from .postgresql import ServerDatabase, shown_url

#: In the order in which they can be written: a row after those that it refers to.
TABLES: Final[Sequence[Table]] = metadata.sorted_tables
_BATCH: Final = 1000
_MODULUS: Final = 1 << 256


class TableSum(Value):
    """The rows of a table; ``digest`` is the same for the same rows in any order."""

    table: str
    rows: int
    digest: str


class RowSum:
    """Adds up the digests of rows: databases return them in different orders."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._columns = [column.name for column in table.columns]
        self._rows = self._total = 0

    def add(self, row: Row) -> None:
        values = json.dumps([row[name] for name in self._columns], ensure_ascii=True)
        number = int.from_bytes(hashlib.sha256(values.encode()).digest(), "big")
        self._total = (self._total + number) % _MODULUS
        self._rows += 1

    def result(self) -> TableSum:
        return TableSum(table=self._table.name, rows=self._rows, digest=f"{self._total:064x}")


def sums(transaction: Transaction) -> tuple[TableSum, ...]:
    found = []
    for table in TABLES:
        total = RowSum(table)
        for row in rows_of(transaction, table):
            total.add(row)
        found.append(total.result())
    return tuple(found)


def rows_of(transaction: Transaction, table: Table) -> Iterator[Row]:
    """All rows by their keys, with the same values from every database."""
    truths = {column.name for column in table.columns if isinstance(column.type, Boolean)}
    key = ", ".join(column.name for column in table.primary_key)
    for row in transaction.each(f"SELECT * FROM {table.name} ORDER BY {key}"):
        yield {
            name: bool(value) if name in truths and value is not None else storable(value)
            for name, value in row.items()
        }


def empty(transaction: Transaction) -> None:
    for table in reversed(TABLES):
        transaction.run(f"DELETE FROM {table.name}", {})


def copy(source: Transaction, target: Transaction) -> tuple[TableSum, ...]:
    """Write all rows of ``source`` into the empty tables of ``target``; the sums of what was
    read."""
    read = []
    for table in TABLES:
        total = RowSum(table)
        rows = rows_of(source, table)
        while batch := list(islice(rows, _BATCH)):
            for row in batch:
                total.add(row)
            target.run_many(insert_into(table.name, batch[0]), batch)
        read.append(total.result())
    return tuple(read)


#: The target that is the workspace's own file.
SQLITE: Final = "sqlite"
_LOCK: Final = "the catalogue's move"
_BEING_MADE: Final = "moving"


class CatalogueMoved(Value):
    """``source`` and ``target`` are without passwords. ``copied`` is False where the target had the
    same rows already; ``kept`` is a copy of the file that was replaced."""

    source: str
    target: str
    copied: bool
    rows: int
    tables: tuple[TableSum, ...]
    kept: Path | None = None


class CatalogueMover:
    """Moves the catalogue at ``url`` (as in SQLAlchemy). ``file`` is the workspace's own
    database."""

    def __init__(self, url: str, file: Path, locks: ProcessLocks, *, wait_seconds: float) -> None:
        self._url = url
        self._file = file
        self._locks = locks
        self._wait = wait_seconds

    def __call__(self, to: str, *, replace: bool = False) -> CatalogueMoved:
        """``to`` is the URL of a PostgreSQL database, or ``SQLITE``. ``replace`` removes the rows
        that the target has.

        Raises InvalidRequest, ProjectExists (other rows at the target), ConfigurationError,
        StorageFailed, LockHeld; the target is unchanged then.
        """
        own = f"sqlite:///{self._file}"
        target_url = own if to == SQLITE else to
        if to != SQLITE and not to.startswith("postgresql"):
            raise InvalidRequest(
                f"{to.partition('://')[0]}: a catalogue is moved to `{SQLITE}`, which is the "
                "workspace's own file, or to postgresql://USER:PASSWORD@HOST/DATABASE",
                parameter="to",
            )
        if target_url == self._url:
            raise InvalidRequest(f"{shown_url(self._url)}: is in use already", parameter="to")
        with self._locks.hold(_LOCK, self._wait):
            source = _database(self._url, self._file)
            try:
                self._require_rows(source)
                if target_url == own:
                    return self._to_file(source, replace=replace)
                target = ServerDatabase(target_url)
                try:
                    with _writing(source) as read, _writing(target) as written:
                        return self._copy(read, written, target_url, replace=replace)
                finally:
                    target.close()
            finally:
                source.close()

    def _to_file(self, source: Database, *, replace: bool) -> CatalogueMoved:
        """Into the file that there is, within one transaction; else into a new one, renamed when
        it is whole."""
        if self._file.exists():
            kept = take_snapshot(self._file, Reason.REPAIR) if replace else None
            target = SqliteDatabase(self._file)
            try:
                with _writing(source) as read, target.writing() as written:
                    moved = self._copy(read, written, SQLITE, replace=replace)
            finally:
                target.close()
            return moved.model_copy(update={"kept": kept if moved.copied else None})
        folder = self._file.with_name(_BEING_MADE)
        shutil.rmtree(folder, ignore_errors=True)
        made = make_folder(folder) / self._file.name
        target = SqliteDatabase(made)
        try:
            with _writing(source) as read:
                with target.writing() as written:
                    moved = self._copy(read, written, SQLITE, replace=replace)
                target.close()  # which writes its log into the file
                self._put_in_place(made)
        finally:
            target.close()
            shutil.rmtree(folder, ignore_errors=True)
        return moved

    def _put_in_place(self, made: Path) -> None:
        try:
            with made.open("rb+") as file:
                os.fsync(file.fileno())
            made.replace(self._file)
            sync_folder(self._file.parent)
        except OSError as error:
            raise storage_failed(self._file, error) from error

    def _copy(
        self, source: Transaction, target: Transaction, url: str, *, replace: bool
    ) -> CatalogueMoved:
        place = str(self._file) if url == SQLITE else shown_url(url)
        before = sums(target)
        if any(one.rows for one in before):
            wanted = sums(source)
            if before == wanted:
                return self._result(place, wanted, copied=False)
            if not replace:
                raise ProjectExists(
                    f"{place}: holds {_total(before)} rows of another catalogue, or of this one as "
                    "it was before",
                    NextStep(Action.REPLACE),
                    target=place,
                )
            empty(target)
        read = copy(source, target)
        arrived = sums(target)
        if arrived != read:
            wrong = [one.table for one, other in zip(read, arrived, strict=True) if one != other]
            raise StorageFailed(
                f"{place}: not as it was read ({', '.join(wrong)}); nothing was moved, try again",
                target=place,
            )
        return self._result(place, read, copied=True)

    def _result(self, place: str, sums: Sequence[TableSum], *, copied: bool) -> CatalogueMoved:
        return CatalogueMoved(
            source=str(self._file) if self._url.endswith(str(self._file)) else shown_url(self._url),
            target=place,
            copied=copied,
            rows=_total(sums),
            tables=tuple(sums),
        )

    def _require_rows(self, source: Database) -> None:
        """Raise InvalidRequest if nothing was ever written, before the source is made."""
        with source.reading() as transaction:
            if isinstance(transaction, NothingWritten):
                raise InvalidRequest(
                    f"{shown_url(self._url)}: there is no catalogue yet; set catalogue.url and "
                    "ingest",
                    parameter="to",
                )


@contextmanager
def _writing(database: Database) -> Iterator[Transaction]:
    """A transaction that alone can write: on SQLite any, on a server one that locks all tables,
    which others can still read."""
    with database.writing() as transaction:
        if isinstance(database, ServerDatabase):
            names = ", ".join(table.name for table in TABLES)
            # Comparing and copying take longer than other transactions may be idle.
            transaction.run("SET LOCAL idle_in_transaction_session_timeout = 0", {})
            transaction.run(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE", {})
        yield transaction


def _database(url: str, file: Path) -> Database:
    return SqliteDatabase(file) if url == f"sqlite:///{file}" else ServerDatabase(url)


def _total(sums: Sequence[TableSum]) -> int:
    return sum(one.rows for one in sums)
