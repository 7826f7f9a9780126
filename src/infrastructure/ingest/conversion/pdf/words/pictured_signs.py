"""Signs that a producer draws as small pictures within the lines, or prints in several pieces, as
some do with formulas.

What pictures say cannot be read here; a mark in their place shows that the sentence has more than
its words.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap

from .characters import ASCENT, DESCENT, UNREADABLE, is_mathematical
from .scripts import baseline_of
from .word_runs import SCRIPT_RATIO

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


LEVEL = 0.16  # ems by which parts of one line differ at most
_BRACKETS = {
    piece: bracket
    for bracket, pieces in zip("()[]{}|√", "⎛⎜⎝ ⎞⎟⎠ ⎡⎢⎣ ⎤⎥⎦ ⎧⎪⎨⎩ ⎫⎬⎭ ⏐∣ ⌜⎷".split(), strict=True)
    for piece in pieces
}
_BACK_TO_BACK = (")(", "][")
_STROKE = "\u0338"
_STROKES = {_STROKE: _STROKE, "/": _STROKE}
_ACCENTS = {
    **dict(zip("ˆ˜¯ˇ˙¨⃗", "\u0302\u0303\u0304\u030c\u0307\u0308\u20d7", strict=True)),
    "^": "\u0302",
    "~": "\u0303",
}
_OVERLAYS = frozenset((*_STROKES, *_ACCENTS))
_SHAFTS, _ARROWS = ("−", "="), ("→", "⇒")
_ARROWED = frozenset((*_SHAFTS, *_ARROWS))
_RINGS = "◯○"
_MOSTLY = 0.6  # of the width of a stroke or an accent that is on its letter
_TOP, _BOTTOM = 0.75, 0.22  # of a letter, above and below its baseline


class FormulaPart(NamedTuple):
    """A word, or several as one: ``last`` is the place of the last one in the content, ``extent``
    the box of what is printed."""

    word: Word
    last: int
    extent: BBox

    @property
    def em(self) -> float:
        return self.word.size / (ASCENT + DESCENT)

    @property
    def base(self) -> float:
        return baseline_of(self.word)


def parts_of(words: Sequence[Word]) -> Iterator[FormulaPart]:
    """A part for each word, two for brackets back to back, which enclose different rows."""
    for word in words:
        if word.text in _BACK_TO_BACK and is_mathematical(word.font):
            middle = (word.x0 + word.x1) / 2
            yield _part_of(word._replace(text=word.text[0], x1=middle))
            word = word._replace(text=word.text[1], x0=middle, spaced=False)
        yield _part_of(word)


def _part_of(word: Word) -> FormulaPart:
    em, base = word.size / (ASCENT + DESCENT), baseline_of(word)
    return FormulaPart(word, word.order, (word.x0, base - _TOP * em, word.x1, base + _BOTTOM * em))


def with_overlays(parts: Iterable[FormulaPart]) -> list[FormulaPart]:
    """Signs that are struck out, and letters with an accent, as one character."""
    done: list[FormulaPart] = []
    for part in parts:
        if done and (whole := _overlaid(done[-1], part)):
            done[-1] = whole
        else:
            done.append(part)
    return done


def _overlaid(first: FormulaPart, second: FormulaPart) -> FormulaPart | None:
    """Two parts as one, if the first is a stroke through the second, or either an accent on the
    other, which is a letter of mathematics."""
    if first.word.text in _RINGS and second.word.text == "c":
        is_inside = first.word.x0 < second.word.x0 and second.word.x1 < first.word.x1
        size = first.word.size
        return joined([first, second], "©", second.base, size) if is_inside else None
    if first.word.text in _ARROWED:
        return _with_arrow(first, second)
    for mark, other in ((first, second), (second, first)):
        if mark.word.text not in _OVERLAYS:
            continue
        combining = _STROKES.get(mark.word.text) if mark is first else None
        if combining is None and len(other.word.text) == 1 and other.word.text.isalpha():
            is_letter = is_mathematical(other.word.font)
            combining = _ACCENTS.get(mark.word.text) if is_letter else None
        width = mark.word.x1 - mark.word.x0
        shared = overlap(mark.word.x0, mark.word.x1, other.word.x0, other.word.x1)
        if combining is None or shared < _MOSTLY * width or second.word.order != first.last + 1:
            continue
        if combining != _STROKE and not _is_over(mark, other):
            continue
        begin, rest = other.word.text[0], other.word.text[1:]
        text = unicodedata.normalize("NFC", begin + combining)
        if mark is first and combining == _STROKE and len(text) > 1:
            continue
        whole = joined([first, second], text + rest, other.base, other.word.size)
        word = whole.word._replace(font=other.word.font, x0=other.word.x0, x1=other.word.x1)
        return whole._replace(word=word)
    return None


def _with_arrow(first: FormulaPart, second: FormulaPart) -> FormulaPart | None:
    """A shaft and its arrow, or an arrow and the letter below it, as one."""
    sign, rest = first.word, second.word
    shared = overlap(sign.x0, sign.x1, rest.x0, rest.x1)
    rise = (second.base - first.base) / second.em
    if sign.text in _SHAFTS:
        is_long = rest.text in _ARROWS and shared >= _MOSTLY * (sign.x1 - sign.x0)
        is_one = is_long and abs(rise) < LEVEL
        return joined([first, second], rest.text, second.base, rest.size) if is_one else None
    is_letter = len(rest.text) == 1 and rest.text.isalpha()
    if is_letter and 0 < rise < 1 and shared > 0.9 * (rest.x1 - rest.x0):
        return joined([first, second], f"{rest.text}\u20d7", second.base, rest.size)
    return None


def _is_over(accent: FormulaPart, letter: FormulaPart) -> bool:
    """Whether an accent is of the size of a letter, and on its line or above."""
    size = letter.word.size
    return (
        abs(accent.word.size - size) < (1 - SCRIPT_RATIO) * size
        and accent.base < letter.base + LEVEL * letter.em
    )


def with_brackets(parts: Sequence[FormulaPart]) -> Iterator[FormulaPart]:
    """The stacked pieces of a large bracket, as one bracket."""
    at = 0
    while at < len(parts):
        first = parts[at].word
        end = at + 1
        if all(char in _BRACKETS for char in first.text):
            while end < len(parts) and _is_below(parts[end - 1].word, parts[end].word):
                end += 1
        if end - at < 2:
            yield parts[at]
        else:
            text = "".join(_BRACKETS[char] for char in parts[end - 1].word.text)
            box = union([part.word.box for part in parts[at:end]])
            base = (parts[at].base + parts[end - 1].base) / 2
            yield joined(parts[at:end], text, base, first.size, box)
        at = end


def _is_below(above: Word, below: Word) -> bool:
    return (
        below.order == above.order + 1
        and abs(below.x0 - above.x0) < 0.5
        and below.top > above.top
        and all(char in _BRACKETS for char in below.text)
    )


def joined(
    parts: Sequence[FormulaPart], text: str, base: float, size: float, extent: BBox | None = None
) -> FormulaPart:
    """Parts as one, on the line with ``base`` and in its size."""
    box = extent or union([part.extent for part in parts])
    em = size / (ASCENT + DESCENT)
    first = min((part.word for part in parts), key=lambda word: word.order)
    maths = next((p.word.font for p in parts if is_mathematical(p.word.font)), first.font)
    whole = first._replace(
        text=text, x0=box[0], x1=box[2], top=base - ASCENT * em, bottom=base + DESCENT * em,
        font=maths, bold=all(p.word.bold for p in parts), italic=all(p.word.italic for p in parts),
    )  # fmt: skip
    return FormulaPart(whole, max(part.last for part in parts), box)
