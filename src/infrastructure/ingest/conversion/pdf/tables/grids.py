"""The grid of a table: cells, their rows and columns, and the rules around them.

Rules around the cells decide (PDF has no other mark of cells). Without rules, columns are where
parts of several lines are aligned, and rows follow from white space and the first column. An
uncertain table has no grid and keeps its lines.
"""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LinePiece, TextLine
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import HYPHENS


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


_SPACE = 0.25  # ems
_AMOUNT = re.compile(r"\d[\d.,]*(?: [\w/%]{1,6})?")  # "1,746", "634 secs", "583 MB/s"
_WANTS_MORE = "\u00b1+=(/,&"


def may_continue(above: GridPart, below: GridPart, column: Sequence[GridPart]) -> bool:
    """Whether the first word of ``below`` had no room at the end of ``above``, in a column as
    wide as its widest part. Numbers do not wrap, with their unit or alone."""
    if ends_open(above):
        return True
    if _AMOUNT.fullmatch(below.text) and _AMOUNT.fullmatch(above.text):
        return False
    if not any(c.isalpha() for c in below.text) and not any(c.isalpha() for c in above.text):
        return False
    widest = max(part.x1 - part.x0 for part in column)
    first = below.text.split(" ", 1)[0]
    advance = (below.x1 - below.x0) / max(len(below.text), 1)
    return (above.x1 - above.x0) + _SPACE * above.size + len(first) * advance > 0.97 * widest


def ends_open(part: GridPart) -> bool:
    """Whether a part ends with a sign that ends no cell, unless it is that sign alone."""
    return len(part.text) > 1 and part.text[-1] in (*HYPHENS, *_WANTS_MORE)


TOGETHER = 3.0  # greatest distance between rules of one edge, in points
JOINED = 1.5  # greatest gap in one rule, in points
LEAST = 5.0  # least width of a row or column, in points
FLUSH = 1.5  # greatest difference of the edges of lines that fill a cell, in points
WRAPPED = 0.8  # least share of the parts of a row that continue those above them

Place = tuple[int, int]
Area = tuple[int, int, int, int]  # first and last row and column, the last not included


def ruled_grid(parts: Sequence[Sequence[GridPart]], strokes: Strokes) -> Grid | None:
    """The grid drawn by rules; None unless vertical rules separate columns, horizontal ones
    most rows, and all text lies within cells."""
    flat = [part for line in parts for part in line]
    xs, ys = _edges(flat, strokes)
    if len(xs) < 3 or len(ys) < 3 or not strokes.vertical:
        return None
    areas = _areas(xs, ys, strokes)
    if areas is None:
        return None
    parts_by_area: dict[Area, list[GridPart]] = {}
    for part in flat:
        place = _place_of(part, xs, ys)
        if place is None or place not in areas:
            return None
        area = areas[place]
        if part.x0 < xs[area[1]] - 2.0 or part.x1 > xs[area[3]] + 2.0:
            return None
        parts_by_area.setdefault(area, []).append(part)
    parts_by_area = {
        area: _without_wide_spaces(of, xs[area[1]], xs[area[3]])
        for area, of in parts_by_area.items()
    }
    if any(_are_side_by_side(area_parts) for area_parts in parts_by_area.values()):
        return None
    rows_by_band = _rows_in_bands(parts_by_area)
    if rows_by_band is None:
        return None
    first = [0]
    for band in range(len(ys) - 1):
        first.append(first[-1] + max(1, len(rows_by_band.get(band, ()))))
    cells: list[Cell] = []
    for (r0, c0, r1, c1), area_parts in parts_by_area.items():
        lines = rows_by_band.get(r0, []) if r1 == r0 + 1 else []
        if len(lines) > 1 and {part.line for part in area_parts} <= set(lines):
            cells += [
                Cell(first[r0] + lines.index(part.line), c0, 1, c1 - c0, (part,))
                for part in area_parts
            ]
        else:
            cells.append(
                Cell(first[r0], c0, first[r1] - first[r0], c1 - c0, in_reading_order(area_parts))
            )
    header = max((c.row + c.rows for c in cells if c.row == 0), default=1)
    return Grid(first[-1], len(xs) - 1, min(header, first[-1] - 1), tuple(sorted(cells)))


def _edges(flat: Sequence[GridPart], strokes: Strokes) -> tuple[list[float], list[float]]:
    """Edges of columns and rows. Outer edges without a rule are taken from the text."""
    xs = cluster_means([(s[0] + s[2]) / 2 for s in strokes.vertical], TOGETHER)
    ys = cluster_means([(s[1] + s[3]) / 2 for s in strokes.horizontal], TOGETHER)
    if xs and flat:
        left = min(p.x0 for p in flat)
        right = max(p.x1 for p in flat)
        xs = ([left - 1.0] if left < xs[0] - LEAST else []) + xs
        xs += [right + 1.0] if right > xs[-1] + LEAST else []
    if ys and flat:
        top = min(p.base - p.size for p in flat)
        bottom = max(p.base for p in flat)
        ys = ([top - 1.0] if top < ys[0] - LEAST else []) + ys
        ys += [bottom + 1.0] if bottom > ys[-1] + LEAST else []
    return xs, ys


