"""Who asks, and in which request: for the log, the audit trail and jobs."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, NamedTuple


class Asker(NamedTuple):
    """``principal`` is empty where the server knows none, ``request_id`` where no request was
    numbered."""

    principal: str = ""
    request_id: str = ""


_NOBODY: Final = Asker()
_asker: ContextVar[Asker] = ContextVar("asker", default=_NOBODY)


def asker() -> Asker:
    """That of the current block."""
    return _asker.get()


@contextmanager
def asked_by(someone: Asker) -> Iterator[None]:
    """What is done in this block, and in threads that have its context, is done for ``someone``."""
    before = _asker.set(someone)
    try:
        yield
    finally:
        _asker.reset(before)
