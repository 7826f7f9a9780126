"""Lines of tables: inside ruled regions, or with aligned cells."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from operator import attrgetter, itemgetter
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine, running_text
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    BULLET,
    CAPTION,
    ENUMERATED,
    EQUATION_NUMBER,
    REFERENCE_LABEL,
    Caption,
    captions_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    centre_inside,
    overlap,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

from .grids import Strokes

LEAST_BESIDE = 4  # least number of text lines beside a side table
LEAST_ACROSS = 2  # the same of lines above or below it
CAPTION_NEAR = 25.0  # greatest distance between a table and its caption, in points
PARAGRAPH_GAP = 0.9  # least white space between paragraphs, in cell heights


class SideTable(NamedTuple):
    """A table with its caption, and their common box. ``around``: the text beside it flows around
    it, or it is a figure; otherwise that is text of another column."""

    runs: tuple[WordRun, ...]
    box: BBox
    around: bool

    def home(self, groups: Sequence[Sequence[WordRun]]) -> int | None:
        """The index of the first of ``groups`` with text beside the table, if that flows around it,
        or below it in its column; else of the last one with text above it there."""
        if self.around:
            return next((i for i, runs in enumerate(groups) if self._begins_beside(runs)), None)
        columns = [[run for run in runs if self._is_in_column(run)] for runs in groups]
        below = (i for i, c in enumerate(columns) if any(r.bottom > self.box[1] for r in c))
        return next(below, max((i for i, c in enumerate(columns) if c), default=None))

    def split(self, runs: Sequence[WordRun]) -> tuple[list[WordRun], list[WordRun]]:
        """The runs before the table, and those after it."""
        if self.around:
            return split_below(runs, self.box[3])
        left, _, right, _ = union([self.box, *(r.box for r in runs if self._is_in_column(r))])
        of_column = (r for r in runs if left - SAME_EDGE < r.x0 and r.x1 < right + SAME_EDGE)
        cut = min((r.top for r in of_column if r.top >= self.box[1]), default=inf)
        return [r for r in runs if r.top < cut], [r for r in runs if r.top >= cut]

    def _begins_beside(self, runs: Sequence[WordRun]) -> bool:
        return any(run.top < self.box[3] and run.bottom > self.box[1] for run in runs)

    def _is_in_column(self, run: WordRun) -> bool:
        left, right = self.box[0], self.box[2]
        return overlap(run.x0, run.x1, left, right) > 0.5 * min(run.x1 - run.x0, right - left)


def lift_side_tables(
    runs: Sequence[WordRun], regions: Sequence[BBox]
) -> tuple[list[WordRun], list[SideTable]]:
    """The runs without side tables, and the side tables."""
    captions = captions_of(runs)
    text = [r for r in runs if not any(r is line for c in captions for line in c.lines)]
    rest = list(runs)
    side_tables: list[SideTable] = []
    for region in regions:
        beside = _text_beside(region, rest)
        if len(beside) < LEAST_BESIDE:
            continue
        tabular = any(centre_inside(r.box, other, 1.0) for r in beside for other in regions)
        belonging = [c for c in captions if _belongs(c, region)]
        caption = max(belonging, key=attrgetter("table"), default=None)
        lines = caption.lines if caption else ()
        table_runs = [
            r for r in rest if centre_inside(r.box, region, 1.0) or any(r is n for n in lines)
        ]
        table_ids = {id(r) for r in table_runs}
        rest = [r for r in rest if id(r) not in table_ids]
        if table_runs:
            box = union([r.box for r in table_runs])
            drawn = (c for c in captions if c is caption or centre_inside(c.lines[0].box, region))
            around = tabular or not all(c.table for c in drawn) or _reaches(beside, region, text)
            side_tables.append(SideTable(tuple(table_runs), box, around))
    return rest, side_tables


def _text_beside(region: BBox, runs: Sequence[WordRun]) -> list[WordRun]:
    """Lines of text beside a region, about as wide or wider, at one left edge."""
    lines = [
        r
        for r in runs
        if region[1] < (r.top + r.bottom) / 2 < region[3]
        and overlap(r.x0, r.x1, region[0], region[2]) <= 0
        and len(r.words) >= 4
        and r.x1 - r.x0 > 0.5 * (region[2] - region[0])
    ]
    return [r for r in lines if sum(abs(r.x0 - other.x0) < 2.0 for other in lines) > 2]


def _reaches(beside: Sequence[WordRun], region: BBox, text: Sequence[WordRun]) -> bool:
    """Whether the column of the text beside a region has lines that reach above or below it: the
    text is not that of another column."""
    left, right = min(r.x0 for r in beside), max(r.x1 for r in beside)
    half = 0.5 * (region[2] - region[0])
    return (
        sum(
            (abs(r.x0 - left) < SAME_EDGE or abs(r.x1 - right) < SAME_EDGE)
            and overlap(r.x0, r.x1, region[0], region[2]) > half
            for r in text
        )
        >= LEAST_ACROSS
    )


def _belongs(caption: Caption, region: BBox) -> bool:
    left, top, right, bottom = caption.box
    within = region[0] - 8.0 <= left and right <= region[2] + 8.0
    centred = caption.table and abs(left + right - region[0] - region[2]) < 8.0
    return (within or centred) and -3.0 < max(top - region[3], region[1] - bottom) < CAPTION_NEAR


def split_below(runs: Sequence[WordRun], bottom: float) -> tuple[list[WordRun], list[WordRun]]:
    """Runs up to the first paragraph gap below ``bottom``, and the rest."""
    ordered = sorted(runs, key=lambda r: r.top)
    reach = 0.0
    for i, run in enumerate(ordered):
        if i and run.top > bottom and run.top - reach > PARAGRAPH_GAP * run.size:
            return ordered[:i], ordered[i:]
        reach = max(reach, run.bottom)
    return ordered, []


class TableRegion(NamedTuple):
    """The box of a ruled table, in points in the frame of its page's text."""

    page: int
    box: BBox
    strokes: Strokes


