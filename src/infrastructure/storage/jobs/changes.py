"""Write transactions of jobs and answers."""

from collections.abc import Iterator
from contextlib import contextmanager

from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.storage.database.database import ConflictError, Database, Transaction


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
