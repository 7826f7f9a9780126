"""Tables of the catalogue and of the record of research, read, written and compared as a whole."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from sqlalchemy import Boolean, Table

from citeloom.domain.value import Value
from citeloom.infrastructure.storage.database.database import (
    Row,
    Transaction,
    insert_into,
    storable,
)
from citeloom.infrastructure.storage.jobs.schema import metadata

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
