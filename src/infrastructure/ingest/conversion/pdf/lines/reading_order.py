"""Reading order of a page: columns, full-width bands, margin notes.

A gutter is a vertical corridor with text on both sides, found by left or right edges that many
runs share. Runs across it divide the page into bands; within a band the columns are read one
after the other.

Most programs write a page as it is read: column after column, line after line. The content's order
is taken where the geometric one would tear it apart.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

LEVEL = 0.35  # of the smaller height: baselines of one row
WIDER = 3.0  # heights by which a line across columns reaches beyond the column's lines
FEWEST_BREAKS = 6
FEWEST_SPLICED = 2  # the same where a row holds lines of two columns
PROSE = 4  # least number of words in a line of prose
LINKED = 2  # the same of its last line
PITCH = 2.2  # greatest distance from baseline to baseline in a column, in heights
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
    parts = [part for column in columns for part in _content_bands(column, columns)]
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
    if breaks >= FEWEST_SPLICED and breaks > TORN * jumps and _is_spliced(order, runs):
        return True
    return breaks >= FEWEST_BREAKS and breaks > TORN * (jumps + 1)


def _is_spliced(order: Sequence[Sequence[WordRun]], runs: Sequence[WordRun]) -> bool:
    """Whether a row of ``order`` holds lines of two columns side by side: in the content each
    follows the line above it, or goes on with the line below, and not with the other."""
    in_content = sorted(runs, key=lambda r: r.order)
    neighbours = {
        id(run): (before, after)
        for before, run, after in zip(
            (None, *in_content), in_content, (*in_content[1:], None), strict=False
        )
    }

    def is_linked(run: WordRun) -> bool:
        before, after = neighbours[id(run)]
        return (before is not None and _is_below(before, run)) or (
            after is not None and _is_below(run, after)
        )

    return any(
        neighbours[id(left)][1] is not right
        and max(len(left.words), len(right.words)) >= PROSE
        and is_linked(left)
        and is_linked(right)
        for column in order
        for row in _by_row(column)
        for left, right in pairwise(sorted(row, key=lambda r: r.x0))
    )


def _is_below(run: WordRun, lower: WordRun) -> bool:
    """Whether the second of two runs is the next line of the first one's column, of prose."""
    narrow = min(run.x1 - run.x0, lower.x1 - lower.x0)
    return (
        max(len(run.words), len(lower.words)) >= PROSE
        and min(len(run.words), len(lower.words)) >= LINKED
        and 0.5 * run.size < lower.bottom - run.bottom < PITCH * run.size
        and abs(run.size - lower.size) < 0.15 * run.size
        and overlap(run.x0, run.x1, lower.x0, lower.x1) > 0.5 * narrow
    )


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


def _content_bands(
    column: Sequence[_ContentRow], columns: Sequence[Sequence[_ContentRow]]
) -> list[list[_ContentRow]]:
    """A column's rows, split where they begin or end to reach across other columns."""
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


DEEPEST = 3  # levels of splitting
SHARED_EDGE = 4  # least number of runs at one edge that suggest a column
SIDE_BY_SIDE = 5  # least number of rows with text on both sides
MARGIN_SHARE = 0.36  # greatest width of a margin, as a share of the page's text


class ColumnRuns(NamedTuple):
    """Runs of one column of one band. ``aside`` is set on margin notes."""

    runs: tuple[WordRun, ...]
    x0: float
    x1: float
    aside: bool = False


class _Gutter(NamedTuple):
    x: float
    rows: int
    left: float  # left edge of the left column
    right: float  # right edge of the right column
    inner: float  # right edge of the left column


def reading_order(
    runs: Sequence[WordRun], body: float, rules: Sequence[BBox] = ()
) -> list[ColumnRuns]:
    """The page's runs by column and band, in reading order; margin notes last.

    ``rules`` are thin lines on the page. A rule across a corridor, with text close above and
    below on both sides, shows that the corridor belongs to a table.
    """
    groups = _Splitter(body, rules).split(list(runs), 0)
    main, aside = [g for g in groups if not g.aside], [g for g in groups if g.aside]
    texts = [run for group in main for run in group.runs]
    if is_torn([group.runs for group in main], texts):
        main = [_group(column) for column in content_columns(texts)]
    return main + aside


class _Splitter:
    def __init__(self, body: float, rules: Sequence[BBox]) -> None:
        self._body, self._rules = body, rules

    def split(self, runs: list[WordRun], depth: int) -> list[ColumnRuns]:
        if not runs:
            return []
        gutter = find_gutter(runs, self._body, self._rules) if depth < DEEPEST else None
        if gutter is None:
            return [_group(runs)]
        left, right, across = _sides(runs, gutter)
        margin = _margin_side(left, right, gutter)
        if margin is not None:
            notes, main = (left, right) if margin == "left" else (right, left)
            aside = [g._replace(aside=True) for g in self.split(notes, DEEPEST)]
            return self.split(main + across, depth + 1) + aside
        columns: list[ColumnRuns] = []
        for band_left, band_right, band_across in _bands(left, right, across):
            for side in (band_left, band_right):
                columns.extend(self.split(side, depth + 1))
            if band_across:
                columns.append(_group(band_across))
        return columns


