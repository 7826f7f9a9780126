"""Figure boxes from drawings and pictures, and the text inside them."""

from collections import Counter
from collections.abc import Sequence

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import running_text
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import Caption, captions_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    centre_inside,
    overlap,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import Strokes
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import holds_cells
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

NEAR = 9.0  # points between drawings of one figure
CAPTION_NEAR = 45.0  # points between a figure and its caption
LEAST = (40.0, 25.0)  # width and height of the smallest figure
LARGEST_LOGO = 0.06  # share of the page: anything larger may be a figure of its own
TINY = 0.6  # of the text's size: footnotes, scripts and small tables have 0.65 and more
DENSE = 12  # least number of words in dense text
BEHIND = 0.5  # share of a page, and of its words, on the pictures of its background
ACROSS = 0.9  # of the width of a table: its rules
LEAST_RULES = 3  # of a table: its edges and one between its rows
GRID = 24
GRID_LINE = 25.0  # points from a plot's bars up to the next grid line


def without_logos(records: Sequence[PageRecord]) -> list[PageRecord]:
    """The records without small pictures and drawings that recur at one place, but with tables."""
    places: Counter[tuple[int, ...]] = Counter()
    for record in records:
        places.update({_place(box) for box in (*record.pictures, *record.drawings)})
    filtered = []
    for record in records:
        largest = LARGEST_LOGO * record.width * record.height
        once = [
            tuple(
                b
                for b in boxes
                if places[_place(b)] < 2 or _area(b) > largest or _has_rules(b, record)
            )
            for boxes in (record.pictures, record.drawings)
        ]
        filtered.append(record._replace(pictures=once[0], drawings=once[1]))
    return filtered


def without_backgrounds(records: Sequence[PageRecord]) -> list[PageRecord]:
    """The records without pictures that are behind the text of their page: the strips and tiles
    of a scan, the background of a slide. A picture on top of a larger one is kept."""
    return [record._replace(pictures=_in_front(record)) for record in records]


def has_background(record: PageRecord) -> bool:
    """Whether pictures cover most of the page, bits beyond its edges aside, and its words."""
    width, height = record.frame
    if sum(map(_area, record.pictures)) < BEHIND * width * height:
        return False
    covered = sum(any(centre_inside(w.box, p) for p in record.pictures) for w in record.words)
    return (
        covered > 0
        and covered >= BEHIND * len(record.words)
        and _coverage(record.pictures, width, height) >= BEHIND
    )


def _in_front(record: PageRecord) -> tuple[BBox, ...]:
    pictures = record.pictures
    if not pictures or not has_background(record):
        return pictures
    return tuple(
        p
        for p in pictures
        if any(_within(p, other) and _area(p) < 0.5 * _area(other) for other in pictures)
    )


def _coverage(boxes: Sequence[BBox], width: float, height: float) -> float:
    """The share of the page that boxes cover, by ``GRID`` points in each direction."""
    points = [
        ((i + 0.5) * width / GRID, (k + 0.5) * height / GRID)
        for i in range(GRID)
        for k in range(GRID)
    ]
    return sum(
        any(b[0] <= x <= b[2] and b[1] <= y <= b[3] for b in boxes) for x, y in points
    ) / len(points)


def _area(box: BBox) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _place(box: BBox) -> tuple[int, ...]:
    return tuple(round(v / 4) for v in box)


def figure_boxes(record: PageRecord, runs: Sequence[WordRun], body: float) -> list[BBox]:
    """Boxes of the figures on a page. Ruled tables and framed text are not figures.

    Dense text too small for reading counts as drawn.
    """
    width, height = record.frame
    drawn = (*record.drawings, *record.pictures, *_tiny_text(runs, body))
    boxes = [
        box
        for box in (*drawn, *(word.box for word in record.rotated_words))
        if (box[2] - box[0]) * (box[3] - box[1]) < 0.6 * width * height
    ]
    captions = captions_of(runs)
    figures: list[BBox] = []
    loose: list[BBox] = []
    for box in _merged(boxes):
        if not _is_large(box) or not any(centre_inside(part, box) for part in drawn):
            loose.append(box)
            continue
        caption = _caption_of(box, captions)
        inside = [r for r in runs if centre_inside(r.box, box, 2.0)]
        if (caption and caption.table) or _holds_prose(inside, box, body):
            continue
        ruled = _has_rules(box, record) and holds_cells(box, runs)
        if ruled and _caption_of(box, [c for c in captions if c.table]) is not None:
            continue  # although the caption of the figure above may be nearer
        has_picture = any(_covers_half(p, box) for p in record.pictures)
        if caption or has_picture or _sparse(inside, box):
            figures.append(_extend_to_grid(box, record.rules, runs))
        else:
            loose.append(box)
    text = [r for r in runs if is_line_of_text(r, body)]
    text += [r for caption in captions for r in caption.lines]
    return _merge_parts(figures, loose, captions, text)


def _has_rules(box: BBox, record: PageRecord) -> bool:
    """Whether rules across a drawing part rows, as those of a table do."""
    rules = Strokes.within(box, record.strokes).horizontal
    across = {round(r[1] / NEAR) for r in rules if r[2] - r[0] > ACROSS * (box[2] - box[0])}
    return len(across) >= LEAST_RULES


def _tiny_text(runs: Sequence[WordRun], body: float) -> list[BBox]:
    """Boxes of dense text too small for reading."""
    small = [r for r in runs if r.size < TINY * body]
    boxes = []
    for box in _merged([r.box for r in small]):
        inside = [r for r in small if centre_inside(r.box, box)]
        if _is_large(box) and sum(len(r.words) for r in inside) >= DENSE:
            boxes.append(box)
    return boxes


