"""Figures from drawings and pictures, and the text that belongs inside them."""

import re
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


def figure_boxes(record: PageRecord, runs: Sequence[Run], body: float) -> list[BBox]:
    """Boxes of the figures on a page. Ruled tables and framed text are no figures."""
    width, height = record.frame
    boxes = [
        box
        for box in (*record.drawings, *record.pictures)
        if (box[2] - box[0]) * (box[3] - box[1]) < 0.6 * width * height
    ]
    captions = [r for r in runs if CAPTION.match(_text(r))]
    found = []
    for box in _merged(boxes):
        if box[2] - box[0] < LEAST[0] or box[3] - box[1] < LEAST[1]:
            continue
        kind = _caption_kind(box, captions)
        inside = [r for r in runs if centre_inside(r.box, box, 2.0)]
        if kind == "table" or _holds_prose(inside, box, body):
            continue
        pictured = any(_covers(p, box) for p in record.pictures)
        if kind == "figure" or pictured or _sparse(inside, box):
            found.append(box)
    return found


def figure_text(runs: Sequence[Run], boxes: Sequence[BBox]) -> tuple[list[Run], list[Run]]:
    """The runs outside all figures, and those inside one."""
    inside = [r for r in runs if any(centre_inside(r.box, box, 3.0) for box in boxes)]
    marked = {id(r) for r in inside}
    return [r for r in runs if id(r) not in marked], inside


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
