"""Words that a page has and does not show: clipped away, covered, in the paper's colour.

Figures that were cut out of a larger drawing keep what lies outside their frame.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap

if TYPE_CHECKING:
    from PIL.Image import Image

LEAST = (40.0, 25.0)  # width and height in points of a drawing that may hide text
_CONTRAST = 6  # grey levels between ink and paper, at least
_SHELF = 20.0  # points
_ENOUGH = 0.4  # of a word's height
_TALL = re.compile(r"[A-Z0-9bdfhklt]")
_FEWEST = 2  # letters of a word large enough to be looked for


class Looked:
    """Which pages of a document to look at: pages of text hide nothing, nor does a drawing
    that hid nothing when it stood in the same place of an earlier page (a logo, a frame)."""

    def __init__(self) -> None:
        self._harmless: set[tuple[int, ...]] = set()

    def seen(
        self, words: Sequence[Word], boxes: Sequence[BBox], picture: Callable[[], "Image"]
    ) -> list[Word]:
        """The words that the next page shows. ``boxes`` are its drawings and pictures."""
        large = {
            tuple(map(round, b))
            for b in boxes
            if b[2] - b[0] >= LEAST[0] and b[3] - b[1] >= LEAST[1]
        }
        if large <= self._harmless:
            return list(words)
        shown = seen(words, picture())
        if len(shown) == len(words):
            self._harmless |= large
        return shown


def seen(words: Sequence[Word], image: "Image") -> list[Word]:
    """The words in whose boxes there is ink of their own. ``image`` is the page, one pixel a
    point."""
    grey = np.asarray(image.convert("L"))
    shelves: dict[int, list[Word]] = defaultdict(list)
    for word in words:
        for shelf in _shelves(word):
            shelves[shelf].append(word)
    return [word for word in words if _has_ink(word, shelves, grey)]


def _shelves(word: Word) -> range:
    return range(int(word.top / _SHELF), int(word.bottom / _SHELF) + 1)


def _has_ink(
    word: Word,
    shelves: dict[int, list[Word]],
    grey: "np.ndarray[tuple[int, int], np.dtype[np.uint8]]",
) -> bool:
    if sum(c.isalnum() for c in word.text) < _FEWEST:
        return True
    top, bottom = _own_part(word, [w for shelf in _shelves(word) for w in shelves[shelf]])
    part = grey[max(0, int(top)) : int(bottom) + 1, max(0, int(word.x0)) : int(word.x1) + 2]
    return part.size == 0 or int(part.max()) - int(part.min()) >= _CONTRAST


def _own_part(word: Word, others: Sequence[Word]) -> tuple[float, float]:
    """Top and bottom of what no other word covers, if that is enough to show ink: letters
    stand on the baseline, tall ones reach up."""
    above, below = word.top - 0.5, word.bottom + 0.5
    left, right = word.x0, word.x1
    over = [
        w
        for w in others
        if w.x0 < right
        and w.x1 > left
        and w is not word
        and overlap(w.top, w.bottom, word.top, word.bottom) > 0.2 * word.size
    ]
    if not over:
        return above, below
    first, last = min(w.top for w in over), max(w.bottom for w in over)
    if first - word.top > _ENOUGH * word.size and _TALL.search(word.text):
        return above, first - 1.0
    if word.bottom - last > _ENOUGH * word.size:
        return last + 1.0, below
    return above, below
