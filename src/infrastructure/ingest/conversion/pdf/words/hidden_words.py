"""Words that a page does not show: clipped away, covered, in the paper's colour.

Figures cut out of a larger drawing keep the text outside their frame.
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
_ROW_HEIGHT = 20.0  # points
_ENOUGH = 0.4  # of a word's height
_TALL = re.compile(r"[A-Z0-9bdfhklt]")
_FEWEST = 2  # letters of a word large enough to be looked for


class HiddenWordFilter:
    """Drops hidden words, page by page. A page is rendered only if it has a large drawing that
    is not known to hide nothing from the same place of an earlier page (a logo, a frame)."""

    def __init__(self) -> None:
        self._harmless: set[tuple[int, ...]] = set()

    def visible(
        self, words: Sequence[Word], boxes: Sequence[BBox], picture: Callable[[], "Image"]
    ) -> list[Word]:
        """The visible words of the next page. ``boxes`` are its drawings and pictures."""
        large = {
            tuple(map(round, b))
            for b in boxes
            if b[2] - b[0] >= LEAST[0] and b[3] - b[1] >= LEAST[1]
        }
        if large <= self._harmless:
            return list(words)
        visible = visible_words(words, picture())
        if len(visible) == len(words):
            self._harmless |= large
        return visible


def visible_words(words: Sequence[Word], image: "Image") -> list[Word]:
    """The words whose boxes hold ink of their own. ``image`` is the page, one pixel a point."""
    grey = np.asarray(image.convert("L"))
    rows: dict[int, list[Word]] = defaultdict(list)
    for word in words:
        for row in _row_range(word):
            rows[row].append(word)
    return [word for word in words if _has_ink(word, rows, grey)]


def _row_range(word: Word) -> range:
    return range(int(word.top / _ROW_HEIGHT), int(word.bottom / _ROW_HEIGHT) + 1)


def _has_ink(
    word: Word,
    rows: dict[int, list[Word]],
    grey: "np.ndarray[tuple[int, int], np.dtype[np.uint8]]",
) -> bool:
    if sum(c.isalnum() for c in word.text) < _FEWEST:
        return True
    top, bottom = _uncovered_part(word, [w for row in _row_range(word) for w in rows[row]])
    part = grey[max(0, int(top)) : int(bottom) + 1, max(0, int(word.x0)) : int(word.x1) + 2]
    return part.size == 0 or int(part.max()) - int(part.min()) >= _CONTRAST


def _uncovered_part(word: Word, others: Sequence[Word]) -> tuple[float, float]:
    """Top and bottom of the part that no other word covers, if it is high enough to show ink:
    letters stand on the baseline, tall ones reach up."""
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
