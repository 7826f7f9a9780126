"""Progress of an operation: its stages, and cancellation at its next checkpoint."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import TypeVar

from .errors import Unavailable

_T = TypeVar("_T")


class Cancelled(Unavailable):
    """Work that was stopped at a checkpoint."""

    exit_code = 130

    def __init__(self, message: str = "it was cancelled; what was finished is kept") -> None:
        super().__init__(message)


def _wanted() -> None: ...


_check: ContextVar[Callable[[], None]] = ContextVar("cancellation", default=_wanted)


def checkpoint() -> None:
    """Raises what the innermost ``cancellable`` around this work raises, if anything. Call it in
    the thread of the work, when nothing is half done."""
    _check.get()()


@contextmanager
def within(variable: ContextVar[_T], value: _T) -> Iterator[None]:
    """``variable`` has the value in this block, and in threads that have its context."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def cancellable(check: Callable[[], None]) -> AbstractContextManager[None]:
    """Checkpoints in this block, and in this thread, call ``check``; it raises to stop the work."""
    return within(_check, check)


Measure = Callable[[str], AbstractContextManager[object]]
"""Opened with the name of a stage for as long as it lasts."""

_measures: ContextVar[tuple[Measure, ...]] = ContextVar("stages", default=())


@contextmanager
def stage(name: str) -> Iterator[None]:
    """The block is a stage of the operation. ``name`` is one of few: never anything that was asked
    or found."""
    measures = _measures.get()
    if not measures:
        yield
        return
    with ExitStack() as stack:
        for measure in measures:
            stack.enter_context(measure(name))
        yield


def measured(measure: Measure) -> AbstractContextManager[None]:
    """``measure`` also hears the stages in this block, and in threads with its context."""
    return within(_measures, (*_measures.get(), measure))
