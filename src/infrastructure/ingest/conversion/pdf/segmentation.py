"""Segmentation of a page: columns of text, figures, tables, heads and feet.

``page_segments`` by what the page looks like · ``laid_figures`` figures, their captions and
the text in them · ``plain_columns`` by the order of its words alone,
for pages whose text came out wrong.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from operator import attrgetter
from typing import NamedTuple

from citeloom.domain.citation.page_numbers import MarginRow
from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.spans import BBox, Line, rounded, union

from .blocks.block_text import JoinedText
from .blocks.figures import extend_to_labels, figure_boxes, figure_text
from .lines.line_flow import Column, weighted_median
from .lines.lines import TextLine, line_of, lines_of
from .lines.reading_order import reading_order
from .lines.running_heads import DEPTH, ZONE, EdgeRow, edge_rows
from .page_record import PageRecord, Word, centre_inside, overlap
from .tables.grids import Strokes
from .tables.tables import (
    TableRegion,
    bundle_regions,
    lift_side_tables,
    split_at_rules,
    table_regions,
    unbundle,
)
from .words.characters import clean
from .words.word_runs import WordRun, find_gutters, runs_of

BESIDE = 12.0  # points from a figure to text that runs up or down beside it
GUTTER = 0.8  # heights: a narrow gap between columns
ELSEWHERE = 20  # words of the content between two that do not belong together
CAPTION_OVERLAP = 20.0  # greatest overlap of a figure with its caption, in points
CAPTION_NEAR = 60.0  # greatest distance between them


class FigureSegment(NamedTuple):
    """A figure on a page: its box in the frame of the page's text, the runs in it, and the
    words that run up or down in or beside it."""

    record: PageRecord
    box: BBox
    runs: tuple[WordRun, ...]
    upright: tuple[Word, ...] = ()


class LaidFigure(NamedTuple):
    """A figure with its text, a line for each label, in the order of the page's content: the
    lines of a label follow each other there. ``caption`` is the index of its caption among the
    blocks. Boxes are in points from the top left of the displayed page."""

    page: int
    box: BBox
    joined: JoinedText
    caption: int | None

    @property
    def text(self) -> str:
        return self.joined.text


def figure_segments(
    record: PageRecord, boxes: Sequence[BBox], runs: Sequence[WordRun]
) -> list[FigureSegment]:
    """The figures of a page with the runs and the upright words in them, each in one figure."""
    segments = []
    runs, upright = list(runs), list(record.rotated_words)
    for box in boxes:
        inside = [r for r in runs if centre_inside(r.box, box, 3.0)]
        beside = [w for w in upright if centre_inside(w.box, box, BESIDE)]
        segments.append(FigureSegment(record, box, tuple(inside), tuple(beside)))
        taken = {id(part) for part in (*inside, *beside)}
        runs = [r for r in runs if id(r) not in taken]
        upright = [w for w in upright if id(w) not in taken]
    return segments


def upright_columns(words: Sequence[Word]) -> list[tuple[str, BBox, int]]:
    """The text that runs up the page, its box, and its place in the page's content, one for
    each column of it."""
    columns: dict[int, list[Word]] = {}
    for word in words:
        columns.setdefault(round(word.x0 / 6), []).append(word)
    found = []
    for _, column in sorted(columns.items()):
        column.sort(key=lambda w: -w.top)
        text = clean(" ".join(w.text for w in column))
        found.append((text, union([w.box for w in column]), min(w.order for w in column)))
    return found


def lay_out_figures(
    segments: Sequence[FigureSegment], blocks: Sequence[tuple[BlockLabel, JoinedText]]
) -> tuple[LaidFigure, ...]:
    """Figures with their captions among ``blocks``, captions of parts such as (a) aside; parts that
    share a caption are merged."""
    captions: dict[int, list[int]] = {}
    for i, (label, joined) in enumerate(blocks):
        if label == BlockLabel.CAPTION and not joined.text.lower().startswith(("tab", "(")):
            captions.setdefault(joined.lines[0].page, []).append(i)
    laid: list[LaidFigure] = []
    by_caption: dict[int, int] = {}
    for segment in segments:
        page = segment.record.page
        box = rounded(segment.record.as_displayed(segment.box))
        found = {i: blocks[i][1].lines for i in captions.get(page, ())}
        caption = _nearest_caption(box, found)
        if caption is not None and caption in by_caption:
            part = laid[by_caption[caption]]
            joined = _appended(part.joined, _text_of(segment))
            laid[by_caption[caption]] = part._replace(box=union([part.box, box]), joined=joined)
            continue
        if caption is not None:
            by_caption[caption] = len(laid)
        laid.append(LaidFigure(page, box, _text_of(segment), caption))
    return tuple(laid)


def _text_of(segment: FigureSegment) -> JoinedText:
    """The labels of a figure in the order of the page's content."""
    record = segment.record
    labels = upright_columns(segment.upright)
    for run in segment.runs:
        for part in _parts(run):
            (line,) = lines_of([part], record.page)
            labels.append((line.text.strip(), line.box, part.order))
    joined = JoinedText("", ())
    for text, box, _ in sorted(labels, key=lambda label: label[2]):
        if text:
            box = rounded(record.as_displayed(box))
            joined = _appended(joined, JoinedText(text, (Line(0, len(text), record.page, box),)))
    return joined


