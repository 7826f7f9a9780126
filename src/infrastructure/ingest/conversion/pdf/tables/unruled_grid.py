"""Grids of tables with horizontal rules at most: header, rows, row groups."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LinePiece
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap

from .grids import (
    Cell,
    Grid,
    GridPart,
    Strokes,
    cluster_means,
    ends_open,
    in_reading_order,
    may_continue,
)

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
    """Whether two parts of a line lie in one column, or one spans several columns and is not
    centred on them."""
    spans = [column_span(part, columns) for part in line]
    twice = any(a[1] > b[0] for a, b in itertools.pairwise(spans))
    astray = any(
        last - first > 1 and not _is_centred(part, columns[first:last])
        for part, (first, last) in zip(line, spans, strict=True)
    )
    return twice or (len(line) > 1 and astray)


def _is_centred(part: GridPart, columns: Sequence[ColumnExtent]) -> bool:
    """Whether a part is in the middle of the columns that it spans, as one cell for all of them."""
    return abs(columns[0].left + columns[-1].right - 2 * part.middle) < part.size


def column_span(part: GridPart, columns: Sequence[ColumnExtent]) -> tuple[int, int]:
    """First and last column (not included) that a part overlaps; else the nearest one."""
    columns_under = [i for i, column in enumerate(columns) if _shares(part, column)]
    if columns_under:
        return columns_under[0], columns_under[-1] + 1
    nearest = min(
        range(len(columns)), key=lambda i: abs(columns[i].left + columns[i].right - 2 * part.middle)
    )
    return nearest, nearest + 1


LOOSER = 1.12  # least ratio of the space between rows to the space between lines
INTERLEAVED = 0.75  # cell heights: closer lines belong to cells of different height
LEAST_ROWS = 2
SURE = 0.95  # least share of the tight lines that are wrapped text
LEAST_TEXT = 5  # words of a cell
UNSURE = 0.1  # greatest share of lines that might be rows of their own

_WORD = re.compile(r"[^\W\d_]{3,}")
_HEAD = re.compile(r"[^\W\d_]|^\D+$|\u00d7")  # of a column: a word, a sign, a power of ten

Line = Sequence[GridPart]


class Rows(NamedTuple):
    """``starts`` says for each line whether it begins a row. ``spanning`` holds the parts that span
    rows, with the first and last line (included) beside them."""

    starts: list[bool]
    spanning: list[tuple[GridPart, int, int]]


def find_rows(lines: Sequence[Line], columns: Sequence[ColumnExtent]) -> Rows | None:
    """The lines that begin a row; None if uncertain."""
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


def _goes_on(
    line: Line,
    above: Sequence[Line],
    columns: Sequence[ColumnExtent],
    by_column: dict[int, list[GridPart]],
) -> bool:
    """Whether each part of a line may continue the one above it, or is in brackets below it."""
    return all(
        (part.text[:1] == "(" and _cells_above(part, above, columns))
        or _continues([part], above, columns, by_column)
        for part in line
    )


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
        gaps[i] < INTERLEAVED * size or _goes_on(lines[i], lines[:i], columns, by_column)
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
    """Rows by words: a line begins a row if it fills the first column, or begins with a word that
    had room on the line above. None if too many lines are ambiguous."""
    starts = {remaining[0]: True}
    first = remaining[0]
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
        elif continues and (
            any(mid_sentence) or _ends_cells(lines[: at + 1], first, columns, at == remaining[-1])
        ):
            starts[at] = False
        else:
            starts[at] = True
            worded = all(_WORD.search(part.text) for part in line)
            doubtful += continues and worded and any(_is_wordy(part) for part in lines[before])
        first = at if starts[at] else first
    return starts if doubtful <= UNSURE * len(remaining) else None


def _ends_cells(
    lines: Sequence[Line], first: int, columns: Sequence[ColumnExtent], is_last: bool
) -> bool:
    """Whether the last line, without room on the ones above, goes on with the cells of the row from
    line ``first`` on: it has fewer parts than the row, of cells with several words, or a small
    letter in a row with text. A first column alone may head the rows below it."""
    line, row = lines[-1], lines[first:-1]
    words = Counter(column_span(p, columns) for part in row for p in part for _ in p.text.split())
    several = all(words[column_span(part, columns)] > 1 for part in line)
    fewer = 1 < len(line) < len(words) or (is_last and len(line) == 1)
    small = any(_begins_small(line, lines[:-1], columns)) and all(
        _WORD.search(p.text) for p in line
    )
    return (fewer and several) or (small and max(words.values()) >= LEAST_TEXT)


def _is_wordy(part: GridPart) -> bool:
    return len(_WORD.findall(part.text)) > 1


def _mid_sentence_parts(
    line: Line, above: Sequence[Line], columns: Sequence[ColumnExtent]
) -> list[bool]:
    """For each part of a line, whether it begins within a sentence, in a column whose cells rarely
    begin with a small letter."""
    mid_sentence = []
    for part, small in zip(line, _begins_small(line, above, columns), strict=True):
        last = next(reversed(_cells_above(part, above, columns)), None)
        within = last is not None and _is_wordy(last) and last.text[-1:] not in ".;:"
        mid_sentence.append((small and within) or (last is not None and ends_open(last)))
    return mid_sentence


def _begins_small(line: Line, above: Sequence[Line], columns: Sequence[ColumnExtent]) -> list[bool]:
    """For each part of a line, whether it begins with a small letter or a bracket, below a first
    cell that does not."""
    firsts = [next(iter(_cells_above(part, above, columns)), None) for part in line]
    return [
        first is not None
        and not first.text[:1].islower()
        and (part.text[:1].islower() or part.text[:1] in "([")
        for part, first in zip(line, firsts, strict=True)
    ]


def _cells_above(
    part: GridPart, above: Sequence[Line], columns: Sequence[ColumnExtent]
) -> list[GridPart]:
    column = column_span(part, columns)
    return [p for row in above for p in row if column_span(p, columns) == column]


FULL_WIDTH = 0.8  # least width of a rule between bands of rows, as a share of the table's
BELOW = 1.5  # greatest distance from a head to the rule that shows its span, in cell heights


def unruled_grid(lines: Sequence[Line], strokes: Strokes) -> Grid | None:
    """The grid of a table by white space; None where columns or rows are uncertain."""
    lines = split_at_gutters(lines)
    flat = [part for line in lines for part in line]
    left, right = min(p.x0 for p in flat), max(p.x1 for p in flat)
    full_width, partial = _rules(strokes, left, right)
    bands = _bands(lines, full_width)
    heads = len(bands[0]) if len(bands) > 1 and len(bands[0]) < 0.5 * len(lines) else 0
    columns = columns_of(lines, heads)
    if columns is None:
        return None
    cells: list[Cell] = []
    rows = header = 0
    for i, band in enumerate(bands):
        head = heads > 0 and i == 0
        cuts = _bands(band, partial) if head else [band]
        for part in cuts:
            band_cells = _band_cells(part, columns, rows, partial if head else (), head)
            if band_cells is None:
                return None
            cells += band_cells
            rows = max((c.row + c.rows for c in band_cells), default=rows)
        header = rows if head else header
    if not _are_disjoint(cells):
        return None
    return Grid(rows, len(columns), header, tuple(sorted(cells)))


def _rules(strokes: Strokes, left: float, right: float) -> tuple[list[float], tuple[BBox, ...]]:
    """The y of each rule across the table, and the shorter rules."""
    full_width: list[BBox] = []
    partial: list[BBox] = []
    for rule in strokes.horizontal:
        is_full = overlap(rule[0], rule[2], left, right) >= FULL_WIDTH * (right - left)
        (full_width if is_full else partial).append(rule)
    return cluster_means([(r[1] + r[3]) / 2 for r in full_width], 3.0), tuple(partial)


def _bands(lines: Sequence[Line], rules: Sequence[float] | Sequence[BBox]) -> list[list[Line]]:
    """The lines, divided at the rules between them."""
    heights = [r if isinstance(r, float) else (r[1] + r[3]) / 2 for r in rules]
    bands: list[list[Line]] = []
    before: int | None = None
    for line in lines:
        level = sum(part.mid_height for part in line) / len(line)
        above = sum(height < level for height in heights)
        if bands and above == before:
            bands[-1].append(line)
        else:
            bands.append([line])
        before = above
    return bands


def _band_cells(
    band: Sequence[Line],
    columns: Sequence[ColumnExtent],
    top: int,
    partial: Sequence[BBox],
    head: bool,
) -> list[Cell] | None:
    """The cells between two rules, in rows from ``top`` on; ``partial`` are the rules below
    heads that span columns."""
    rows = _one_row(band, columns, partial) if head else None
    rows = rows or find_rows(band, columns)
    if rows is None:
        return None
    row_numbers: list[int] = []
    for start in rows.starts:
        row_numbers.append((row_numbers[-1] if row_numbers else top - 1) + start)
    spanning_ids = {id(part) for part, _, _ in rows.spanning}
    parts_by_place: dict[tuple[int, int, int], list[GridPart]] = {}
    for row, line in zip(row_numbers, band, strict=True):
        for part in line:
            if id(part) not in spanning_ids:
                first, last = _spanned_columns(part, columns, partial)
                parts_by_place.setdefault((max(row, top), first, last), []).append(part)
    cells = [
        Cell(r, c, 1, last - c, in_reading_order(ps)) for (r, c, last), ps in parts_by_place.items()
    ]
    for part, before, after in rows.spanning:
        first, last = column_span(part, columns)
        begin, end = max(row_numbers[before], top), row_numbers[after]
        cells.append(Cell(begin, first, end - begin + 1, last - first, (part,)))
    return cells


def _one_row(
    band: Sequence[Line], columns: Sequence[ColumnExtent], partial: Sequence[BBox]
) -> Rows | None:
    """The lines of a head as one row, in which a head of several lines may be next to shorter ones.
    None if one head is above others, or if the first column or a number shows rows."""
    spans = [_spanned_columns(part, columns, partial) for line in band for part in line]
    stacked = all(a == b or a[1] <= b[0] or b[1] <= a[0] for a in spans for b in spans)
    firsts = sum(any(column_span(part, columns)[0] == 0 for part in line) for line in band)
    worded = all(_HEAD.search(part.text) for line in band for part in line)
    if not (stacked and worded and firsts <= 1):
        return None
    return Rows([i == 0 for i in range(len(band))], [])


def _spanned_columns(
    part: GridPart, columns: Sequence[ColumnExtent], partial: Sequence[BBox]
) -> tuple[int, int]:
    """The columns that a part spans: those above the short rule below it, if any."""
    for rule in sorted(partial, key=lambda r: r[1]):
        below = (rule[1] + rule[3]) / 2 - part.base
        if -1.0 < below < BELOW * part.size and rule[0] <= part.middle <= rule[2]:
            columns_under = [
                i
                for i, c in enumerate(columns)
                if rule[0] - 1.0 <= (c.left + c.right) / 2 <= rule[2] + 1.0
            ]
            if columns_under:
                return columns_under[0], columns_under[-1] + 1
    return column_span(part, columns)


def _are_disjoint(cells: Sequence[Cell]) -> bool:
    """Whether no two cells overlap."""
    places = [
        (r, c)
        for cell in cells
        for r in range(cell.row, cell.row + cell.rows)
        for c in range(cell.col, cell.col + cell.cols)
    ]
    return len(places) == len(set(places))
