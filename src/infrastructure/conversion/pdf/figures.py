"""Figures from drawings and pictures, and the text that belongs inside them."""

import re
from collections import Counter
from collections.abc import Sequence

from citeloom.domain.spans import BBox, union
from citeloom.infrastructure.conversion.pdf.lines import Run
from citeloom.infrastructure.conversion.pdf.records import PageRecord, centre_inside, overlap

CAPTION = re.compile(
    r"^(?P<kind>fig(?:ure|\.)?|table|tab\.|tbl\.?|listing|algorithm|scheme|plate|chart|box|"
    r"abbildung|abb\.|tabelle|tableau)\s*(?P<number>[a-z]?\.?\d+(?:[.\-]\d+)*[a-z]?|[IVX]+)\b",
    re.IGNORECASE,
)
NEAR = 9.0  # points between drawings of one figure
CAPTION_NEAR = 45.0  # points between a figure and its caption
LEAST = (40.0, 25.0)  # width and height of the smallest figure
BESIDE = 30.0  # points from a figure's edge to the farthest label beside it
ABOVE = 14.0  # the same for a label above or below it
GRID = 25.0  # points from a plot's bars up to the next grid line
SHARED_EDGE = 4  # lines of text that begin at one place make it a column's edge


def figure_boxes(record: PageRecord, runs: Sequence[Run], body: float) -> list[BBox]:
    """Boxes of the figures on a page. Ruled tables and framed text are no figures."""
    width, height = record.frame
    boxes = [
        box
        for box in (*record.drawings, *record.pictures)
        if (box[2] - box[0]) * (box[3] - box[1]) < 0.6 * width * height
    ]
    captions = [r for r in runs if CAPTION.match(_text(r))]
    found: list[BBox] = []
    for box in _merged(boxes):
        if box[2] - box[0] < LEAST[0] or box[3] - box[1] < LEAST[1]:
            continue
        kind = _caption_kind(box, captions)
        inside = [r for r in runs if centre_inside(r.box, box, 2.0)]
        if kind == "table" or _holds_prose(inside, box, body):
            continue
        pictured = any(_covers(p, box) for p in record.pictures)
        if kind == "figure" or pictured or _sparse(inside, box):
            found.append(_with_rules(box, record.rules, runs))
    return found


def _with_rules(box: BBox, rules: Sequence[BBox], runs: Sequence[Run]) -> BBox:
    """A plot's box grown by the grid lines beyond its highest bar."""
    for rule in sorted(rules, key=lambda r: -r[1]):
        within = box[0] - 3.0 <= rule[0] and rule[2] <= box[2] + 3.0
        grown = union([box, rule])
        if within and box[1] > rule[1] > box[1] - GRID:
            between = (r for r in runs if rule[1] < r.bottom and r.top < box[1])
            if not any(len(r.words) > 3 and centre_inside(r.box, grown) for r in between):
                box = grown
    return box


def figure_text(runs: Sequence[Run], boxes: Sequence[BBox]) -> tuple[list[Run], list[Run]]:
    """The runs outside all figures, and those inside one."""
    inside = [r for r in runs if any(centre_inside(r.box, box, 3.0) for box in boxes)]
    marked = {id(r) for r in inside}
    return [r for r in runs if id(r) not in marked], inside


def with_labels(boxes: Sequence[BBox], runs: Sequence[Run], body: float) -> list[BBox]:
    """The boxes grown by the labels around them: of axes, of panels, of ticks.

    Plots are drawn without their labels, which are text like any other.
    """
    edges = _column_edges(runs)
    captions = [r for r in runs if CAPTION.match(_text(r))]
    free = [
        r
        for r in runs
        if r not in captions
        and not any(centre_inside(r.box, box, 3.0) for box in boxes)
        and not any(abs(r.x0 - edge) <= 1.5 for edge in edges)
        and not _is_line_of_text(r, body)
    ]
    return [_grown(box, free, runs, captions, body) for box in boxes]


