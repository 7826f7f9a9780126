"""Write transactions of jobs and requests, and the processes that work on them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.database.database import (
    ConflictError,
    Database,
    Transaction,
    put_into,
)
from citeloom.infrastructure.storage.research.rows import time_text


@contextmanager
def changing(database: Database) -> Iterator[Transaction]:
    """Raises StorageFailed for rows that do not fit together too."""
    try:
        with database.writing() as transaction:
            yield transaction
    except ConflictError as error:
        raise StorageFailed(
            f"the record of jobs and answers: a row does not fit ({error}); nothing was written"
        ) from error


def hear(transaction: Transaction, worker: str, at: datetime) -> None:
    """Note that a worker lives."""
    row = {"id": worker, "heard_at": time_text(at)}
    transaction.run(put_into("workers", row), row)
