"""Port: pictures of pages."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from citeloom.domain.spans import BBox, Region
from citeloom.domain.values import Value


class Mark(Value):
    """A box to draw over a page, in points from the top left.

    ``kind`` chooses the colour: a block label, ``figure`` or ``furniture``. Marks with an
    ``order`` are joined by arrows in the order in which they are given.
    """

    kind: str
    caption: str
    bbox: BBox
    order: int | None = None


class PageRenderer(Protocol):
    """Draws pages (from 1) of a file as PNG.

    Both methods raise PasswordNeeded, ConversionFailed if the file cannot be opened or
    drawn, and InvalidRequest for a page that it does not have.
    """

    def page(self, source: Path, page: int, marks: Sequence[Mark], password: str | None) -> bytes:
        """The page as displayed, with ``marks`` over it."""

    def region(self, source: Path, region: Region, password: str | None) -> bytes:
        """What stands in the box."""