def _parts(run: WordRun, least: float = -inf, most: int = 1) -> list[WordRun]:
    """A run, split where its words are ``least`` points apart and not one after the other in the
    page's content: the next is before, or more than ``most`` words later."""
    groups: list[list[Word]] = []
    for word in run.words:
        before = groups[-1][-1] if groups else word
        if groups and (-most < word.order - before.order <= most or word.x0 - before.x1 < least):
            groups[-1].append(word)
        else:
            groups.append([word])
    return [
        run._replace(words=tuple(group), box=union([word.box for word in group]))
        for group in groups
    ]


def _appended(first: JoinedText, second: JoinedText) -> JoinedText:
    """Two texts as one, in separate lines."""
    if not first.text or not second.text:
        return first if first.text else second
    shift = len(first.text) + 1
    moved = (ln._replace(start=ln.start + shift, end=ln.end + shift) for ln in second.lines)
    return JoinedText(f"{first.text}\n{second.text}", (*first.lines, *moved))


def _nearest_caption(box: BBox, captions: dict[int, tuple[Line, ...]]) -> int | None:
    best: tuple[float, int] | None = None
    for i, lines in captions.items():
        first, last = lines[0].bbox, lines[-1].bbox
        if min(first[2], box[2]) <= max(first[0], box[0]):
            continue
        distance = max(first[1] - box[3], box[1] - last[3])
        if -CAPTION_OVERLAP < distance < CAPTION_NEAR and (best is None or distance < best[0]):
            best = (distance, i)
    return best[1] if best else None


# In heights of a word: a gap wider than any space, and how far a word may begin before the end of
# the one before (kerning, accents).
_WIDE = 3.0
_BACK = 0.6


def plain_columns(record: PageRecord, without: Sequence[BBox] = ()) -> list[Column]:
    """The page's lines in the order of the words; ``without`` are the boxes of heads and feet.

    A line ends where the next word is not to the right of it, or far from it; a column where the
    next line is not below.
    """
    words = [w for w in record.words if not any(centre_inside(w.box, box) for box in without)]
    words.sort(key=attrgetter("order"))
    columns: list[list[TextLine]] = []
    for row in _rows(words):
        size = max(word.size for word in row)
        line = line_of(sorted(runs_of(row, size), key=lambda run: run.x0), record.page)
        if not line.text:
            continue
        if not columns or _begins_column(columns[-1][-1], line):
            columns.append([])
        columns[-1].append(line)
    return [Column(record.page, tuple(lines)) for lines in columns]


