"""The grid of a table: cells, their rows and columns, and the rules around them.

Rules around the cells decide (PDF has no other mark of cells). Without rules, columns are where
parts of several lines are aligned, and rows follow from white space and the first column. An
uncertain table has no grid and keeps its lines.
"""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LinePiece, TextLine
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap


class GridPart(NamedTuple):
    """A piece of a line within a table. ``line`` is the index of its line, ``pieces`` is it
    split at wider spaces."""

    text: str
    x0: float
    x1: float
    base: float
    size: float
    line: int
    pieces: tuple[LinePiece, ...] = ()

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def mid_height(self) -> float:
        """The y of the middle of the text."""
        return self.base - 0.5 * self.size


class Cell(NamedTuple):
    """A cell with text: row and column from 0, rows and columns spanned, parts in reading
    order."""

    row: int
    col: int
    rows: int
    cols: int
    parts: tuple[GridPart, ...]


class Grid(NamedTuple):
    """``header`` is the number of header rows. Cells are ordered by row."""

    rows: int
    cols: int
    header: int
    cells: tuple[Cell, ...]


class Strokes(NamedTuple):
    """Boxes of the horizontal and vertical rules of a table."""

    horizontal: tuple[BBox, ...] = ()
    vertical: tuple[BBox, ...] = ()

    @classmethod
    def within(cls, box: BBox, strokes: Sequence[BBox], slack: float = 3.0) -> "Strokes":
        """The ``strokes`` inside a region."""
        inside = [
            s
            for s in strokes
            if overlap(s[0], s[2], box[0] - slack, box[2] + slack) >= s[2] - s[0] - 1.0
            and overlap(s[1], s[3], box[1] - slack, box[3] + slack) >= s[3] - s[1] - 1.0
        ]
        horizontal = tuple(s for s in inside if s[2] - s[0] > s[3] - s[1])
        return cls(horizontal, tuple(s for s in inside if s[3] - s[1] >= s[2] - s[0]))


def parts_of(lines: Sequence[TextLine]) -> list[list[GridPart]]:
    """The pieces of each line, from left to right."""
    return [
        [
            GridPart(p.text, p.x0, p.x1, line.base, line.size, i, p.parts)
            for p in line.pieces
            if p.text
        ]
        for i, line in enumerate(lines)
    ]


def cluster_means(values: Sequence[float], within: float) -> list[float]:
    """Mean of each cluster of values with gaps of at most ``within``."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= within:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def in_reading_order(parts: Sequence[GridPart]) -> tuple[GridPart, ...]:
    return tuple(sorted(parts, key=lambda p: (p.line, p.x0)))
