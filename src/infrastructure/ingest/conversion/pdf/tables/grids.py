"""A table's cells: which row and column each piece of its lines is in, and what spans several.

Rules drawn around the cells decide (PDF has no other mark of them); without rules, columns
are where pieces of several lines stand under one another, and rows are told by white space
and by the first column. What stays uncertain has no grid, and keeps its lines.
"""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LinePiece, TextLine
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap


class GridPart(NamedTuple):
    """A piece of a line that lies in a table. ``line`` is the index of its line, ``pieces``
    are what its wider spaces part."""

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
        """The height at which the text's own middle stands."""
        return self.base - 0.5 * self.size


class Cell(NamedTuple):
    """A cell with text: row and column from 0, how many of either it spans, and its parts
    in reading order."""

    row: int
    col: int
    rows: int
    cols: int
    parts: tuple[GridPart, ...]


class Grid(NamedTuple):
    """``header`` is how many rows at the top are column heads. Cells stand row by row."""

    rows: int
    cols: int
    header: int
    cells: tuple[Cell, ...]


class Strokes(NamedTuple):
    """The rules of a table: boxes of level ones and of upright ones."""

    horizontal: tuple[BBox, ...] = ()
    vertical: tuple[BBox, ...] = ()

    @classmethod
    def within(cls, box: BBox, strokes: Sequence[BBox], slack: float = 3.0) -> "Strokes":
        """Those of ``strokes`` that lie in a region."""
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
    """Means of the values that lie together."""
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= within:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def in_reading_order(parts: Sequence[GridPart]) -> tuple[GridPart, ...]:
    return tuple(sorted(parts, key=lambda p: (p.line, p.x0)))
