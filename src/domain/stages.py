"""Stages of an operation (``embed``, ``retrieve``, ``rank`` …), told to whoever measures them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar

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


@contextmanager
def measured(measure: Measure) -> Iterator[None]:
    """Stages in this block, and in threads that have its context, are told to ``measure`` as
    well."""
    before = _measures.set((*_measures.get(), measure))
    try:
        yield
    finally:
        _measures.reset(before)
