"""Column gutters narrower than a wide space, found by shared left edges.

Within one line a gutter of ten points looks like the space of a justified line. Over a whole
page it shows: the lines to its right all begin at one x, each after a gap, and hardly any
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
LINES = 8  # least number of lines that begin at the gutter, with text on its other side
CROSSING = 0.25  # largest share of lines across the gutter
ALIGNED = 0.8  # points
LIST_LABEL = re.compile(r"\W|[\[(]?\w{1,4}[.):\]]")  # of an item in a list


class Gutter(NamedTuple):
    """The left edge ``x`` of a column, between two heights, in points."""

    x: float
    top: float
    bottom: float

    def is_before(self, word: Word) -> bool:
        """Whether ``word`` begins at the gutter."""
        return (
            abs(word.x0 - self.x) <= 2 * ALIGNED
            and self.top <= (word.top + word.bottom) / 2 <= self.bottom
        )


def left_limit(gutters: Iterable[Gutter], word: Word) -> float:
    """The x of the gutter before ``word``: text that ends left of it is in another column.
    Minus infinity without a gutter."""
    return max((g.x - ALIGNED for g in gutters if g.is_before(word)), default=-inf)


def find_gutters(words: Iterable[Word], body: float) -> list[Gutter]:
    """The gutters of a page, by their left edges. ``body`` is the usual cell height."""
    ordered = sorted(words, key=lambda w: w.x0)
    if len(ordered) < 4 * LINES:
        return []
    rows = _WordRows(ordered, body)
    gutters: list[Gutter] = []
    start = 0
    for end, word in enumerate(ordered):
        while word.x0 - ordered[start].x0 > ALIGNED:
            start += 1
        if end - start + 1 >= LINES and (end + 1 == len(ordered) or _ends(ordered, start, end)):
            gutter = rows.gutter(ordered[start : end + 1])
            if gutter is not None and not any(gutter.x - g.x < COLUMN * body for g in gutters):
                gutters.append(gutter)
    return gutters


def _ends(ordered: Sequence[Word], start: int, end: int) -> bool:
    """Whether the next word no longer begins at the same place."""
    return ordered[end + 1].x0 - ordered[start].x0 > ALIGNED


class _WordRows:
    """The words of a page, indexed by row."""

    def __init__(self, words: Sequence[Word], body: float) -> None:
        self._body = max(body, 4.0)
        self._rows: dict[int, list[Word]] = defaultdict(list)
        for word in words:
            self._rows[int((word.top + word.bottom) / 2 / self._body)].append(word)

    def gutter(self, starting: Sequence[Word]) -> Gutter | None:
        """The gutter before words that begin at one x, if there is one."""
        x = starting[len(starting) // 2].x0
        after = [word for word in starting if self._follows_a_gap(word, x)]
        if len(after) < LINES:
            return None
        top, bottom = min(w.top for w in after), max(w.bottom for w in after)
        inside = [
            word
            for shelf in range(int(top / self._body) - 1, int(bottom / self._body) + 2)
            for word in self._rows.get(shelf, ())
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
        """Whether there is text to the left of the word, after a gap, other than the label of a
        list item."""
        before = self._row_before(word, x - ALIGNED)
        if not before:
            return False
        near = NARROWEST * self._body
        last = max(before, key=lambda o: o.x1)
        if x - last.x1 < near:
            return False
        rest = [o.x1 for o in before if o is not last]
        alone = not rest or last.x0 - max(rest) >= near
        return not (alone and LIST_LABEL.fullmatch(last.text))

    def _row_before(self, word: Word, x: float) -> list[Word]:
        """The other words of a word's line that begin left of ``x``."""
        row = int((word.top + word.bottom) / 2 / self._body)
        return [
            other
            for neighbour in (row - 1, row, row + 1)
            for other in self._rows.get(neighbour, ())
            if other.x0 < x
            and other is not word
            and overlap(word.top, word.bottom, other.top, other.bottom)
            > 0.5 * min(word.bottom - word.top, other.bottom - other.top)
        ]
