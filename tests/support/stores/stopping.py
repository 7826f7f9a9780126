"""Stores in memory that stop the process at a chosen write, as ``kill -9`` does."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from support.in_memory.index import InMemoryCollection, InMemoryIndex

_WRITES = frozenset(
    {"add_project", "update_project", "delete_project", "put_document", "unfinish_documents",
     "remove_documents",
     "put_other", "remove_other", "put_indexed", "forget_indexed", "switch",
     "save", "save_map", "delete",
     "put", "record_digest", "follow", "put_entries", "remove_entries",
     "replace_document", "annotate", "delete_documents", "set_citation", "set_page_labels",
     "set_sparse", "flush"}
)  # fmt: skip


class Stopped(BaseException):
    """The process is gone."""


class Stopper:
    """Counts writes. Before number ``at`` it calls ``then``, and then stops; without ``stops``
    the process goes on."""

    def __init__(
        self, at: int, *, stops: bool = True, then: Callable[[], None] | None = None
    ) -> None:
        self.at = at
        self.writes = 0
        self._stops = stops
        self._then = then

    def write(self) -> None:
        self.writes += 1
        if self.writes == self.at:
            if self._then is not None:
                self._then()
            if self._stops:
                raise Stopped


class StoppingStore:
    """A store whose writes the stopper counts."""

    def __init__(self, inner: Any, stopper: Stopper) -> None:
        self._inner = inner
        self._stopper = stopper

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in _WRITES:
            return found

        def counted(*arguments: Any, **named: Any) -> Any:
            self._stopper.write()
            return found(*arguments, **named)

        return counted


class StoppingIndex(InMemoryIndex):
    """An index whose writes the ``stopper`` counts. With ``forgets`` a stop loses what was not
    flushed."""

    def __init__(self) -> None:
        super().__init__()
        self.stopper = Stopper(0)
        self.forgets = False
        self._flushed: dict[str, Any] = {}

    @contextmanager
    def open(self, collection: str, *, dimension: int, writing: bool = False) -> Iterator[Any]:
        with super().open(collection, dimension=dimension) as opened:
            counted = _Flushing(opened, self.stopper, self._flushed, collection)
            try:
                yield counted
            except Stopped:
                self.lose(collection, opened)
                raise

    def lose(self, collection: str, opened: InMemoryCollection) -> None:
        if self.forgets:
            opened._points = copy.deepcopy(self._flushed.get(collection, {}))

    def stop(self) -> None:
        """The process ended while no collection was open."""
        for name, opened in self._collections.items():
            self.lose(name, opened)


class _Flushing(StoppingStore):
    def __init__(
        self, inner: Any, stopper: Stopper, flushed: dict[str, Any], collection: str
    ) -> None:
        super().__init__(inner, stopper)
        self._flushed = flushed
        self._collection = collection

    def flush(self) -> None:
        self._stopper.write()
        self._flushed[self._collection] = copy.deepcopy(self._inner._points)
