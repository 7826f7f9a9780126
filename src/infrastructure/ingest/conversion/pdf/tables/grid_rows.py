"""Rows of a table that no rule parts: by white space, by the first column, by words that
had no place at the end of the line above."""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.tables.grid_columns import ColumnExtent, covered
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import GridPart
from citeloom.infrastructure.ingest.conversion.pdf.tables.wrapped_cells import (
    may_continue,
    wants_more,
)

LOOSER = 1.12  # the spaces between rows are larger than those between lines by this factor
INTERLEAVED = 0.75  # cell heights: nearer lines are of cells of different height
LEAST_ROWS = 2
SURE = 0.95  # share of the tight lines that must be explained as wrapped
UNSURE = 0.1  # share of the lines that may just as well be a row of their own

_WORD = re.compile(r"[^\W\d_]{3,}")

Line = Sequence[GridPart]


class Rows(NamedTuple):
    """``starts`` holds for each line whether a row begins with it; ``tall`` are pieces taken
    out of their lines that span rows: first and last line (included) that they stand beside.
    """

    starts: list[bool]
    tall: list[tuple[GridPart, int, int]]


def rows_of(lines: Sequence[Line], columns: Sequence[ColumnExtent]) -> Rows | None:
    """Which of the lines begin a row; None where that is uncertain."""
    held = _by_column(lines, columns)
    lifted = _tall(lines, columns, held)
    tall = [(lines[at][0], before, after) for at, before, after in lifted]
    gone = {at for at, _, _ in lifted}
    kept = [i for i in range(len(lines)) if i not in gone]
    if len(kept) < 2:
        return Rows([i in kept[:1] for i in range(len(lines))], tall)
    starts = _by_space(lines, kept, columns, held)
    if starts is None:
        starts = _by_words(lines, kept, columns, held)
    if starts is None:
        return None
    return Rows([starts.get(i, False) for i in range(len(lines))], tall)


def _by_column(lines: Sequence[Line], columns: Sequence[ColumnExtent]) -> dict[int, list[GridPart]]:
    held: dict[int, list[GridPart]] = {}
    for line in lines:
        for part in line:
            first, last = covered(part, columns)
            if last - first == 1:
                held.setdefault(first, []).append(part)
    return held


def _base(line: Line) -> float:
    return max(part.base for part in line)


def _tall(
    lines: Sequence[Line], columns: Sequence[ColumnExtent], held: dict[int, list[GridPart]]
) -> list[tuple[int, int, int]]:
    """Lines of one piece that stands half-way between two rows, with those rows' lines."""
    found = []
    for at in range(1, len(lines) - 1):
        before, line, after = lines[at - 1 : at + 2]
        if len(line) != 1:
            continue
        above, below = _base(line) - _base(before), _base(after) - _base(line)
        column = covered(line[0], columns)
        free = not any(covered(p, columns) == column for p in (*before, *after))
        level = abs(above - below) < 0.25 * (above + below)
        near = max(above, below) < 1.3 * line[0].size
        if free and level and near and not _continues(after, lines[:at], columns, held):
            found.append((at, at - 1, at + 1))
    return found


def _continues(
    line: Line,
    above: Sequence[Line],
    columns: Sequence[ColumnExtent],
    held: dict[int, list[GridPart]],
) -> bool:
    """Whether each piece of a line can be the rest of the one above it in its column."""
    for part in line:
        first, last = covered(part, columns)
        if last - first != 1:
            return False
        before = next(
            (p for row in reversed(above) for p in row if covered(p, columns) == (first, last)),
            None,
        )
        if before is None or not may_continue(before, part, held[first]):
            return False
    return True


def _by_space(
    lines: Sequence[Line],
    kept: Sequence[int],
    columns: Sequence[ColumnExtent],
    held: dict[int, list[GridPart]],
) -> dict[int, bool] | None:
    """Rows parted by white space, if there are two kinds of it and the tight one is that
    between the lines of wrapped cells."""
    gaps = {b: _base(lines[b]) - _base(lines[a]) for a, b in itertools.pairwise(kept)}
    size = sorted(part.size for i in kept for part in lines[i])[len(kept) // 2]
    ranked = sorted(gap for gap in gaps.values() if gap >= INTERLEAVED * size)
    jumps = [(b / a, a, b) for a, b in itertools.pairwise(ranked)]
    factor, low, high = max(jumps, default=(1.0, 0.0, 0.0))
    if factor < LOOSER:
        return None
    tight = [i for i, gap in gaps.items() if gap < (low + high) / 2]
    wrapped = [
        gaps[i] < INTERLEAVED * size or _continues(lines[i], lines[:i], columns, held)
        for i in tight
    ]
    starts = {i: i not in tight for i in kept}
    if sum(wrapped) < SURE * len(tight) or sum(starts.values()) < LEAST_ROWS:
        return None
    return starts


def _by_words(
    lines: Sequence[Line],
    kept: Sequence[int],
    columns: Sequence[ColumnExtent],
    held: dict[int, list[GridPart]],
) -> dict[int, bool] | None:
    """Rows begun by lines that cannot be the rest of the row above: something stands in the
    first column, or begins where there was still room. None where too many lines can."""
    starts = {kept[0]: True}
    doubtful = 0
    for before, at in itertools.pairwise(kept):
        line = lines[at]
        if _base(line) - _base(lines[before]) < INTERLEAVED * line[0].size:
            return None
        filled = {covered(part, columns)[0] for part in line}
        rest = _continues(line, lines[:at], columns, held)
        goes_on = _goes_on(line, lines[:at], columns)
        if 0 not in filled:
            above = {covered(part, columns)[0] for part in lines[before]}
            starts[at] = not (filled <= above and (rest or all(goes_on)))
        elif rest and any(goes_on):
            starts[at] = False
        else:
            starts[at] = True
            worded = all(_WORD.search(part.text) for part in line)
            doubtful += rest and worded and any(_is_wordy(part) for part in lines[before])
    return starts if doubtful <= UNSURE * len(kept) else None


def _is_wordy(part: GridPart) -> bool:
    return len(_WORD.findall(part.text)) > 1


def _goes_on(line: Line, above: Sequence[Line], columns: Sequence[ColumnExtent]) -> list[bool]:
    """Which pieces of a line begin in the middle of a sentence, in columns whose cells do
    not begin with a small letter as a rule."""
    found = []
    for part in line:
        column = covered(part, columns)
        cells = [p for row in above for p in row if covered(p, columns) == column]
        if not cells:
            found.append(False)
            continue
        small = not cells[0].text[:1].islower() and (
            part.text[:1].islower() or part.text[:1] in "(["
        )
        within = _is_wordy(cells[-1]) and cells[-1].text[-1:] not in ".;:"
        found.append((small and within) or wants_more(cells[-1]))
    return found