def _rows(words: Sequence[Word]) -> Iterator[list[Word]]:
    row: list[Word] = []
    for word in words:
        if row and not _continues(row[-1], word):
            yield row
            row = []
        row.append(word)
    if row:
        yield row


def _continues(before: Word, word: Word) -> bool:
    size = max(before.size, word.size)
    gap = word.x0 - before.x1
    level = overlap(before.top, before.bottom, word.top, word.bottom) > 0
    return level and -_BACK * size < gap < _WIDE * size


def _begins_column(above: TextLine, line: TextLine) -> bool:
    return line.base <= above.base or overlap(above.x0, above.x1, line.x0, line.x1) <= 0


NEAR_EDGE = 0.26  # share of the page's height whose rows may be heads or feet
SAME_SIZE = 3.0  # points by which pages of one size differ
MUCH = 0.15  # share of a page's text in a font that it is set in
FINE_PRINT = 0.6  # of the document's size: text so small that it is part of a figure
FULL_OF_LABELS = 0.75  # of the document's text: most of such a page is in figures


class LaidFurniture(NamedTuple):
    page: int
    box: BBox
    text: str
    top: bool


class PageRuns(NamedTuple):
    """A page with its runs of words, its lines near the top and bottom, and those of them that may
    be furniture."""

    record: PageRecord
    runs: list[WordRun]
    lines: list[TextLine]
    edges: list[EdgeRow]


class PageSegments(NamedTuple):
    """Segmentation of a page: columns of text, figures with the runs in them, furniture, table
    regions. ``plain``: the columns are lines in the plain order of the words."""

    columns: list[Column]
    figures: list[FigureSegment]
    furniture: list[LaidFurniture]
    tables: list[TableRegion]
    plain: bool = False

    @classmethod
    def in_plain_order(cls, page: PageRuns, rows: Sequence[EdgeRow]) -> "PageSegments":
        """A page without figures and tables; ``rows`` are its heads and feet."""
        furniture = [_furniture(page.record, row) for row in rows]
        furniture += _margin_text(page.record, ())
        columns = plain_columns(page.record, [row.line.box for row in rows])
        return cls(columns, [], furniture, [], plain=True)

    @classmethod
    def of(cls, page: PageRuns, rows: Sequence[EdgeRow], document_size: float) -> "PageSegments":
        """Segment a page; ``rows`` are its heads and feet.

        Order: furniture, figures, table regions, side tables, reading order of the rest.
        ``document_size`` is the usual text size of the document, in points.
        """
        segments = cls([], [], [], [])
        record = page.record
        runs = [r for r in page.runs if not any(_within(r, e.line) for e in rows)]
        page_size = weighted_median((r.size, run_weight(r)) for r in runs) or 8.0
        if page_size < FINE_PRINT * document_size:
            page_size = document_size
        text_size = document_size if page_size < FULL_OF_LABELS * document_size else page_size
        label_parts = [*(word.box for word in record.rotated_words), *record.drawings]
        boxes = extend_to_labels(
            figure_boxes(record, runs, text_size), runs, text_size, label_parts
        )
        segments.furniture.extend(_furniture(record, row) for row in rows)
        segments.furniture.extend(_margin_text(record, boxes))
        runs, inner = figure_text(runs, boxes, text_size)
        segments.figures.extend(figure_segments(record, boxes, inner))
        regions = table_regions(record, runs, boxes)
        region_strokes = [Strokes.within(box, (*record.strokes, *record.rules)) for box in regions]
        segments.tables.extend(
            TableRegion(record.page, box, strokes)
            for box, strokes in zip(regions, region_strokes, strict=True)
        )
        runs = split_at_rules(runs, region_strokes)
        runs, side_tables = lift_side_tables(runs, regions)
        bundles, members = bundle_regions(runs, regions)
        groups = list(reading_order(bundles, page_size, record.rules))
        texts = [unbundle(group.runs, members) for group in groups]
        homes = [table.home(texts) for table in side_tables]
        for i, (group, rest) in enumerate(zip(groups, texts, strict=True)):
            for table in (t for t, home in zip(side_tables, homes, strict=True) if home == i):
                before, rest = table.split(rest)
                segments._column(record.page, before, group.aside)
                segments._column(record.page, table.runs, False)
            segments._column(record.page, rest, group.aside)
        for table in (t for t, home in zip(side_tables, homes, strict=True) if home is None):
            segments._column(record.page, table.runs, False)
        return segments

    def _column(self, page: int, runs: Sequence[WordRun], aside: bool) -> None:
        lines = tuple(line for line in lines_of(runs, page) if line.text)
        if lines:
            self.columns.append(Column(page, lines, aside))


