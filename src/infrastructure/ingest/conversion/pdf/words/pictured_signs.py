"""Signs that a producer draws as small pictures within the lines, as some do with formulas.

What they say cannot be read here; a mark in their place shows that the sentence has more than its
words.
"""

from collections.abc import Sequence
from itertools import compress

import numpy as np
import numpy.typing as npt

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word

from .characters import UNREADABLE

_FEWEST_SIZES = 3  # different ones on a page: fewer are icons and bullets
_HIGHEST, _WIDEST = 2.0, 20.0  # heights of the word beside it
_OVERLAP, _SPACE = 0.25, 1.0  # heights of the word: how far a picture is from it
_BULLET = 0.5  # and from the one that follows, at the beginning of a line
_LOWEST_ROOT, _HIGHEST_ROOT = 0.8, 2.5  # of a root: heights of the words below its line
_NEAR_EDGE = 1.0  # points
_JOINED = 0.13  # a narrower gap is not a space


def with_pictured_signs(words: Sequence[Word], pictures: Sequence[BBox]) -> list[Word]:
    """The words in the order of the content, with a mark for each picture beside one."""
    sizes = {(round(x1 - x0), round(y1 - y0)) for x0, y0, x1, y1 in pictures}
    if len(sizes) < _FEWEST_SIZES or not words:
        return list(words)
    boxes = np.array([word.box for word in words])
    x0, top, x1, bottom = boxes.T
    middles = [((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) for box in pictures]
    free = [not np.any((x0 <= x) & (x <= x1) & (top <= y) & (y <= bottom)) for x, y in middles]
    signs = [*compress(pictures, free)]
    if 2 * len(signs) < len(pictures):  # of a scan
        return list(words)
    before, after = _places(sorted(signs), boxes)
    marked: list[Word] = []
    for at, word in enumerate(words):
        mark = word._replace(text=UNREADABLE, bold=False, italic=False, spaced=True)
        signs_before = [mark._replace(x0=x0, x1=x1) for x0, _, x1, _ in before.get(at, ())]
        signs_after = [mark._replace(x0=x0, x1=x1) for x0, _, x1, _ in after.get(at, ())]
        for one in (*signs_before, word, *signs_after):
            order = word.order + len(marked) - at if word.order >= 0 else -1
            marked.append(_spaced(marked[-1:], one)._replace(order=order))
    return marked


def _spaced(before: Sequence[Word], word: Word) -> Word:
    """The word, with no space before it where it touches a mark, or is one."""
    if not before or UNREADABLE not in (word.text, before[0].text):
        return word
    return word._replace(spaced=not -word.size < word.x0 - before[0].x1 < _JOINED * word.size)


def with_drawn_roots(
    words: Sequence[Word], drawings: Sequence[BBox], bars: Sequence[BBox]
) -> list[Word]:
    """The words, with a root sign before those below the level line of a root that is drawn: a
    small drawing that begins left of the line and ends with it."""
    rooted = list(words)
    levels: dict[int, list[BBox]] = {}  # a plot has thousands of lines and drawings
    for line in bars:
        levels.setdefault(round((line[1] + line[3]) / 2), []).append(line)
    for left, top, right, bottom in drawings:
        height, level = bottom - top, round(top)
        near = (line for n in (0, -1, 1) for line in levels.get(level + n, ()))
        bar = next((line for line in near if _closes(line, (left, top, right, bottom))), None)
        if bar is None:
            continue
        under = [
            at
            for at, word in enumerate(rooted)
            if bar[0] - 1 < (word.x0 + word.x1) / 2 < bar[2] + 1
            and top < (word.top + word.bottom) / 2 < bottom
        ]
        sizes = [rooted[at].size for at in under]
        if not sizes or not _LOWEST_ROOT < height / max(sizes) < _HIGHEST_ROOT:
            continue
        under.sort(key=lambda at: rooted[at].x0)
        first, last = under[0], under[-1]
        alone = first == last and (len(rooted[first].text) == 1 or rooted[first].text.isdecimal())
        rooted[first] = rooted[first]._replace(
            text=f"√{rooted[first].text}" if alone else f"√({rooted[first].text}", x0=left
        )
        if not alone:
            rooted[last] = rooted[last]._replace(text=f"{rooted[last].text})")
    return rooted


def _closes(bar: BBox, drawing: BBox) -> bool:
    """Whether a level line is the upper edge of a drawing but for a narrow part on the left."""
    left, top, right, bottom = drawing
    step = bar[0] - left
    level = abs((bar[1] + bar[3]) / 2 - top) < _NEAR_EDGE and abs(bar[2] - right) < _NEAR_EDGE
    return level and 0.2 * (bottom - top) < step < bottom - top


_Places = dict[int, list[BBox]]


def _places(signs: Sequence[BBox], boxes: npt.NDArray[np.float64]) -> tuple[_Places, _Places]:
    """The signs before and after each word that has some, from left to right."""
    begins, ends = boxes[:, 0].copy(), boxes[:, 2].copy()
    heights = boxes[:, 3] - boxes[:, 1]
    before: _Places = {}
    after: _Places = {}
    alone = []
    for sign in signs:
        at = _beside(sign, sign[0] - ends, boxes, _SPACE * heights)
        if at is None or _beside(sign, begins - sign[2], boxes, sign[0] - ends[at]) is not None:
            alone.append(sign)
        else:
            after.setdefault(at, []).append(sign)
            ends[at] = sign[2]
    for sign in reversed(alone):
        at = _beside(sign, begins - sign[2], boxes, _BULLET * heights)
        if at is not None:
            before.setdefault(at, []).insert(0, sign)
            begins[at] = sign[0]
    return before, after


def _beside(
    sign: BBox,
    gaps: npt.NDArray[np.float64],
    boxes: npt.NDArray[np.float64],
    limits: npt.NDArray[np.float64] | float,
) -> int | None:
    """The nearest word on the line of a sign, by the gap between them."""
    top, bottom, middle = boxes[:, 1], boxes[:, 3], (sign[1] + sign[3]) / 2
    height = bottom - top
    fits = (
        ((top < middle) & (middle < bottom))
        & (sign[3] - sign[1] <= _HIGHEST * height)
        & (sign[2] - sign[0] <= _WIDEST * height)
        & (-_OVERLAP * height <= gaps)
        & (gaps < limits)
    )
    return int(np.where(fits, gaps, np.inf).argmin()) if fits.any() else None
