"""Rows of a table without rules, by white space, first column and wrapped words."""

import itertools
import re
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.tables.grid_columns import (
    ColumnExtent,
    column_span,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import GridPart
from citeloom.infrastructure.ingest.conversion.pdf.tables.wrapped_cells import (
    ends_open,
    may_continue,
)

LOOSER = 1.12  # least ratio of the space between rows to the space between lines
INTERLEAVED = 0.75  # cell heights: closer lines belong to cells of different height
LEAST_ROWS = 2
SURE = 0.95  # least share of the tight lines that are wrapped text
UNSURE = 0.1  # greatest share of lines that might be rows of their own

_WORD = re.compile(r"[^\W\d_]{3,}")

Line = Sequence[GridPart]


class Rows(NamedTuple):
    """``starts`` tells for each line whether it begins a row. ``spanning`` holds the parts that
    span rows, with the first and last line (included) beside them."""

    starts: list[bool]
    spanning: list[tuple[GridPart, int, int]]


def find_rows(lines: Sequence[Line], columns: Sequence[ColumnExtent]) -> Rows | None:
    """The lines that begin a row; None where that is uncertain."""
    by_column = _parts_by_column(lines, columns)
    spanning_lines = _spanning_lines(lines, columns, by_column)
    spanning = [(lines[at][0], before, after) for at, before, after in spanning_lines]
    removed = {at for at, _, _ in spanning_lines}
    remaining = [i for i in range(len(lines)) if i not in removed]
    if len(remaining) < 2:
        return Rows([i in remaining[:1] for i in range(len(lines))], spanning)
    starts = _by_space(lines, remaining, columns, by_column)
    if starts is None:
        starts = _by_words(lines, remaining, columns, by_column)
    if starts is None:
        return None
    return Rows([starts.get(i, False) for i in range(len(lines))], spanning)


def _parts_by_column(
    lines: Sequence[Line], columns: Sequence[ColumnExtent]
) -> dict[int, list[GridPart]]:
    by_column: dict[int, list[GridPart]] = {}
    for line in lines:
        for part in line:
            first, last = column_span(part, columns)
            if last - first == 1:
                by_column.setdefault(first, []).append(part)
    return by_column


def _baseline(line: Line) -> float:
    return max(part.base for part in line)


def _spanning_lines(
    lines: Sequence[Line], columns: Sequence[ColumnExtent], by_column: dict[int, list[GridPart]]
) -> list[tuple[int, int, int]]:
    """Lines of one part half-way between two rows, with the lines of those rows."""
    spanning = []
    for at in range(1, len(lines) - 1):
        before, line, after = lines[at - 1 : at + 2]
        if len(line) != 1:
            continue
        above, below = _baseline(line) - _baseline(before), _baseline(after) - _baseline(line)
        column = column_span(line[0], columns)
        column_free = not any(column_span(p, columns) == column for p in (*before, *after))
        level = abs(above - below) < 0.25 * (above + below)
        near = max(above, below) < 1.3 * line[0].size
        if column_free and level and near and not _continues(after, lines[:at], columns, by_column):
            spanning.append((at, at - 1, at + 1))
    return spanning


def _continues(
    line: Line,
    above: Sequence[Line],
    columns: Sequence[ColumnExtent],
    by_column: dict[int, list[GridPart]],
) -> bool:
    """Whether each part of a line may continue the one above it in its column."""
    for part in line:
        first, last = column_span(part, columns)
        if last - first != 1:
            return False
        before = next(
            (p for row in reversed(above) for p in row if column_span(p, columns) == (first, last)),
            None,
        )
        if before is None or not may_continue(before, part, by_column[first]):
            return False
    return True


def _by_space(
    lines: Sequence[Line],
    remaining: Sequence[int],
    columns: Sequence[ColumnExtent],
    by_column: dict[int, list[GridPart]],
) -> dict[int, bool] | None:
    """Rows by white space, if line spaces are of two sizes and the smaller one is that of
    wrapped cells."""
    gaps = {b: _baseline(lines[b]) - _baseline(lines[a]) for a, b in itertools.pairwise(remaining)}
    size = sorted(part.size for i in remaining for part in lines[i])[len(remaining) // 2]
    ranked = sorted(gap for gap in gaps.values() if gap >= INTERLEAVED * size)
    jumps = [(b / a, a, b) for a, b in itertools.pairwise(ranked)]
    factor, low, high = max(jumps, default=(1.0, 0.0, 0.0))
    if factor < LOOSER:
        return None
    tight = [i for i, gap in gaps.items() if gap < (low + high) / 2]
    wrapped = [
        gaps[i] < INTERLEAVED * size or _continues(lines[i], lines[:i], columns, by_column)
        for i in tight
    ]
    starts = {i: i not in tight for i in remaining}
    if sum(wrapped) < SURE * len(tight) or sum(starts.values()) < LEAST_ROWS:
        return None
    return starts


def _by_words(
    lines: Sequence[Line],
    remaining: Sequence[int],
    columns: Sequence[ColumnExtent],
    by_column: dict[int, list[GridPart]],
) -> dict[int, bool] | None:
    """Rows by words: a line begins a row if it fills the first column, or begins with a word
    that had room on the line above. None where too many lines are ambiguous."""
    starts = {remaining[0]: True}
    doubtful = 0
    for before, at in itertools.pairwise(remaining):
        line = lines[at]
        if _baseline(line) - _baseline(lines[before]) < INTERLEAVED * line[0].size:
            return None
        filled = {column_span(part, columns)[0] for part in line}
        continues = _continues(line, lines[:at], columns, by_column)
        mid_sentence = _mid_sentence_parts(line, lines[:at], columns)
        if 0 not in filled:
            above = {column_span(part, columns)[0] for part in lines[before]}
            starts[at] = not (filled <= above and (continues or all(mid_sentence)))
        elif continues and any(mid_sentence):
            starts[at] = False
        else:
            starts[at] = True
            worded = all(_WORD.search(part.text) for part in line)
            doubtful += continues and worded and any(_is_wordy(part) for part in lines[before])
    return starts if doubtful <= UNSURE * len(remaining) else None


def _is_wordy(part: GridPart) -> bool:
    return len(_WORD.findall(part.text)) > 1


def _mid_sentence_parts(
    line: Line, above: Sequence[Line], columns: Sequence[ColumnExtent]
) -> list[bool]:
    """For each part of a line, whether it begins within a sentence, in a column whose cells do
    not usually begin with a small letter."""
    mid_sentence = []
    for part in line:
        column = column_span(part, columns)
        cells = [p for row in above for p in row if column_span(p, columns) == column]
        if not cells:
            mid_sentence.append(False)
            continue
        small = not cells[0].text[:1].islower() and (
            part.text[:1].islower() or part.text[:1] in "(["
        )
        within = _is_wordy(cells[-1]) and cells[-1].text[-1:] not in ".;:"
        mid_sentence.append((small and within) or ends_open(cells[-1]))
    return mid_sentence
