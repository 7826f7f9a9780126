"""Fields of the log: which request, principal or job the lines of a block belong to."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_fields: ContextVar[Mapping[str, str]] = ContextVar("log fields", default=MappingProxyType({}))


def log_fields() -> Mapping[str, str]:
    """Those of the current block, by name."""
    return _fields.get()


@contextmanager
def logged_with(**fields: str) -> Iterator[None]:
    """Lines that are logged in this block, and in threads that have its context, have these
    ``fields`` too; empty ones are left out."""
    before = _fields.set({**_fields.get(), **{k: v for k, v in fields.items() if v}})
    try:
        yield
    finally:
        _fields.reset(before)