LEAST_WIDTH = 80.0  # points: shorter rules are fractions, footnote rules, underlines
SAME_EDGE = 4.0  # points
DOUBLE_RULE = 4.0  # points between the two
LEAST_CELLS = 12  # below the header of a table without a rule at its end
LONG_TEXT = 6  # lines: fewer may be in a cell
ALL_TEXT = 0.8  # share of runs; a table whose cells hold text has labels beside it
TALLEST = 0.75  # share of the page's height: rules farther apart frame the page


def table_regions(
    record: PageRecord, runs: Sequence[WordRun], figures: Sequence[BBox]
) -> list[BBox]:
    """Boxes of ruled tables on a page, from the top down; none overlaps another."""
    rules = [r for r in record.rules if r[2] - r[0] >= LEAST_WIDTH]
    grids = [
        box for box in record.drawings if box[2] - box[0] >= LEAST_WIDTH and box not in figures
    ]
    tables = [c for c in captions_of(runs) if c.table]
    ruled = [_extended_down(box, runs, tables) for box in _between_rules(rules, runs)]
    boxes = [*ruled, *_without_double_rules(grids)]
    height = record.frame[1]
    regions: list[BBox] = []
    for box in sorted(boxes, key=lambda b: (b[1] - b[3], b)):
        if box[3] - box[1] > TALLEST * height or not holds_cells(box, runs):
            continue
        if not any(_touch(box, other) for other in [*regions, *figures]):
            regions.append(box)
    return sorted(regions, key=lambda b: (b[1], b[0]))


def _between_rules(rules: Sequence[BBox], runs: Sequence[WordRun]) -> list[BBox]:
    """Boxes from the first to the last of rules with the same left and right edges.

    Rules with prose between them belong to two tables.
    """
    boxes: list[BBox] = []
    open_at: list[BBox] = []
    for rule in sorted(rules, key=lambda r: (r[1], r[0])):
        matching = next((box for box in open_at if _same_extent(box, rule)), None)
        if matching is None:
            open_at.append(rule)
            continue
        open_at.remove(matching)
        grown = union([matching, rule])
        between = (matching[0], matching[3], matching[2], rule[1])
        if _is_prose(between, runs):
            if matching[3] - matching[1] > 5:
                boxes.append(matching)
            open_at.append(rule)
        else:
            open_at.append(grown)
    return boxes + [box for box in open_at if box[3] - box[1] > 5]


