"""Grids of tables that have level rules at most: heads, rows, groups of rows."""

from collections.abc import Sequence

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.tables.grid_columns import (
    ColumnExtent,
    columns_of,
    covered,
    parted,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.grid_rows import rows_of
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import (
    Cell,
    Grid,
    GridPart,
    Strokes,
    clustered,
    in_order,
)

WHOLE = 0.8  # share of the table's width from which a rule parts bands of rows
BELOW = 1.5  # cell heights from a head down to the rule that says what it spans

Line = Sequence[GridPart]


def spaced_grid(lines: Sequence[Line], strokes: Strokes) -> Grid | None:
    """The grid of a table by its white space; None where columns or rows are uncertain."""
    lines = parted(lines)
    flat = [part for line in lines for part in line]
    left, right = min(p.x0 for p in flat), max(p.x1 for p in flat)
    whole, partial = _rules(strokes, left, right)
    bands = _bands(lines, whole)
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
            found = _band_cells(part, columns, rows, partial if head else ())
            if found is None:
                return None
            cells += found
            rows = max((c.row + c.rows for c in found), default=rows)
        header = rows if head else header
    if not _are_apart(cells):
        return None
    return Grid(rows, len(columns), header, tuple(sorted(cells)))


def _rules(strokes: Strokes, left: float, right: float) -> tuple[list[float], tuple[BBox, ...]]:
    """Heights of the rules across the table, and the shorter rules."""
    whole: list[BBox] = []
    partial: list[BBox] = []
    for rule in strokes.level:
        wide = overlap(rule[0], rule[2], left, right) >= WHOLE * (right - left)
        (whole if wide else partial).append(rule)
    return clustered([(r[1] + r[3]) / 2 for r in whole], 3.0), tuple(partial)


def _bands(lines: Sequence[Line], rules: Sequence[float] | Sequence[BBox]) -> list[list[Line]]:
    """The lines parted where a rule stands between them."""
    heights = [r if isinstance(r, float) else (r[1] + r[3]) / 2 for r in rules]
    bands: list[list[Line]] = []
    before: int | None = None
    for line in lines:
        level = sum(part.level for part in line) / len(line)
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
) -> list[Cell] | None:
    """The cells between two rules, rows from ``top`` on; ``partial`` are rules below heads
    that span columns."""
    rows = rows_of(band, columns)
    if rows is None:
        return None
    number: list[int] = []
    for start in rows.starts:
        number.append((number[-1] if number else top - 1) + start)
    gone = {id(part) for part, _, _ in rows.tall}
    held: dict[tuple[int, int, int], list[GridPart]] = {}
    for row, line in zip(number, band, strict=True):
        for part in line:
            if id(part) not in gone:
                first, last = _columns(part, columns, partial)
                held.setdefault((max(row, top), first, last), []).append(part)
    cells = [Cell(r, c, 1, last - c, in_order(ps)) for (r, c, last), ps in held.items()]
    for part, before, after in rows.tall:
        first, last = covered(part, columns)
        begin, end = max(number[before], top), number[after]
        cells.append(Cell(begin, first, end - begin + 1, last - first, (part,)))
    return cells


def _columns(
    part: GridPart, columns: Sequence[ColumnExtent], partial: Sequence[BBox]
) -> tuple[int, int]:
    """The columns that a piece spans: those of the short rule right below it, if any."""
    for rule in sorted(partial, key=lambda r: r[1]):
        below = (rule[1] + rule[3]) / 2 - part.base
        if -1.0 < below < BELOW * part.size and rule[0] <= part.middle <= rule[2]:
            under = [
                i
                for i, c in enumerate(columns)
                if rule[0] - 1.0 <= (c.left + c.right) / 2 <= rule[2] + 1.0
            ]
            if under:
                return under[0], under[-1] + 1
    return covered(part, columns)


def _are_apart(cells: Sequence[Cell]) -> bool:
    """Whether no two cells share a place."""
    places = [
        (r, c)
        for cell in cells
        for r in range(cell.row, cell.row + cell.rows)
        for c in range(cell.col, cell.col + cell.cols)
    ]
    return len(places) == len(set(places))
