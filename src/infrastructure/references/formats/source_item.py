"""A reader's item before citation keys are assigned; unreadable files."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SourceItem:
    """A CSL item with the data that CSL has no variable for.

    ``files`` are unescaped paths; ``line`` is where the item begins, from 1, 0 if unknown.
    """

    csl: dict[str, Any]
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    line: int = 0


class UnreadableFile(ValueError):
    """``str`` is the reason; ``line`` and ``column`` count from 1, 0 where unknown."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line, self.column = reason, line, column