def _group(runs: Sequence[WordRun]) -> ColumnRuns:
    return ColumnRuns(tuple(runs), min(r.x0 for r in runs), max(r.x1 for r in runs))


def find_gutter(runs: Sequence[WordRun], body: float, rules: Sequence[BBox] = ()) -> _Gutter | None:
    """The best corridor between two columns, if there is one."""
    text = [r for r in runs if r.size > 0.5 * body]
    if len(text) < 2 * SIDE_BY_SIDE:
        return None
    best: tuple[tuple[float, float], _Gutter] | None = None
    for x in _gutter_candidates(text):
        crossing = [r for r in rules if r[0] < x - 20 and r[2] > x + 20]
        rated = _rated_gutter(text, x, body, crossing)
        if rated is not None and (best is None or rated[0] > best[0]):
            best = rated
    return best[1] if best else None


def _gutter_candidates(runs: Sequence[WordRun]) -> list[float]:
    edges = sorted(r.x0 for r in runs)
    candidates = [edge - 1.0 for edge in _shared_edges(edges)]
    candidates += [edge + 1.0 for edge in _shared_edges(sorted(r.x1 for r in runs))]
    low, high = edges[0], max(r.x1 for r in runs)
    return [x for x in candidates if low + 30 < x < high - 30]


def _shared_edges(edges: Sequence[float]) -> list[float]:
    """The smallest value of each cluster of at least SHARED_EDGE edges."""
    shared: list[float] = []
    i = 0
    while i < len(edges):
        j = i
        while j + 1 < len(edges) and edges[j + 1] - edges[i] <= 1.5:
            j += 1
        if j - i + 1 >= SHARED_EDGE:
            shared.append(edges[i])
        i = j + 1
    return shared


def _rated_gutter(
    runs: Sequence[WordRun], x: float, body: float, rules: Sequence[BBox]
) -> tuple[tuple[float, float], _Gutter] | None:
    pitch = 1.3 * body
    left: dict[int, list[WordRun]] = {}
    right: dict[int, list[WordRun]] = {}
    crossing: set[int] = set()
    for run in runs:
        row = int((run.top + run.bottom) / 2 / pitch)
        side = _side(run, x)
        if side == "across":
            crossing.add(row)
        else:
            (left if side == "left" else right).setdefault(row, []).append(run)
    both = (left.keys() & right.keys()) - crossing
    near = {row for row in left if {row - 1, row + 1} & right.keys()} - crossing
    both |= near
    if len(both) < SIDE_BY_SIDE:
        return None
    between = {int(rule[1] / pitch) for rule in rules}
    if any(both & {row - 1, row} and both & {row + 1, row + 2} for row in between):
        return None
    lefts = [r for row in both for r in left.get(row, ())]
    rights = [r for row in both for r in right.get(row, ())]
    if not lefts or not rights:
        return None
    l0, l1 = min(r.x0 for r in lefts), _quantile([r.x1 for r in lefts], 0.95)
    r0, r1 = _quantile([r.x0 for r in rights], 0.05), max(r.x1 for r in rights)
    if r0 - l1 < 0.5 * body:
        return None
    narrow, narrow_width = (lefts, l1 - l0) if l1 - l0 <= r1 - r0 else (rights, r1 - r0)
    wide, wide_width = (rights, r1 - r0) if narrow is lefts else (lefts, l1 - l0)
    crossed = len(crossing) / len(left.keys() | right.keys() | crossing)
    filled = _filled_share(wide, wide_width, pitch), _filled_share(narrow, narrow_width, pitch)
    share = narrow_width / (r1 - l0)
    uneven = _aligned_share(narrow, wide) < 0.4
    prose = min(filled) >= 0.4 and share >= 0.2 and (crossed <= 0.5 or len(both) >= 12)
    ragged = uneven and filled[0] >= 0.4 and share >= 0.3 and crossed <= 0.5
    main = [r for row in (right if narrow is lefts else left).values() for r in row]
    running = max(filled[0], _filled_share(main, wide_width, pitch))
    apart = uneven or _is_written_apart(narrow, main)
    margin = apart and running >= 0.5 and narrow_width >= 4 * body and crossed <= 0.3
    if not (prose or ragged or margin):
        return None
    return (float(len(both)), r0 - l1), _Gutter(x, len(both), l0, r1, l1)


def _quantile(values: Sequence[float], share: float) -> float:
    ranked = sorted(values)
    return ranked[int(share * (len(ranked) - 1))]


