"""Table regions on a page, held together by rules."""

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import Caption, captions_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.running_text import running_text
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    centre_inside,
    overlap,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import Strokes
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun


class TableRegion(NamedTuple):
    """The box of a ruled table, in points in the frame of its page's text."""

    page: int
    box: BBox
    strokes: Strokes


LEAST_WIDTH = 80.0  # points: shorter rules are fractions, footnote rules, underlines
SAME_EDGE = 4.0  # points
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
    boxes = [*ruled, *grids]
    height = record.frame[1]
    regions: list[BBox] = []
    for box in sorted(boxes, key=lambda b: (b[1] - b[3], b)):
        if box[3] - box[1] > TALLEST * height or not _holds_cells(box, runs):
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


def _holds_cells(box: BBox, runs: Sequence[WordRun]) -> bool:
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
