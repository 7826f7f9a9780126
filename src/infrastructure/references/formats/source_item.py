"""What a reader gives: items before citation keys are assigned; or why a file is unreadable."""

from dataclasses import dataclass
from typing import Any, Final

EXPORT_AGAIN: Final = "export it again from Zotero (Better CSL JSON)"


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
    """``str`` is the reason; ``line`` and ``column`` count from 1, 0 where unknown. ``step`` is
    what to do."""

    def __init__(
        self, reason: str, line: int = 0, column: int = 0, step: str = EXPORT_AGAIN
    ) -> None:
        super().__init__(reason)
        self.reason, self.line, self.column, self.step = reason, line, column, step


class NoReferences(UnreadableFile):
    """A readable file that holds something else than references."""