def _side(run: WordRun, x: float) -> str:
    before, after = x - run.x0, run.x1 - x
    if after <= 3.0:
        return "left"
    if before <= 3.0:
        return "right"
    if after <= 14.0 and before > 6 * after:
        return "left"
    if before <= 14.0 and after > 6 * before:
        return "right"
    return "across"


def _aligned_share(few: Sequence[WordRun], many: Sequence[WordRun]) -> float:
    """Share of the runs in ``few`` on the baseline of a run in ``many``."""
    bases = {round(r.bottom) for r in many} | {round(r.bottom + 0.5) for r in many}
    return sum(round(r.bottom) in bases for r in few) / len(few)


def _is_written_apart(notes: Sequence[WordRun], main: Sequence[WordRun]) -> bool:
    """Whether the content has the lines of a column in sequence, not the cells of rows, and more of
    them than of the notes beside it."""
    inside = {id(run) for run in notes}
    ordered = sorted([*notes, *main], key=lambda r: r.order)
    changes = sum((id(a) in inside) != (id(b) in inside) for a, b in pairwise(ordered))
    return 1.3 * len(notes) < len(main) and 2 * changes < len(notes) and ordered[0].order >= 0


def _filled_share(runs: Sequence[WordRun], width: float, pitch: float) -> float:
    """Share of the rows with text over most of the column's width, as in prose."""
    inked: dict[int, float] = {}
    for run in runs:
        row = int((run.top + run.bottom) / 2 / pitch)
        inked[row] = inked.get(row, 0.0) + run.x1 - run.x0
    return sum(ink >= 0.6 * width for ink in inked.values()) / len(inked)


def _margin_side(left: Sequence[WordRun], right: Sequence[WordRun], gutter: _Gutter) -> str | None:
    """The side that is a margin: much narrower than the other, with far less text."""
    total = gutter.right - gutter.left
    if gutter.inner - gutter.left < MARGIN_SHARE * total and _ink(left) < 0.5 * _ink(right):
        return "left"
    if gutter.right - gutter.x < MARGIN_SHARE * total and _ink(right) < 0.5 * _ink(left):
        return "right"
    return None


def _ink(runs: Iterable[WordRun]) -> float:
    return sum(r.x1 - r.x0 for r in runs)


def _sides(
    runs: Sequence[WordRun], gutter: _Gutter
) -> tuple[list[WordRun], list[WordRun], list[WordRun]]:
    sides: dict[str, list[WordRun]] = {"left": [], "right": [], "across": []}
    for run in runs:
        sides[_side(run, gutter.x)].append(run)
    across = sides["across"]
    for name in ("left", "right"):
        beside = [r for r in sides[name] if any(_same_row(r, c) for c in across)]
        if beside:
            sides[name] = [r for r in sides[name] if r not in beside]
            across.extend(beside)
    for name, opposite in (("left", "right"), ("right", "left")):
        last = [r for r in sides[name] if _ends_across_block(r, across, sides[opposite])]
        sides[name] = [r for r in sides[name] if r not in last]
        across.extend(last)
    return sides["left"], sides["right"], across


def _ends_across_block(
    run: WordRun, across: Sequence[WordRun], opposite: Sequence[WordRun]
) -> bool:
    """Whether a run is the short last line of a block across both columns."""
    return any(
        abs(run.x0 - above.x0) <= 1.0
        and abs(run.size - above.size) <= 0.05 * run.size
        and 0 < run.bottom - above.bottom < 1.6 * run.size
        for above in across
    ) and not any(_same_row(run, other) for other in opposite)


def _same_row(run: WordRun, other: WordRun) -> bool:
    return overlap(run.top, run.bottom, other.top, other.bottom) > 0.5 * min(run.size, other.size)


def _bands(
    left: Sequence[WordRun], right: Sequence[WordRun], across: Sequence[WordRun]
) -> list[tuple[list[WordRun], list[WordRun], list[WordRun]]]:
    """Left, right and crossing runs of each band, from the top down."""
    bands: list[tuple[list[WordRun], list[WordRun], list[WordRun]]] = []
    rest = sorted([*left, *right], key=lambda r: (r.top + r.bottom) / 2)
    lefts = {id(r) for r in left}
    at = 0
    block: list[WordRun] = []
    for run in sorted(across, key=lambda r: (r.top + r.bottom) / 2):
        middle = (run.top + run.bottom) / 2
        above: list[WordRun] = []
        while at < len(rest) and (rest[at].top + rest[at].bottom) / 2 < middle:
            above.append(rest[at])
            at += 1
        if above:
            if bands or block:
                bands.append(([], [], block))
            bands.append(
                ([r for r in above if id(r) in lefts], [r for r in above if id(r) not in lefts], [])
            )
            block = []
        block.append(run)
    bands.append(([], [], block))
    tail = rest[at:]
    bands.append(([r for r in tail if id(r) in lefts], [r for r in tail if id(r) not in lefts], []))
    return bands
