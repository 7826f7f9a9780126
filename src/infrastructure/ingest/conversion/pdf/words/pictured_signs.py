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
