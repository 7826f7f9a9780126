"""Port: notices of retraction, as somebody collected them."""

from collections.abc import Set as AbstractSet
from datetime import date
from pathlib import Path
from typing import Protocol

from citeloom.domain.retractions import Notice
from citeloom.domain.values import Value


class RetractionList(Value):
    """What a list says of the works that were asked for. ``records`` are all that it has,
    ``newest`` is the date of the last notice among them, ``dated`` that of the file.
    ``warnings`` name the line of what could not be read."""

    source: str
    dated: date
    records: int
    newest: date | None = None
    notices: tuple[Notice, ...] = ()
    warnings: tuple[str, ...] = ()


class RetractionReader(Protocol):
    def find(self, path: Path, dois: AbstractSet[str]) -> RetractionList:
        """Look for these DOIs (bare, lower case) without holding the list in memory. Raises
        InvalidSource, with the line, for a file that cannot be read or is no such list."""