def _without_double_rules(grids: Sequence[BBox]) -> list[BBox]:
    """The boxes of grids, those of one table that double rules part as one."""
    joined: list[BBox] = []
    for box in sorted(grids, key=itemgetter(1)):
        above = (one for one in joined if 0 <= box[1] - one[3] < DOUBLE_RULE)
        upper = next((one for one in above if _same_extent(one, box)), None)
        if upper is not None:
            joined.remove(upper)
            box = union([upper, box])
        joined.append(box)
    return joined


def _extended_down(box: BBox, runs: Sequence[WordRun], captions: Sequence[Caption]) -> BBox:
    """The box of a header, extended down the page where its table continues on the next one:
    a caption is right above it, and only narrow cells are below."""
    headed = any(
        -3.0 < box[1] - c.box[3] < 20.0 and overlap(c.box[0], c.box[2], box[0], box[2]) > 0
        for c in captions
    )
    below = [r for r in runs if r.top >= box[3] - 1.0]
    width = box[2] - box[0]
    cells = all(
        box[0] - SAME_EDGE <= r.x0 and r.x1 <= box[2] + SAME_EDGE and r.x1 - r.x0 < 0.35 * width
        for r in below
    )
    if not headed or not cells or len(below) < LEAST_CELLS:
        return box
    return union([box, *(r.box for r in below)])


def _same_extent(box: BBox, rule: BBox) -> bool:
    return abs(box[0] - rule[0]) < SAME_EDGE and abs(box[2] - rule[2]) < SAME_EDGE


def _inside(box: BBox, runs: Sequence[WordRun]) -> list[WordRun]:
    return [run for run in runs if centre_inside(run.box, box, 1.0)]


def _is_prose(box: BBox, runs: Sequence[WordRun]) -> bool:
    """Whether much of the box is lines of full width with nothing beside them, or all of it
    is running text, in whatever columns."""
    inside = _inside(box, runs)
    if inside and len(running_text(inside, LONG_TEXT)) >= ALL_TEXT * len(inside):
        return True
    wide = [
        r
        for r in inside
        if r.x1 - r.x0 > 0.7 * (box[2] - box[0]) and len(r.words) >= 6 and not _beside(r, inside)
    ]
    rows = {round(r.bottom / max(r.size, 1.0)) for r in inside}
    return len(wide) >= 2 and len(wide) >= 0.4 * len(rows)


def _beside(run: WordRun, others: Sequence[WordRun]) -> bool:
    return any(
        other is not run and overlap(run.top, run.bottom, other.top, other.bottom) > 0.5 * run.size
        for other in others
    )


def holds_cells(box: BBox, runs: Sequence[WordRun]) -> bool:
    """Whether much of a box is text beside other text, and it is not prose in columns."""
    inside = _inside(box, runs)
    if len(inside) < 4 or _is_prose(box, runs):
        return False
    return sum(_beside(run, inside) for run in inside) >= 0.4 * len(inside)


def split_at_rules(runs: Sequence[WordRun], drawn: Sequence[Strokes]) -> list[WordRun]:
    """The runs, split where a vertical rule of a table separates two words."""
    rules = [rule for strokes in drawn for rule in strokes.vertical]
    split: list[WordRun] = []
    for run in runs:
        middle = (run.top + run.bottom) / 2
        cuts = [
            (rule[0] + rule[2]) / 2
            for rule in rules
            if rule[1] < middle < rule[3] and run.x0 + 1.0 < rule[0] and rule[2] < run.x1 - 1.0
        ]
        if not cuts:
            split.append(run)
            continue
        groups: dict[int, list[Word]] = {}
        for word in run.words:
            centre = (word.x0 + word.x1) / 2
            groups.setdefault(sum(cut < centre for cut in cuts), []).append(word)
        if len(groups) < 2:
            split.append(run)
            continue
        for words in groups.values():
            box = union([word.box for word in words])
            split.append(run._replace(words=tuple(words), box=box))
    return split