def _grown(
    box: BBox, free: Sequence[Run], runs: Sequence[Run], captions: Sequence[Run], body: float
) -> BBox:
    caption = _caption_below(box, captions)
    todo = list(free)
    while True:
        label = next((r for r in todo if _is_label(r, box, caption, body)), None)
        if label is None:
            return box
        todo.remove(label)
        grown = union([box, label.box])
        others = [r for r in runs if r is not label and r not in free]
        if not any(
            centre_inside(r.box, grown) and not centre_inside(r.box, box, 3.0) for r in others
        ):
            box = grown


def _is_label(run: Run, box: BBox, caption: Run | None, body: float) -> bool:
    """Whether a short run belongs to the figure that it stands beside, above or below."""
    wide = overlap(run.x0, run.x1, box[0], box[2])
    high = overlap(run.top, run.bottom, box[1], box[3])
    small = run.size < 0.95 * body or len(_text(run)) <= 4
    if high > -0.5 * run.size and wide > -BESIDE:
        return small or high > 0.5 * run.size
    if wide < 0.5 * (run.x1 - run.x0):
        return False
    if caption is not None and box[3] - 3.0 <= run.top and run.bottom <= caption.top:
        return True
    return small and high > -ABOVE


def _caption_below(box: BBox, captions: Sequence[Run]) -> Run | None:
    below = [
        r
        for r in captions
        if overlap(r.x0, r.x1, box[0], box[2]) > 0 and -5 < r.top - box[3] < CAPTION_NEAR
    ]
    return min(below, key=lambda r: r.top, default=None)


def _column_edges(runs: Sequence[Run]) -> list[float]:
    """Where lines of text begin on the page."""
    lefts = Counter(round(r.x0) for r in runs if len(r.words) >= 5)
    return [float(x) for x, n in lefts.items() if n >= SHARED_EDGE]


def _is_line_of_text(run: Run, body: float) -> bool:
    return len(run.words) >= 9 and run.size > 0.8 * body


def _text(run: Run) -> str:
    return " ".join(word.text for word in run.words[:3])


def _merged(boxes: Sequence[BBox]) -> list[BBox]:
    """Boxes joined with all that stand near them, until none do."""
    todo = sorted(boxes)[:400]
    done: list[BBox] = []
    while todo:
        box = todo.pop()
        grown = True
        while grown:
            near = [other for other in todo if _near(box, other)]
            grown = bool(near)
            if near:
                box = union([box, *near])
                todo = [other for other in todo if other not in near]
        done.append(box)
    return sorted(done, key=lambda b: (b[1], b[0]))


def _near(a: BBox, b: BBox) -> bool:
    return overlap(a[0], a[2], b[0], b[2]) > -NEAR and overlap(a[1], a[3], b[1], b[3]) > -NEAR


def _covers(picture: BBox, box: BBox) -> bool:
    wide = overlap(picture[0], picture[2], box[0], box[2])
    high = overlap(picture[1], picture[3], box[1], box[3])
    return wide > 0 and high > 0 and wide * high > 0.5 * (box[2] - box[0]) * (box[3] - box[1])


def _caption_kind(box: BBox, captions: Sequence[Run]) -> str | None:
    best: tuple[float, str] | None = None
    for run in captions:
        if overlap(run.x0, run.x1, box[0], box[2]) <= 0:
            continue
        distance = max(run.top - box[3], box[1] - run.bottom)
        if -5 < distance < CAPTION_NEAR and (best is None or distance < best[0]):
            table = _text(run).lower().startswith(("tab", "tbl", "listing", "algorithm"))
            best = (distance, "table" if table else "figure")
    return best[1] if best else None


def _holds_prose(inside: Sequence[Run], box: BBox, body: float) -> bool:
    wide = 0.6 * (box[2] - box[0])
    prose = [
        r
        for r in inside
        if r.x1 - r.x0 > max(wide, 100) and len(r.words) >= 6 and r.size > 0.8 * body
    ]
    return len(prose) >= 2


def _sparse(inside: Sequence[Run], box: BBox) -> bool:
    area = (box[2] - box[0]) * (box[3] - box[1])
    inked = sum((r.x1 - r.x0) * r.size for r in inside)
    return inked < 0.12 * area