def _areas(xs: Sequence[float], ys: Sequence[float], strokes: Strokes) -> dict[Place, Area] | None:
    """The cell of each place between neighbouring edges, as first and last row and column (the last
    not included). None where a cell is not a rectangle."""
    areas: dict[Place, Area] = {}
    for r in range(len(ys) - 1):
        for c in range(len(xs) - 1):
            if (r, c) in areas:
                continue
            right, down = c + 1, r + 1
            y = (ys[r] + ys[r + 1]) / 2
            while right < len(xs) - 1 and not _vertical_at(xs[right], y, strokes):
                right += 1
            x = (xs[c] + xs[c + 1]) / 2
            while down < len(ys) - 1 and not _horizontal_at(ys[down], x, strokes):
                down += 1
            area = (r, c, down, right)
            places = [(i, k) for i in range(r, down) for k in range(c, right)]
            if any(place in areas for place in places):
                return None
            areas.update(dict.fromkeys(places, area))
    return areas


def _vertical_at(x: float, y: float, strokes: Strokes) -> bool:
    return any(
        s[0] - TOGETHER <= x <= s[2] + TOGETHER and s[1] - JOINED < y < s[3] + JOINED
        for s in strokes.vertical
    )


def _horizontal_at(y: float, x: float, strokes: Strokes) -> bool:
    return any(
        s[1] - TOGETHER <= y <= s[3] + TOGETHER and s[0] - JOINED < x < s[2] + JOINED
        for s in strokes.horizontal
    )


def _place_of(part: GridPart, xs: Sequence[float], ys: Sequence[float]) -> Place | None:
    row = next((i for i in range(len(ys) - 1) if ys[i] <= part.mid_height <= ys[i + 1]), None)
    col = next((i for i in range(len(xs) - 1) if xs[i] <= part.middle <= xs[i + 1]), None)
    return None if row is None or col is None else (row, col)


def _without_wide_spaces(parts: list[GridPart], left: float, right: float) -> list[GridPart]:
    """The parts of a cell, those of a line as one where lines are stretched to the width of the
    cell from ``left`` to ``right``: all but the last, or with words of others across the gaps."""
    joined: list[GridPart] = []
    apart: set[int] = set()
    for part in in_reading_order(parts):
        before = joined[-1] if joined else part
        if joined and before.line == part.line:
            if not any(p.x0 < before.x1 and p.x1 > part.x0 for p in parts):
                apart.add(part.line)
            joined[-1] = before._replace(text=f"{before.text} {part.text}", x1=part.x1)
        else:
            joined.append(part)
    margin = min(part.x0 for part in parts) - left
    full = all(
        abs(part.x0 - left - margin) < FLUSH and abs(right - part.x1 - margin) < FLUSH
        for part in joined
        if part.line in apart
    )
    return joined if full and (not apart or joined[-1].line not in apart) else parts


def _are_side_by_side(parts: Sequence[GridPart]) -> bool:
    """Whether a cell has parts side by side: its rules separate groups of columns only."""
    lines = [part.line for part in parts]
    return len(lines) != len(set(lines))


def _rows_in_bands(parts_by_area: dict[Area, list[GridPart]]) -> dict[int, list[int]] | None:
    """Lines that are rows of their own between two rules, by band: shared by several columns,
    and not wrapped text. None where another cell contradicts."""
    bands: dict[int, list[list[GridPart]]] = {}
    for (r0, _, r1, _), area_parts in parts_by_area.items():
        if r1 == r0 + 1:
            bands.setdefault(r0, []).append(list(in_reading_order(area_parts)))
    rows: dict[int, list[int]] = {}
    for band, cells in bands.items():
        wrapped_cells = [area_parts for area_parts in cells if len(area_parts) > 1]
        if len(wrapped_cells) < 2:
            continue
        pairs = [
            may_continue(above, below, area_parts)
            for area_parts in wrapped_cells
            for above, below in itertools.pairwise(area_parts)
        ]
        if sum(pairs) >= WRAPPED * len(pairs):
            continue
        lines = sorted({part.line for area_parts in wrapped_cells for part in area_parts})
        aligned = [
            area_parts for area_parts in cells if {part.line for part in area_parts} <= set(lines)
        ]
        single_parts = [
            area_parts for area_parts in cells if area_parts not in aligned and len(area_parts) == 1
        ]
        if len(aligned) + len(single_parts) < len(cells) or any(
            len(f) < len(lines) for f in wrapped_cells
        ):
            return None
        rows[band] = lines
    return rows