def page_runs(record: PageRecord) -> PageRuns:
    """The runs of a page, none across a column gutter."""
    body = weighted_median((w.size, len(w.text)) for w in record.words) or 8.0
    runs = runs_of(record.words, body, find_gutters(record.words, body))
    runs = [part for run in runs for part in _parts(run, GUTTER * run.size, ELSEWHERE)]
    height = record.frame[1]
    near = NEAR_EDGE * height
    edge = [r for r in runs if r.bottom < near or r.top > height - near]
    lines = lines_of(edge, record.page)
    outer = [ln for ln in lines if ln.bottom < 0.22 * height or ln.top > 0.78 * height]
    return PageRuns(record, runs, lines, edge_rows(outer, record.page, height))


def margin_rows(page: PageRuns) -> Iterator[MarginRow]:
    """The rows that may print the page's number: the outermost ones, of a scan with wide margins
    too, and text near an edge of the sheet that runs up or down."""
    record, (_, height) = page.record, page.record.frame
    heads = [line for line in page.lines if line.bottom < height / 2][:DEPTH]
    feet = [line for line in reversed(page.lines) if line.bottom >= height / 2][:DEPTH]
    for top, lines in ((True, heads), (False, feet)):
        for order, line in enumerate(lines):
            pieces = (part for piece in line.pieces for part in piece.parts or (piece,))
            level = line.base if top else height - line.base
            yield MarginRow(record.page, top, order, level, tuple(part.text for part in pieces))
    for order, (text, box, _) in enumerate(upright_columns(record.rotated_words), DEPTH):
        x0, y0, x1, y1 = record.as_displayed(box)
        level = min(y0, record.height - y1, x0, record.width - x1)
        if level < ZONE * record.height:
            yield MarginRow(record.page, y0 < record.height / 2, order, level, (text,))


def is_set_alike(one: PageRecord, other: PageRecord) -> bool:
    """Whether two pages are of one size and share a font that either sets much of its text in."""
    sizes = zip((one.width, one.height), (other.width, other.height), strict=True)
    same_size = all(abs(a - b) < SAME_SIZE for a, b in sizes)
    return same_size and not _fonts(one).isdisjoint(_fonts(other))


def _fonts(record: PageRecord) -> set[str]:
    letters: Counter[str] = Counter()
    for word in record.words:
        letters[word.font] += len(word.text)
    return {font for font, count in letters.items() if count >= MUCH * letters.total()}


def _within(run: WordRun, line: TextLine) -> bool:
    return centre_inside(run.box, line.box, 0.5)


def run_weight(run: WordRun) -> int:
    """Number of characters."""
    return sum(len(word.text) for word in run.words)


def _furniture(record: PageRecord, row: EdgeRow) -> LaidFurniture:
    return LaidFurniture(record.page, record.as_displayed(row.line.box), row.line.text, row.top)


def _margin_text(record: PageRecord, figures: Sequence[BBox]) -> list[LaidFurniture]:
    """Text that runs up or down the margins, one entry per column of it.

    Rotated words in or beside a figure are its labels and left out.
    """
    words = [
        word
        for word in record.rotated_words
        if not any(centre_inside(word.box, box, BESIDE) for box in figures)
    ]
    return [
        LaidFurniture(record.page, box, text, False)
        for text, box, _ in upright_columns(words)
        if len(text) >= 3
    ]
