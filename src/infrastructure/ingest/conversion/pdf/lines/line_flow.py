"""The document's lines in reading order, with its usual text size, font and line pitch."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine

FAR = 999.0


class Column(NamedTuple):
    """The lines of one column of one band of a page, from the top down."""

    page: int
    lines: tuple[TextLine, ...]
    aside: bool = False


class PlacedLine(NamedTuple):
    """A line with its distances to its neighbours, in points.

    ``above`` and ``below`` are baseline distances to the lines before and after in the same
    column (FAR at its ends); ``left`` and ``right`` are the column's edges; ``aside`` marks
    margin notes.
    """

    line: TextLine
    column: int
    above: float
    below: float
    left: float
    right: float
    aside: bool

    @property
    def indent(self) -> float:
        return self.line.x0 - self.left

    @property
    def short_by(self) -> float:
        """White space at the end of the line."""
        return self.right - self.line.x1


class BodyStyle(NamedTuple):
    """Usual cell height, font, baseline distance and weight of the document's text."""

    size: float
    font: str
    pitch: float
    bold: bool

    def ratio(self, line: TextLine) -> float:
        return line.size / self.size


def weighted_median(values: Iterable[tuple[float, int]]) -> float:
    """The median of values with weights; 0 without any."""
    ranked = sorted(values)
    half = sum(weight for _, weight in ranked) / 2
    for value, weight in ranked:
        half -= weight
        if half <= 0:
            return value
    return 0.0


def style_of(columns: Sequence[Column]) -> BodyStyle:
    """Character-weighted statistics over the whole document."""
    lines = [line for column in columns for line in column.lines]
    size = weighted_median((line.size, len(line.text)) for line in lines) or 8.0
    fonts: Counter[tuple[str, bool]] = Counter()
    distances: Counter[float] = Counter()
    for column in columns:
        for before, line in zip((None, *column.lines), column.lines, strict=False):
            if abs(line.size - size) > 0.06 * size:
                continue
            fonts[line.font, line.bold] += len(line.text)
            if before is not None and abs(before.size - size) <= 0.06 * size:
                distances[round((line.base - before.base) * 2) / 2] += 1
    usual = [item for item in distances.items() if 0.9 * size < item[0] < 3 * size]
    pitch = max(usual, key=lambda item: (item[1], -item[0]))[0] if usual else 1.5 * size
    ranked = sorted(fonts.items(), key=lambda item: (-item[1], item[0]))
    font, bold = ranked[0][0] if ranked else ("", False)
    return BodyStyle(size=size, font=font, pitch=pitch, bold=bold)


def place_lines(columns: Sequence[Column]) -> list[PlacedLine]:
    """Every line with its distances and its column's edges."""
    edges = _usual_edges(columns)
    placed: list[PlacedLine] = []
    for number, column in enumerate(columns):
        left, right = _edges(column, edges)
        lines = column.lines
        for i, line in enumerate(lines):
            above = line.base - lines[i - 1].base if i else FAR
            below = lines[i + 1].base - line.base if i + 1 < len(lines) else FAR
            placed.append(PlacedLine(line, number, above, below, left, right, column.aside))
    return placed


def _usual_edges(columns: Sequence[Column]) -> list[tuple[float, float]]:
    """Edges of the long columns, the most frequent first."""
    counts: Counter[tuple[float, float]] = Counter()
    for column in columns:
        if len(column.lines) >= 6 and not column.aside:
            counts[_own_edges(column)] += len(column.lines)
    return [edges for edges, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _own_edges(column: Column) -> tuple[float, float]:
    lefts = Counter(round(line.x0) for line in column.lines)
    rights = Counter(round(line.x1) for line in column.lines)
    half = max(2, len(column.lines) // 8)
    left = min((x for x, n in lefts.items() if n >= half), default=min(lefts))
    right = max((x for x, n in rights.items() if n >= half), default=max(rights))
    return (float(left), float(max(right, left + 1)))


def _edges(column: Column, usual: Sequence[tuple[float, float]]) -> tuple[float, float]:
    own_edges = _own_edges(column)
    for left, right in usual:
        if (
            own_edges[0] >= left - 3
            and own_edges[1] <= right + 3
            and own_edges[1] - own_edges[0] > 0.3 * (right - left)
        ):
            return (left, right)
        if len(column.lines) < 6 and own_edges[0] >= left - 3 and own_edges[1] <= right + 3:
            return (left, right)
    return own_edges
