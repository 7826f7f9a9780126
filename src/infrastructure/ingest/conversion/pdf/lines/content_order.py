"""Columns of a page in the order of its content.

Most programs write a page as it is read: column after column, line after line. The content's
order is taken where the geometric one would tear it apart.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

LEVEL = 0.35  # of the smaller height: baselines of one row
WIDER = 3.0  # heights by which a line across columns reaches beyond the column's lines
FEWEST_BREAKS = 6
PROSE = 4  # least number of words in a line of prose
TORN = 2.0  # least number of breaks for each jump of the content's order


class _ContentRow(NamedTuple):
    """Runs that follow each other in the content on one baseline."""

    runs: tuple[WordRun, ...]
    x0: float
    x1: float
    bottom: float
    size: float

    @classmethod
    def of(cls, runs: Sequence[WordRun]) -> "_ContentRow":
        main = max(runs, key=lambda r: r.x1 - r.x0)
        left, right = min(r.x0 for r in runs), max(r.x1 for r in runs)
        return cls(tuple(runs), left, right, main.bottom, main.size)


def content_columns(runs: Sequence[WordRun]) -> list[list[WordRun]]:
    """The runs by column, as the content has them.

    A column ends where the next row is not below it, beside it, or across another column.
    """
    columns: list[list[_ContentRow]] = []
    for row in _rows(runs):
        if columns and _continues(columns[-1], row):
            columns[-1].append(row)
        else:
            columns.append([row])
    parts = [part for column in columns for part in _bands(column, columns)]
    return [[run for row in part for run in row.runs] for part in parts]


def is_torn(order: Sequence[Sequence[WordRun]], runs: Sequence[WordRun]) -> bool:
    """Whether ``order``, columns of the page's ``runs``, tears the content's order apart where
    that is plausible itself: it seldom jumps along a row or up in a column. Lines of prose tell;
    the signs of a formula may stand in any order."""
    if any(run.order < 0 for run in runs):
        return False
    in_content = sorted((r for r in runs if len(r.words) >= PROSE), key=lambda r: r.order)
    ranks = {id(run): rank for rank, run in enumerate(in_content)}
    sequence = [
        run
        for column in order
        for row in _by_row(column)
        for run in sorted(row, key=lambda r: r.x0)
        if id(run) in ranks
    ]
    breaks = sum(ranks[id(b)] != ranks[id(a)] + 1 for a, b in pairwise(sequence))
    jumps = sum(_is_jump(a, b) for a, b in pairwise(in_content))
    return breaks >= FEWEST_BREAKS and breaks > TORN * (jumps + 1)


def _by_row(column: Sequence[WordRun]) -> list[list[WordRun]]:
    rows: list[list[WordRun]] = []
    for run in sorted(column, key=lambda r: r.bottom):
        if rows and _is_level(rows[-1][0], run):
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def _is_jump(before: WordRun, after: WordRun) -> bool:
    """Whether the content goes along a row over a gap, or up within a column."""
    if _is_level(before, after):
        return True
    shared = overlap(before.x0, before.x1, after.x0, after.x1)
    narrow = min(before.x1 - before.x0, after.x1 - after.x0)
    return after.bottom < before.bottom and shared > 0.5 * narrow


def _is_level(a: WordRun, b: WordRun) -> bool:
    return abs(a.bottom - b.bottom) <= LEVEL * min(a.size, b.size)


def _rows(runs: Sequence[WordRun]) -> list[_ContentRow]:
    rows: list[list[WordRun]] = []
    for run in sorted(runs, key=lambda r: r.order):
        if rows and _is_level(rows[-1][-1], run):
            rows[-1].append(run)
        else:
            rows.append([run])
    return [_ContentRow.of(row) for row in rows]


def _continues(column: Sequence[_ContentRow], row: _ContentRow) -> bool:
    last = column[-1]
    if row.bottom < last.bottom - row.size:
        return False
    left, right = min(r.x0 for r in column[-6:]), max(r.x1 for r in column[-6:])
    shared = overlap(left, right, row.x0, row.x1)
    return shared > 0.5 * min(right - left, row.x1 - row.x0)


def _bands(
    column: Sequence[_ContentRow], columns: Sequence[Sequence[_ContentRow]]
) -> list[list[_ContentRow]]:
    """A column's rows, parted where they begin or cease to reach across other columns."""
    beside = [
        other
        for other in columns
        if other is not column
        and overlap(column[0].bottom, column[-1].bottom, other[0].bottom, other[-1].bottom) > 0
    ]
    if not beside or len(column) < 3:
        return [list(column)]
    rights = sorted(row.x1 for row in column)
    lefts = sorted(row.x0 for row in column)
    left, right = lefts[len(lefts) // 2], rights[len(rights) // 2]
    bands: list[list[_ContentRow]] = []
    before: bool | None = None
    for row in column:
        across = row.x1 > right + WIDER * row.size or row.x0 < left - WIDER * row.size
        if across == before:
            bands[-1].append(row)
        else:
            bands.append([row])
        before = across
    return bands
