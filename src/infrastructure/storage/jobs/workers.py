"""Processes that work on jobs or requests, as the database has heard them."""

from datetime import datetime

from citeloom.infrastructure.storage.database.database import Transaction, put_into
from citeloom.infrastructure.storage.research.rows import time_text


def hear(transaction: Transaction, worker: str, at: datetime) -> None:
    """Note that a worker lives."""
    row = {"id": worker, "heard_at": time_text(at)}
    transaction.run(put_into("workers", row), row)
