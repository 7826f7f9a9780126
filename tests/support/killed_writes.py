"""A process that dies at one of its writes to the stores of documents."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import wraps
from typing import Any
from unittest.mock import patch

from support.in_memory.index import InMemoryCollection
from support.in_memory.stores import InMemoryBundleStore, InMemoryCatalogue, InMemoryOwnRecords

WRITES = (
    (InMemoryCatalogue, "put_document"),
    (InMemoryOwnRecords, "put"),
    (InMemoryOwnRecords, "undo"),
    (InMemoryCollection, "set_citation"),
    (InMemoryBundleStore, "save_map"),
    (InMemoryBundleStore, "save"),
    (InMemoryCatalogue, "remove_documents"),
)


class Killed(BaseException):
    """The process is gone."""


@contextmanager
def killed_after(steps: int) -> Iterator[None]:
    """The process dies before or after one of its writes; 0 lets it live."""
    left = steps

    def step() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise Killed

    def dying(write: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(write)
        def run(*args: Any, **more: Any) -> Any:
            step()
            result = write(*args, **more)
            step()
            return result

        return run

    with ExitStack() as stack, suppress(Killed):
        for owner, name in WRITES:
            stack.enter_context(patch.object(owner, name, dying(getattr(owner, name))))
        yield
