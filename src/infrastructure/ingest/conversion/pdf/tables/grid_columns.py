"""Columns of a table without vertical rules."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LinePiece
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import GridPart

TOUCHING = 0.5  # points that parts of neighbouring columns may overlap
FULL = 0.6  # least number of parts of a line that defines columns, as a share of the largest
DOUBTFUL = 0.12  # greatest share of lines that contradict the columns


class ColumnExtent(NamedTuple):
    """Left and right edge of a column's text, in points."""

    left: float
    right: float


def columns_of(lines: Sequence[Sequence[GridPart]], heads: int) -> list[ColumnExtent] | None:
    """Columns from left to right; None where the lines contradict one another.

    The first ``heads`` lines are column heads, which may span columns: they define columns
    only where no other line does.
    """
    body = lines[heads:] or lines
    most = max(len(line) for line in body)
    full = [line for line in body if len(line) >= max(2, FULL * most)]
    columns = _grow_columns([], [p for line in full for p in line], new=True)
    rest = [p for line in body if line not in full for p in line]
    columns = _grow_columns(columns, rest, new=False)
    if lines[heads:] and heads:
        columns = _grow_columns(columns, list(lines[heads - 1]), new=True, widen=False)
    columns.sort()
    if len(columns) < 2:
        return None
    wrong = sum(_contradicts(line, columns) for line in body)
    return columns if wrong <= DOUBTFUL * len(body) else None


def split_at_gutters(lines: Sequence[Sequence[GridPart]]) -> list[list[GridPart]]:
    """The lines, with parts across columns split where a wider space is in a gutter."""
    seeds = _grow_columns([], [p for line in lines for p in line if not p.pieces], new=True)
    close = [
        part._replace(text=piece.text, x0=piece.x0, x1=piece.x1)
        for line in lines
        for part in line
        for piece in part.pieces
    ]
    rest = [p for p in close if not any(_shares(p, column) for column in seeds)]
    seeds += [
        column
        for column in _grow_columns([], rest, new=True)
        if sum(_shares(part, column) for part in close) >= 0.5 * len(lines)
    ]
    seeds.sort()
    return [[cut for part in line for cut in _split_part(part, seeds)] for line in lines]


def _split_part(part: GridPart, columns: Sequence[ColumnExtent]) -> list[GridPart]:
    groups: list[list[LinePiece]] = []
    for piece in part.pieces:
        before = groups[-1][-1].x1 if groups else piece.x0
        gutter = any(
            max(before, left.right) <= min(piece.x0, right.left) + 2 * TOUCHING
            and piece.x1 > right.left + TOUCHING
            and groups[-1][0].x0 < left.right - TOUCHING
            for left, right in itertools.pairwise(columns)
            if groups
        )
        if groups and not gutter:
            groups[-1].append(piece)
        else:
            groups.append([piece])
    if len(groups) < 2:
        return [part]
    return [
        part._replace(
            text=" ".join(p.text for p in group), x0=group[0].x0, x1=group[-1].x1, pieces=()
        )
        for group in groups
    ]


def _grow_columns(
    columns: Sequence[ColumnExtent], parts: Sequence[GridPart], new: bool, widen: bool = True
) -> list[ColumnExtent]:
    """Columns extended by parts, the narrowest first; parts across several are ignored."""
    grown = list(columns)
    for part in sorted(parts, key=lambda p: (p.x1 - p.x0, p.x0)):
        at = [i for i, c in enumerate(grown) if _shares(part, c)]
        if not at and new:
            grown.append(ColumnExtent(part.x0, part.x1))
        elif len(at) == 1 and widen:
            column = grown[at[0]]
            wider = ColumnExtent(min(column.left, part.x0), max(column.right, part.x1))
            others = (c for i, c in enumerate(grown) if i != at[0])
            if not any(overlap(wider.left, wider.right, *c) > TOUCHING for c in others):
                grown[at[0]] = wider
    return grown


def _shares(part: GridPart, column: ColumnExtent) -> bool:
    return overlap(part.x0, part.x1, *column) > TOUCHING


def _contradicts(line: Sequence[GridPart], columns: Sequence[ColumnExtent]) -> bool:
    """Whether two parts of a line lie in one column, or one of several spans columns."""
    spans = [column_span(part, columns) for part in line]
    twice = any(a[1] > b[0] for a, b in itertools.pairwise(spans))
    return twice or (len(line) > 1 and any(last - first > 1 for first, last in spans))


def column_span(part: GridPart, columns: Sequence[ColumnExtent]) -> tuple[int, int]:
    """First and last column (not included) that a part overlaps; else the nearest one."""
    columns_under = [i for i, column in enumerate(columns) if _shares(part, column)]
    if columns_under:
        return columns_under[0], columns_under[-1] + 1
    nearest = min(
        range(len(columns)), key=lambda i: abs(columns[i].left + columns[i].right - 2 * part.middle)
    )
    return nearest, nearest + 1
