"""Figures of a document: box, caption and the text in them."""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.spans import BBox, Line, union
from citeloom.infrastructure.ingest.conversion.pdf.blocks.block_text import JoinedText
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import lines_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    centre_inside,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import WordRun

BESIDE = 12.0  # points from a figure to text that runs up or down beside it
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
        text = " ".join(w.text for w in column)
        found.append((text, union([w.box for w in column]), min(w.order for w in column)))
    return found


def lay_out_figures(
    segments: Sequence[FigureSegment], blocks: Sequence[tuple[BlockLabel, JoinedText]]
) -> tuple[LaidFigure, ...]:
    """Figures with their captions among ``blocks``; parts that share a caption are merged."""
    captions: dict[int, list[int]] = {}
    for i, (label, joined) in enumerate(blocks):
        if label == BlockLabel.CAPTION and not joined.text.lower().startswith("tab"):
            captions.setdefault(joined.lines[0].page, []).append(i)
    laid: list[LaidFigure] = []
    by_caption: dict[int, int] = {}
    for segment in segments:
        page = segment.record.page
        box = _rounded(segment.record.as_displayed(segment.box))
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
            box = _rounded(record.as_displayed(box))
            joined = _appended(joined, JoinedText(text, (Line(0, len(text), record.page, box),)))
    return joined


def _parts(run: WordRun) -> list[WordRun]:
    """A run, split where its words are not one after the other in the page's content."""
    groups: list[list[Word]] = []
    for word in run.words:
        if groups and word.order - groups[-1][-1].order in (0, 1):
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


def _rounded(box: BBox) -> BBox:
    return (round(box[0], 2), round(box[1], 2), round(box[2], 2), round(box[3], 2))


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
