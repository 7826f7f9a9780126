"""Lines of tables: inside ruled regions, or with aligned cells."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import CAPTION
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    BULLET,
    ENUMERATED,
    EQUATION_NUMBER,
    REFERENCE_LABEL,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import centre_inside, overlap

LEAST_ROWS = 3
LIST_LABELS = (ENUMERATED, BULLET, REFERENCE_LABEL)
CELL_JOINT, ROW_BEGIN, ROW_END = " | ", "| ", " |"
PROSE = 5  # least number of words in each piece of a row of text columns
ALIGNED = 0.7  # share of a table's gaps that overlap with one of another row
CROSSED = 0.4  # share of gaps with text above or below them in stretched lines
CLOSE = 1.4  # greatest distance of such a line, in line pitches


def table_spans(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    skip: frozenset[int],
    regions: Sequence[tuple[int, BBox]] = (),
) -> list[tuple[int, int]]:
    """First and last line (included) of each table: inside ``regions`` (page and box), else by
    aligned cells. ``skip`` are lines of other blocks."""
    spans = _ruled_spans(flow, regions)
    taken = skip | {i for first, last in spans for i in range(first, last + 1)}
    i = 0
    while i < len(flow):
        if i in taken or not _is_row(flow[i].line):
            i += 1
            continue
        last = _last_row(i, flow, style, taken)
        rows = [flow[k].line for k in range(i, last + 1) if _is_row(flow[k].line)]
        if (
            len(rows) >= LEAST_ROWS
            and _stand_in_columns(rows)
            and _gaps_align(rows)
            and not _crosses_gaps(i, last, flow, style)
            and _is_tabular(rows)
        ):
            spans.append((i, last))
        i = last + 1
    return sorted(spans)


def _ruled_spans(
    flow: Sequence[PlacedLine], regions: Sequence[tuple[int, BBox]]
) -> list[tuple[int, int]]:
    """Runs of lines inside a ruled region."""
    by_page: dict[int, list[BBox]] = {}
    for page, box in regions:
        by_page.setdefault(page, []).append(box)
    spans: list[tuple[int, int]] = []
    before: BBox | None = None
    for i, placed in enumerate(flow):
        boxes = by_page.get(placed.line.page, ())
        region = next((box for box in boxes if centre_inside(placed.line.box, box, 1.0)), None)
        if region is not None and region == before and spans[-1][1] == i - 1:
            spans[-1] = (spans[-1][0], i)
        elif region is not None:
            spans.append((i, i))
        before = region
    cut = [part for span in spans for part in _cut_at_captions(*span, flow)]
    trimmed = [_without_caption(first, last, flow) for first, last in cut]
    return [span for span in trimmed if span[1] > span[0]]


def _cut_at_captions(first: int, last: int, flow: Sequence[PlacedLine]) -> list[tuple[int, int]]:
    """The rows, split at the caption of a second table."""
    starts = [
        i
        for i in range(first + 1, last + 1)
        if len(flow[i].line.pieces) == 1 and CAPTION.match(flow[i].line.text)
    ]
    ends = [i - 1 for i in starts] + [last]
    return list(zip([first, *starts], ends, strict=True))


def _without_caption(first: int, last: int, flow: Sequence[PlacedLine]) -> tuple[int, int]:
    """The rows without a caption at their top, which ends at the first line with cells."""
    if CAPTION.match(flow[first].line.text) is None:
        return first, last
    begin = next((i for i in range(first, last + 1) if len(flow[i].line.pieces) > 1), first)
    return begin, last


def _is_row(line: TextLine) -> bool:
    return len(line.pieces) >= 2 and CAPTION.match(line.text) is None


def _last_row(
    first: int, flow: Sequence[PlacedLine], style: BodyStyle, skip: frozenset[int]
) -> int:
    last = first
    at = first + 1
    while at < len(flow) and flow[at].column == flow[first].column and at not in skip:
        placed = flow[at]
        if placed.above == FAR or placed.above > 2.6 * style.pitch:
            break
        if CAPTION.match(placed.line.text) or BULLET.match(placed.line.text):
            break
        inner = _continues_cell(placed, flow[first:at])
        if _is_row(placed.line) or (inner and placed.above <= 1.3 * style.pitch):
            last = at
        elif not inner and (
            at - last > 2 or placed.line.width > 0.6 * (placed.right - placed.left)
        ):
            break
        at += 1
    return last


def _continues_cell(placed: PlacedLine, above: Sequence[PlacedLine]) -> bool:
    """Whether a line continues a cell, other than the first, of a row above."""
    return any(
        abs(piece.x0 - placed.line.x0) < 2.0 for row in above for piece in row.line.pieces[1:]
    )


def _stand_in_columns(rows: Sequence[TextLine]) -> bool:
    """Whether most pieces share a left, right or middle edge with a piece of another row."""
    shared = total = 0
    for i, row in enumerate(rows):
        others = [
            piece
            for k, other in enumerate(rows)
            if abs(k - i) <= 3 and k != i
            for piece in other.pieces
        ]
        for piece in row.pieces:
            total += 1
            middle = piece.x0 + piece.x1
            shared += any(
                abs(o.x0 - piece.x0) < 2.5
                or abs(o.x1 - piece.x1) < 2.5
                or abs(o.x0 + o.x1 - middle) < 5.0
                for o in others
            )
    return shared >= 0.6 * total


def _gaps_align(rows: Sequence[TextLine]) -> bool:
    """Whether most gaps between pieces overlap with a gap of another row near by.

    Gaps, not edges: the margins of a column of text are edges that all of its lines share."""
    aligned = total = 0
    for i, row in enumerate(rows):
        others = [
            gap
            for k, other in enumerate(rows)
            if abs(k - i) <= 3 and k != i
            for gap in _gaps(other)
        ]
        for left, right in _gaps(row):
            total += 1
            aligned += any(
                overlap(left, right, *other) > 0.5 * min(right - left, other[1] - other[0])
                for other in others
            )
    return aligned > ALIGNED * total


def _gaps(line: TextLine) -> list[tuple[float, float]]:
    """The x extents of the white space between the pieces of a line."""
    return [(before.x1, after.x0) for before, after in pairwise(line.pieces)]


def _crosses_gaps(first: int, last: int, flow: Sequence[PlacedLine], style: BodyStyle) -> bool:
    """Whether text right above or below covers the gaps of most rows: then they are wide
    spaces of stretched lines."""
    covered = total = 0
    for i in range(first, last + 1):
        around = []
        if i and flow[i].above <= CLOSE * style.pitch:
            around.append(flow[i - 1])
        if i + 1 < len(flow) and flow[i].below <= CLOSE * style.pitch:
            around.append(flow[i + 1])
        for left, right in _gaps(flow[i].line):
            total += len(around)
            covered += sum(
                any(p.x0 < left - 1.0 and right + 1.0 < p.x1 for p in placed.line.pieces)
                for placed in around
            )
    return total > 0 and covered >= CROSSED * total


def _is_tabular(rows: Sequence[TextLine]) -> bool:
    """Whether rows are a table, not a list, numbered equations or columns of text."""
    equations = [r for r in rows if EQUATION_NUMBER.match(r.pieces[-1].text)]
    if len(equations) >= 0.4 * len(rows):
        return False
    prose = [r for r in rows if _are_columns_of_text(r)]
    if len(prose) >= 0.6 * len(rows):
        return False
    two = [row for row in rows if len(row.pieces) == 2]
    if len(two) < 0.7 * len(rows):
        return True
    marks = [r for r in two if len(r.pieces[0].text) <= 4 and not r.pieces[0].text.isalpha()]
    lists = [r for r in two if any(label.match(r.text) for label in LIST_LABELS)]
    same = Counter(r.pieces[0].text for r in two if len(r.pieces[0].text) == 1)
    return max(len(lists), len(marks), *same.values()) < 0.6 * len(rows)


def _are_columns_of_text(line: TextLine) -> bool:
    widths = sorted(p.x1 - p.x0 for p in line.pieces)
    words = all(len(p.text.split()) >= PROSE for p in line.pieces)
    return words and widths[0] >= 0.6 * widths[-1]


def row_of(cells: Sequence[str]) -> str:
    """A row of known cells as a line of Markdown."""
    return f"{ROW_BEGIN}{CELL_JOINT.join(cells)}{ROW_END}"


def row_text(line: TextLine) -> str:
    """The text of a line of a table without a grid."""
    return CELL_JOINT.join(piece.text for piece in line.pieces if piece.text)
