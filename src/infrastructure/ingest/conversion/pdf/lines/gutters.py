"""Gutters that are narrower than a wide space: found over a whole page, not in a line.

In one line a gutter of ten points cannot be told from the space of a justified line. But the
lines of the column to its right begin all at the same place, each after a gap, and hardly a
word crosses it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap

# Of the usual cell height: the narrowest gap that may be a gutter, and the narrowest column.
NARROWEST = 0.45
COLUMN = 11.0
LINES = 8  # that must begin at the gutter, with text on its other side
CROSSING = 0.25  # of them: lines that may run across it
ALIGNED = 0.8  # points
LABEL = re.compile(r"\W|[\[(]?\w{1,4}[.):\]]")  # of an item in a list


class Gutter(NamedTuple):
    """The left edge of a column that begins at ``x``, between two heights, in points."""

    x: float
    top: float
    bottom: float

    def is_before(self, word: Word) -> bool:
        """Whether ``word`` begins at it."""
        return (
            abs(word.x0 - self.x) <= 2 * ALIGNED
            and self.top <= (word.top + word.bottom) / 2 <= self.bottom
        )


def left_limit(gutters: Iterable[Gutter], word: Word) -> float:
    """Text that ends left of this is parted from ``word`` by a gutter; minus infinity where
    the word begins at none."""
    return max((g.x - ALIGNED for g in gutters if g.is_before(word)), default=-inf)


def find_gutters(words: Iterable[Word], body: float) -> list[Gutter]:
    """The gutters of a page, by their left edges. ``body`` is the usual cell height."""
    ordered = sorted(words, key=lambda w: w.x0)
    if len(ordered) < 4 * LINES:
        return []
    rows = _Rows(ordered, body)
    found: list[Gutter] = []
    start = 0
    for end, word in enumerate(ordered):
        while word.x0 - ordered[start].x0 > ALIGNED:
            start += 1
        if end - start + 1 >= LINES and (end + 1 == len(ordered) or _ends(ordered, start, end)):
            gutter = rows.gutter(ordered[start : end + 1])
            if gutter is not None and not any(gutter.x - g.x < COLUMN * body for g in found):
                found.append(gutter)
    return found


def _ends(ordered: Sequence[Word], start: int, end: int) -> bool:
    """Whether the next word no longer begins at the same place."""
    return ordered[end + 1].x0 - ordered[start].x0 > ALIGNED


class _Rows:
    """The words of a page by height."""

    def __init__(self, words: Sequence[Word], body: float) -> None:
        self._body = max(body, 4.0)
        self._shelves: dict[int, list[Word]] = defaultdict(list)
        for word in words:
            self._shelves[int((word.top + word.bottom) / 2 / self._body)].append(word)

    def gutter(self, starting: Sequence[Word]) -> Gutter | None:
        """The gutter before the words that begin at one place, if there is one."""
        x = starting[len(starting) // 2].x0
        after = [word for word in starting if self._follows_a_gap(word, x)]
        if len(after) < LINES:
            return None
        top, bottom = min(w.top for w in after), max(w.bottom for w in after)
        inside = [
            word
            for shelf in range(int(top / self._body) - 1, int(bottom / self._body) + 2)
            for word in self._shelves.get(shelf, ())
            if top <= (word.top + word.bottom) / 2 <= bottom
        ]
        if x - min(w.x0 for w in inside) < COLUMN * self._body:
            return None
        if max(w.x1 for w in inside) - x < COLUMN * self._body:
            return None
        edge = x - NARROWEST * self._body / 2
        crossing = sum(1 for word in inside if word.x0 < edge < word.x1)
        return None if crossing > CROSSING * len(after) else Gutter(x, top, bottom)

    def _follows_a_gap(self, word: Word, x: float) -> bool:
        """Whether there is text to the left of the word, and not next to it: neither a word
        nor the label of a list item."""
        before = self._row_before(word, x - ALIGNED)
        if not before:
            return False
        near = NARROWEST * self._body
        last = max(before, key=lambda o: o.x1)
        if x - last.x1 < near:
            return False
        rest = [o.x1 for o in before if o is not last]
        alone = not rest or last.x0 - max(rest) >= near
        return not (alone and LABEL.fullmatch(last.text))

    def _row_before(self, word: Word, x: float) -> list[Word]:
        """The other words of a word's line that begin left of ``x``."""
        shelf = int((word.top + word.bottom) / 2 / self._body)
        return [
            other
            for near in (shelf - 1, shelf, shelf + 1)
            for other in self._shelves.get(near, ())
            if other.x0 < x
            and other is not word
            and overlap(word.top, word.bottom, other.top, other.bottom)
            > 0.5 * min(word.bottom - word.top, other.bottom - other.top)
        ]
