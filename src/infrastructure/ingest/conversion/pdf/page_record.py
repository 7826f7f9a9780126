"""Page records: words, drawings and pictures of a parsed page, as small as possible.

Boxes are in points from the top left of the page as displayed. On a page whose text is
mostly rotated (a landscape table, a scan), they are in the frame in which the text runs from
left to right. A page of a right-to-left script is mirrored: x counts from its right edge.
``PageRecord.as_displayed`` converts a box back to the displayed page.
"""

from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, moved


class Word(NamedTuple):
    """A run of characters without a space, in one font. ``size`` is its height, from the
    ascent to the descent of the font.

    ``rtl`` words run against the direction in which x counts: from right to left, or on a
    mirrored page from left to right. ``order`` is the word's place in the page's content, -1 if
    unknown; ``spaced``: the content has a space or a line's end before it.
    """

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    font: str
    bold: bool
    italic: bool
    rtl: bool = False
    order: int = -1
    spaced: bool = True

    @property
    def size(self) -> float:
        return self.bottom - self.top

    @property
    def box(self) -> BBox:
        return (self.x0, self.top, self.x1, self.bottom)


class PageRecord(NamedTuple):
    """A page after parsing. ``width`` and ``height`` are those of the displayed page.

    ``rotated_words`` run in another direction than the text: side stamps, axis labels.
    ``drawings`` are boxes of connected vector shapes, ``rules`` the thin ones among them,
    ``strokes`` all horizontal and vertical lines, connected or not, ``pictures`` boxes of
    bitmaps, ``formulas`` those of the words that are several set over each other (fractions).
    ``rotation`` is that of the text, in degrees. ``plain_text`` is the page's text as
    the reader of its characters orders and parts it, independent of any layout; empty if there
    is none. ``turned_text`` is the same of the page turned so that its text runs to the right,
    if it does not: the reader has rules of its own for lines that run up or down, and either may be
    wrong. ``hidden`` counts the words that a reader does not see, by
    reason; ``controls`` the words with characters that turn or hide text.
    """

    page: int
    width: float
    height: float
    words: tuple[Word, ...] = ()
    rotated_words: tuple[Word, ...] = ()
    drawings: tuple[BBox, ...] = ()
    rules: tuple[BBox, ...] = ()
    strokes: tuple[BBox, ...] = ()
    pictures: tuple[BBox, ...] = ()
    formulas: tuple[BBox, ...] = ()
    rotation: int = 0
    mirrored: bool = False
    plain_text: str = ""
    turned_text: str = ""
    hidden: tuple[tuple[str, int], ...] = ()
    controls: int = 0

    @property
    def frame(self) -> tuple[float, float]:
        """Width and height of the frame of the words' boxes."""
        sideways = self.rotation in (90, 270)
        return (self.height, self.width) if sideways else (self.width, self.height)

    def as_displayed(self, box: BBox) -> BBox:
        if self.mirrored:
            box = _mirrored(box, self.frame[0])
        return unrotated(box, self.rotation, self.width, self.height)

    def with_text_moved(self, right: float, down: float) -> "PageRecord":
        """The words moved on the displayed page."""
        dx, dy = {
            0: (right, down),
            90: (-down, right),
            180: (-right, -down),
            270: (down, -right),
        }[self.rotation]
        dx = -dx if self.mirrored else dx
        return self._replace(
            words=tuple(_moved_word(word, dx, dy) for word in self.words),
            rotated_words=tuple(_moved_word(word, right, down) for word in self.rotated_words),
        )

    def mirrored_if_rtl(self) -> "PageRecord":
        """The page mirrored if most of its words run from right to left, so that columns,
        indents and lists are found in it as in any other."""
        if 2 * sum(word.rtl for word in self.words) <= len(self.words):
            return self
        width = self.frame[0]
        return self._replace(
            words=tuple(_mirrored_word(word, width) for word in self.words),
            drawings=tuple(_mirrored(box, width) for box in self.drawings),
            rules=tuple(_mirrored(box, width) for box in self.rules),
            pictures=tuple(_mirrored(box, width) for box in self.pictures),
            formulas=tuple(_mirrored(box, width) for box in self.formulas),
            mirrored=True,
        )


def _moved_word(word: Word, right: float, down: float) -> Word:
    x0, top, x1, bottom = (round(edge, 2) for edge in moved(word.box, right, down))
    return word._replace(x0=x0, top=top, x1=x1, bottom=bottom)


def _mirrored(box: BBox, width: float) -> BBox:
    return (width - box[2], box[1], width - box[0], box[3])


def _mirrored_word(word: Word, width: float) -> Word:
    return word._replace(x0=width - word.x1, x1=width - word.x0, rtl=not word.rtl)


def rotated(box: BBox, rotation: int, width: float, height: float) -> BBox:
    """A displayed box in the frame of text that runs up (90), down (270) or upside down (180)."""
    if not rotation:
        return box
    x0, top, x1, bottom = box
    if rotation == 90:
        return (height - bottom, x0, height - top, x1)
    if rotation == 270:
        return (top, width - x1, bottom, width - x0)
    if rotation == 180:
        return (width - x1, height - bottom, width - x0, height - top)
    return box


def unrotated(box: BBox, rotation: int, width: float, height: float) -> BBox:
    """The inverse of ``rotated``."""
    x0, top, x1, bottom = box
    if rotation == 90:
        return (top, height - x1, bottom, height - x0)
    if rotation == 270:
        return (width - bottom, x0, width - top, x1)
    return rotated(box, rotation, width, height)


def overlap(a0: float, a1: float, b0: float, b1: float) -> float:
    """Length shared by two intervals; negative: the distance between them."""
    return min(a1, b1) - max(a0, b0)


def centre_inside(box: BBox, outer: BBox, slack: float = 0.0) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] - slack <= x <= outer[2] + slack and outer[1] - slack <= y <= outer[3] + slack