def _merge_parts(
    certain: Sequence[BBox],
    loose: Sequence[BBox],
    captions: Sequence[Caption],
    text: Sequence[WordRun],
) -> list[BBox]:
    """Figures with their separate parts merged, unless text is between the parts.

    Drawings without a caption (``loose``) become parts of a near figure with a caption.
    """
    merged: list[BBox] = []
    figures = [caption for caption in captions if not caption.table]
    rest = [*certain, *loose]
    seeds = [*certain, *(box for box in loose if _caption_of(box, figures) is not None)]
    for box in seeds:
        if not any(centre_inside(box, other) for other in merged):
            grown = True
            while grown and _caption_of(box, figures) is not None:
                united = [union([box, part]) for part in rest if _is_part(part, box)]
                fitting = (u for u in united if not any(centre_inside(r.box, u) for r in text))
                bigger = next(fitting, None)
                grown = bigger is not None
                box = bigger or box
            merged.append(box)
    return [
        box
        for box in merged
        if (box in certain or _is_large(box))
        and not any(box is not other and _within(box, other) for other in merged)
    ]


def _is_large(box: BBox) -> bool:
    return box[2] - box[0] >= LEAST[0] and box[3] - box[1] >= LEAST[1]


def _is_part(part: BBox, box: BBox) -> bool:
    """Whether a drawing is beside, above or below a figure, and outside it."""
    wide = overlap(part[0], part[2], box[0], box[2])
    high = overlap(part[1], part[3], box[1], box[3])
    return not _within(part, box) and (
        (wide > 0 and high > -CAPTION_NEAR) or (high > 0 and wide > -CAPTION_NEAR)
    )


def _within(box: BBox, outer: BBox) -> bool:
    return outer[0] <= box[0] and outer[1] <= box[1] and box[2] <= outer[2] and box[3] <= outer[3]


def _extend_to_grid(box: BBox, rules: Sequence[BBox], runs: Sequence[WordRun]) -> BBox:
    """A plot's box, extended to the grid lines above its highest bar."""
    for rule in sorted(rules, key=lambda r: -r[1]):
        within = box[0] - 3.0 <= rule[0] and rule[2] <= box[2] + 3.0
        grown = union([box, rule])
        if within and box[1] > rule[1] > box[1] - GRID_LINE:
            between = (r for r in runs if rule[1] < r.bottom and r.top < box[1])
            if not any(len(r.words) > 3 and centre_inside(r.box, grown) for r in between):
                box = grown
    return box


def figure_text(
    runs: Sequence[WordRun], boxes: Sequence[BBox], body: float
) -> tuple[list[WordRun], list[WordRun]]:
    """The runs of the body, and those that are labels in a figure. Captions and running text
    inside a figure's box are of the body. ``body`` is the size of its text."""
    if not boxes:
        return list(runs), []
    kept = {id(r) for r in _readable_text(runs, body)}
    kept |= {id(r) for caption in captions_of(runs) for r in caption.lines}
    inside = [
        r
        for r in runs
        if id(r) not in kept and any(centre_inside(r.box, box, 3.0) for box in boxes)
    ]
    marked = {id(r) for r in inside}
    return [r for r in runs if id(r) not in marked], inside


def _merged(boxes: Sequence[BBox]) -> list[BBox]:
    """Boxes merged with their near neighbours, transitively."""
    pending = sorted(boxes)[:400]
    done: list[BBox] = []
    while pending:
        box = pending.pop()
        grown = True
        while grown:
            near = [other for other in pending if _near(box, other)]
            grown = bool(near)
            if near:
                box = union([box, *near])
                pending = [other for other in pending if other not in near]
        done.append(box)
    return sorted(done, key=lambda b: (b[1], b[0]))


def _near(a: BBox, b: BBox) -> bool:
    return overlap(a[0], a[2], b[0], b[2]) > -NEAR and overlap(a[1], a[3], b[1], b[3]) > -NEAR


def _covers_half(picture: BBox, box: BBox) -> bool:
    wide = overlap(picture[0], picture[2], box[0], box[2])
    high = overlap(picture[1], picture[3], box[1], box[3])
    return wide > 0 and high > 0 and wide * high > 0.5 * (box[2] - box[0]) * (box[3] - box[1])


def _caption_of(box: BBox, captions: Sequence[Caption]) -> Caption | None:
    """The nearest caption above or below."""
    best: tuple[float, Caption] | None = None
    for caption in captions:
        left, top, right, bottom = caption.box
        if overlap(left, right, box[0], box[2]) <= 0:
            continue
        distance = max(top - box[3], box[1] - bottom)
        if -5 < distance < CAPTION_NEAR and (best is None or distance < best[0]):
            best = (distance, caption)
    return best[1] if best else None


def _holds_prose(inside: Sequence[WordRun], box: BBox, body: float) -> bool:
    """Whether a box is around text: lines across it, or mostly running text in its columns."""
    running = sum(len(r.words) for r in _readable_text(inside, body))
    if running > 0.5 * sum(len(r.words) for r in inside):
        return True
    wide = 0.6 * (box[2] - box[0])
    prose = [
        r
        for r in inside
        if r.x1 - r.x0 > max(wide, 100) and len(r.words) >= 6 and r.size > 0.8 * body
    ]
    return len(prose) >= 2


def _readable_text(runs: Sequence[WordRun], body: float) -> list[WordRun]:
    return running_text([r for r in runs if r.size >= TINY * body])


def _sparse(inside: Sequence[WordRun], box: BBox) -> bool:
    area = (box[2] - box[0]) * (box[3] - box[1])
    inked = sum((r.x1 - r.x0) * r.size for r in inside)
    return inked < 0.12 * area


def is_line_of_text(run: WordRun, body: float) -> bool:
    return len(run.words) >= 9 and run.size > 0.8 * body


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
