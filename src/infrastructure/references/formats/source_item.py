"""The result of a reader: items before citation keys are assigned, or why a file is unreadable."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

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


class Remark(NamedTuple):
    """What is wrong at a ``place`` of a file. ``kind`` is the reason in words that hold for each
    place with the same fault, ``detail`` in words for this one if there are better ones."""

    place: str
    kind: str
    detail: str = ""


def warnings_of(remarks: Iterable[Remark]) -> list[str]:
    """A warning for each remark; one for all of a kind, with their number, where they are many."""
    by_kind: dict[str, list[Remark]] = {}
    for remark in remarks:
        by_kind.setdefault(remark.kind, []).append(remark)
    warnings: list[str] = []
    for kind, alike in by_kind.items():
        if len(alike) <= _MOST_NAMED:
            warnings += [f"{one.place}: {one.detail or kind}" for one in alike]
        else:
            named = "; ".join(one.place for one in alike[:_MOST_NAMED])
            warnings.append(f"{len(alike):,} places ({named}; …): {kind}")
    return warnings


_MOST_NAMED: Final = 3


class UnreadableFile(ValueError):
    """``str`` is the reason; ``line`` and ``column`` count from 1, 0 if unknown. ``step`` is the
    next step."""

    def __init__(
        self, reason: str, line: int = 0, column: int = 0, step: str = EXPORT_AGAIN
    ) -> None:
        super().__init__(reason)
        self.reason, self.line, self.column, self.step = reason, line, column, step


class NoReferences(UnreadableFile):
    """A readable file that holds something else than references."""
