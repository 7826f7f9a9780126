"""Whether a workspace has principals; the package citeloom-server knows who they are."""

from citeloom.infrastructure.storage.database.store import SqlStore


class _Principals(SqlStore):
    def is_empty(self) -> bool:
        return not self._rows("SELECT 1 FROM principals LIMIT 1", {})


def has_principals(url: str) -> bool:
    """``url`` is that of the catalogue. Raises StorageFailed."""
    store = _Principals(url)
    try:
        return not store.is_empty()
    finally:
        store.close()
