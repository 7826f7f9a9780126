"""Cancellation: long work stops at its next checkpoint once whoever asked for it has given up."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from citeloom.domain.errors import Unavailable


class Cancelled(Unavailable):
    """Work that was stopped at a checkpoint."""

    code = "CANCELLED"

    def __init__(self, message: str = "it was cancelled; what was finished is kept") -> None:
        super().__init__(message)


def _wanted() -> None: ...


_check: ContextVar[Callable[[], None]] = ContextVar("cancellation", default=_wanted)


def checkpoint() -> None:
    """Raises what the innermost ``cancellable`` around this work raises, if anything. To be called
    in the thread of the work, where nothing is half done."""
    _check.get()()


@contextmanager
def cancellable(check: Callable[[], None]) -> Iterator[None]:
    """Checkpoints in this block, and in this thread, call ``check``; it raises to stop the work."""
    before = _check.set(check)
    try:
        yield
    finally:
        _check.reset(before)
