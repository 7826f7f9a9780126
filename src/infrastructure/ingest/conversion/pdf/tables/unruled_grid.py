"""Grids of tables with horizontal rules at most: header, rows, row groups."""

from collections.abc import Sequence

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import overlap
from citeloom.infrastructure.ingest.conversion.pdf.tables.grid_columns import (
    ColumnExtent,
    column_span,
    columns_of,
    split_at_gutters,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.grid_rows import find_rows
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import (
    Cell,
    Grid,
    GridPart,
    Strokes,
    cluster_means,
    in_reading_order,
)

FULL_WIDTH = 0.8  # least width of a rule between bands of rows, as a share of the table's
BELOW = 1.5  # greatest distance from a head to the rule that shows its span, in cell heights

Line = Sequence[GridPart]


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
            band_cells = _band_cells(part, columns, rows, partial if head else ())
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
) -> list[Cell] | None:
    """The cells between two rules, in rows from ``top`` on; ``partial`` are the rules below
    heads that span columns."""
    rows = find_rows(band, columns)
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
