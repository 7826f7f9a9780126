"""What a reader of a format makes of one item, before keys are settled."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SourceItem:
    """A CSL item with what CSL has no variable for.

    ``files`` are paths as written, without escapes; ``line`` is where the item begins, from 1,
    0 if nobody knows.
    """

    csl: dict[str, Any]
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    line: int = 0