def _touch(a: BBox, b: BBox) -> bool:
    return overlap(a[0], a[2], b[0], b[2]) > 0 and overlap(a[1], a[3], b[1], b[3]) > 0


def bundle_regions(
    runs: Sequence[WordRun], regions: Sequence[BBox]
) -> tuple[list[WordRun], dict[int, list[WordRun]]]:
    """The runs, with those of each region bundled into one; and the members of each bundle, by
    its ``id()``."""
    rest = list(runs)
    members: dict[int, list[WordRun]] = {}
    for box in regions:
        inside = _inside(box, rest)
        if not inside:
            continue
        marked = {id(run) for run in inside}
        rest = [run for run in rest if id(run) not in marked]
        around = union([box, *(run.box for run in inside)])
        first = min((run.words[0] for run in inside), key=attrgetter("order"))
        bundle = WordRun(words=(first,), box=around, top=around[1], bottom=around[3])
        members[id(bundle)] = inside
        rest.append(bundle)
    return rest, members


def unbundle(runs: Sequence[WordRun], members: dict[int, list[WordRun]]) -> list[WordRun]:
    return [inner for run in runs for inner in members.get(id(run), [run])]


LEAST_ROWS = 3
CAPTIONED_ROWS, CAPTIONED_COLUMNS = 2, 3  # the least of a table right above or below its caption
LIST_LABELS = (ENUMERATED, BULLET, REFERENCE_LABEL)
CELL_JOINT, ROW_BEGIN, ROW_END = " | ", "| ", " |"
PROSE = 5  # least number of words in each piece of a row of text columns
ALIGNED = 0.7  # share of a table's gaps that overlap with one of another row
CROSSED = 0.4  # share of gaps with text above or below them in stretched lines
_RELATION = re.compile(r"^[=≤≥≡≈∼≃≅⊆⊂∈→⇒](?:\s|$)|(?:^|\s)[=≤≥≡≈∼≃≅⊆⊂∈→⇒]$")
_RELATED = 0.7  # of the rows of formulas, which may go on over a line
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
            len(rows) >= (CAPTIONED_ROWS if _has_caption(i, last, flow, rows) else LEAST_ROWS)
            and _stand_in_columns(rows)
            and _gaps_align(rows)
            and not _crosses_gaps(i, last, flow, style)
            and _is_tabular(rows)
            and not _are_formulas(rows)
        ):
            spans.append((i - _has_bold_head(i, last, flow, style, taken), last))
        i = last + 1
    return sorted(spans)


def _has_caption(
    first: int, last: int, flow: Sequence[PlacedLine], rows: Sequence[TextLine]
) -> bool:
    """Whether rows with as many pieces each stand between the text and the caption of a table."""
    around = [p.line for p in (*flow[max(first - 1, 0) : first], *flow[last + 1 : last + 2])]
    near = [line.text for line in around if line.page == rows[0].page]
    captioned = any(CAPTION.match(text) and text[:3].lower() == "tab" for text in near)
    pieces = {len(row.pieces) for row in rows}
    return captioned and len(pieces) == 1 and min(pieces) >= CAPTIONED_COLUMNS


def _has_bold_head(
    first: int, last: int, flow: Sequence[PlacedLine], style: BodyStyle, taken: frozenset[int]
) -> bool:
    """Whether the line above a table is its head in bold, whose words are close."""
    if not first or first - 1 in taken or flow[first].above > CLOSE * style.pitch:
        return False
    head, rows = flow[first - 1], flow[first : last + 1]
    left, right = min(row.line.x0 for row in rows), max(row.line.x1 for row in rows)
    return (
        head.line.bold
        and not flow[first].line.bold
        and head.column == flow[first].column
        and (len(head.line.text.split()) > 1 and 2 * head.line.width > right - left)
        and CAPTION.match(head.line.text) is None
        and left - SAME_EDGE <= head.line.x0
        and head.line.x1 <= right + SAME_EDGE
    )


def _are_formulas(rows: Sequence[TextLine]) -> bool:
    """Whether rows are formulas one below the other, aligned at their relations."""
    related = sum(any(_RELATION.search(piece.text) for piece in row.pieces) for row in rows)
    return related >= _RELATED * len(rows)


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
