"""Labels of figures: axes, ticks and panels around a drawing."""

from collections import Counter
from collections.abc import Sequence

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.blocks.figures import (
    CAPTION_NEAR,
    is_line_of_text,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import Caption, captions_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import centre_inside, overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

BESIDE = 30.0  # greatest distance of a label beside a figure, in points
ABOVE = 14.0  # the same for a label above or below it
SHARED_EDGE = 4  # least number of text lines that begin at the edge of a column


def extend_to_labels(
    boxes: Sequence[BBox], runs: Sequence[WordRun], body: float, parts: Sequence[BBox] = ()
) -> list[BBox]:
    """The boxes, extended to the labels around them.

    The labels of a plot are text like any other. ``parts`` are rotated words and drawings: one
    near a figure, with no text between, belongs to it.
    """
    boxes = [_extend_to_parts(box, parts, runs) for box in boxes]
    edges = _column_edges(runs)
    captions = captions_of(runs)
    taken = {id(r) for caption in captions for r in caption.lines}
    free = [
        r
        for r in runs
        if id(r) not in taken
        and not any(centre_inside(r.box, box, 3.0) for box in boxes)
        and not any(abs(r.x0 - edge) <= 1.5 for edge in edges)
        and not is_line_of_text(r, body)
    ]
    return [_extend_to_free_labels(box, free, runs, captions, body) for box in boxes]


def _extend_to_parts(box: BBox, parts: Sequence[BBox], runs: Sequence[WordRun]) -> BBox:
    todo = [part for part in parts if not centre_inside(part, box)]
    outside = [run for run in runs if not centre_inside(run.box, box, 3.0)]
    grown = True
    while grown:
        grown = False
        for part in todo:
            bigger = union([box, part])
            high = overlap(part[1], part[3], box[1], box[3])
            near = overlap(part[0], part[2], box[0], box[2]) > 0 and high > -ABOVE
            if near and not any(centre_inside(run.box, bigger, 1.0) for run in outside):
                box, grown = bigger, True
        todo = [part for part in todo if not centre_inside(part, box)]
    return box


def _extend_to_free_labels(
    box: BBox,
    free: Sequence[WordRun],
    runs: Sequence[WordRun],
    captions: Sequence[Caption],
    body: float,
) -> BBox:
    caption = _caption_below(box, captions)
    todo = list(free)
    while True:
        label = next(
            (r for r in todo if _is_label(r, box, caption, body) or _is_panel_title(r, box, runs)),
            None,
        )
        if label is None:
            return box
        todo.remove(label)
        grown = union([box, label.box])
        other_runs = [r for r in runs if r is not label and not any(r is f for f in free)]
        if not any(
            centre_inside(r.box, grown) and not centre_inside(r.box, box, 3.0) for r in other_runs
        ):
            box = grown


def _is_label(run: WordRun, box: BBox, caption: BBox | None, body: float) -> bool:
    """Whether a short run beside, above or below a figure belongs to it."""
    wide = overlap(run.x0, run.x1, box[0], box[2])
    high = overlap(run.top, run.bottom, box[1], box[3])
    small = run.size < 0.95 * body or sum(len(w.text) for w in run.words) <= 4
    if high > -0.5 * run.size and wide > -BESIDE:
        return small or high > 0.5 * run.size
    if wide < 0.5 * (run.x1 - run.x0):
        return False
    if caption is not None and box[3] - 3.0 <= run.top and run.bottom <= caption[1]:
        return True
    return small and high > -ABOVE


def _is_panel_title(run: WordRun, box: BBox, runs: Sequence[WordRun]) -> bool:
    """Whether a run is right above a figure, with no text right above itself."""
    if not -ABOVE < box[1] - run.bottom < ABOVE or any(word.bold for word in run.words):
        return False
    within = box[0] <= (run.x0 + run.x1) / 2 <= box[2]
    return within and not any(
        overlap(r.x0, r.x1, run.x0, run.x1) > 0 and 0 < run.bottom - r.bottom < 4 * run.size
        for r in runs
    )


def _caption_below(box: BBox, captions: Sequence[Caption]) -> BBox | None:
    below = [
        c.box
        for c in captions
        if overlap(c.box[0], c.box[2], box[0], box[2]) > 0 and -5 < c.box[1] - box[3] < CAPTION_NEAR
    ]
    return min(below, key=lambda b: b[1], default=None)


def _column_edges(runs: Sequence[WordRun]) -> list[float]:
    """Left edges of the text columns of a page."""
    lefts = Counter(round(r.x0) for r in runs if len(r.words) >= 5)
    return [float(x) for x, n in lefts.items() if n >= SHARED_EDGE]
