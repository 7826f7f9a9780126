"""Runs of words on one baseline without a wide gap.

Column gutters narrower than a wide space, found by shared left edges. Within one line a gutter of
ten points looks like the space of a justified line. Over a whole page it shows: the lines to its
right all begin at one x, each after a gap, and hardly any word crosses it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import inf
from operator import attrgetter
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap

from .characters import clean, is_cjk, is_hangul, is_small_caps
from .page_words import direction

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


def left_limit(gutters: Sequence[Gutter], word: Word) -> float:
    """The x of the gutter before ``word``: text that ends left of it is in another column.
    Minus infinity without a gutter."""
    if not gutters:
        return -inf
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


# All but the last two in cell heights (about 0.8 of the font size).
TIGHT = 0.13  # narrower gaps are not spaces
NARROW = 0.45  # gaps in Chinese and Japanese lines stretched to full width
KERNED = 0.18  # narrower gaps are not spaces in Arabic: the decoder takes kerns for spaces
SPREAD = 0.6  # narrower gaps are not spaces in a heading with spread letters
_SCRIPT = 1.45  # a cell higher than its neighbour by more holds scripts or is a symbol
SCRIPT_RATIO = 0.86  # a word smaller than this share of its neighbour is a super- or subscript


def join_words(words: Sequence[Word]) -> str:
    """The text of words in reading order, with a space at each gap that is one."""
    parts: list[str] = []
    before: Word | None = None
    note_mark = _begins_with_note_mark(words) and not words[0].rtl
    tight_below = SPREAD if _is_spread(words) else TIGHT
    last = 0.0
    for i, word in enumerate(words):
        size = word.bottom - word.top
        if before is not None:
            gap = max(word.x0 - before.x1, before.x0 - word.x1)
            short, tall = (size, last) if size < last else (last, size)
            tall = min(tall, _SCRIPT * short)
            if tight_below == TIGHT and 0 <= before.order == word.order - 1:
                tight = not word.spaced
            else:
                is_rtl = direction(before.text) == direction(word.text) == "R"
                tight = gap < (KERNED if is_rtl else tight_below) * tall
            tight = tight or (gap < NARROW * tall and _needs_no_space(before, word, first=i == 1))
            if not tight or (note_mark and word is words[1]):
                parts.append(" ")
        parts.append(word.text)
        before, last = word, size
    return clean("".join(parts)).strip()


def _needs_no_space(before: Word, word: Word, first: bool) -> bool:
    """Whether a narrow gap between two words is not a space. Typesetters put a quarter of an em
    between Chinese or Japanese and letters or digits; but a number may begin a heading."""
    ends, begins = before.text[-1], word.text[0]
    if is_cjk(ends):
        return is_cjk(begins) or (begins.isalnum() and not is_hangul(begins))
    if not is_cjk(begins) or (first and not before.text.isalpha()):
        return False
    return ends.isalnum() and not is_hangul(ends)


def _is_spread(words: Sequence[Word]) -> bool:
    """Whether capitals are set with spaces between them (A B S T R A C T)."""
    return (
        len(words) >= 3
        and all(word.text.isupper() and word.text.isalpha() for word in words)
        and sum(len(word.text) for word in words) <= 3 * len(words)
    )


def _begins_with_note_mark(words: Sequence[Word]) -> bool:
    """Whether the words begin with a raised note or affiliation mark, not with the mass number
    of an isotope."""
    return begins_raised(words) and words[1].text[:3].isalpha() and len(words[1].text) > 2


def begins_raised(words: Sequence[Word]) -> bool:
    """Whether the words begin with a superscript."""
    if len(words) < 2:
        return False
    first, second = words[0], words[1]
    if is_small_caps(first.font):
        return False
    return (
        first.size < SCRIPT_RATIO * second.size
        and first.bottom < second.bottom - 0.15 * second.size
    )


# All in word heights (0.91 of the em). A run is cut at gaps wider than WIDE: the narrowest
# gutters are 10 points in 10-point type, and justified lines rarely stretch a space as far.
WIDE = 1.08
NEAR = 0.4  # greatest gap between a word and its superscript
MUCH_SMALLER = 0.75  # least ratio of sizes within a run, unless words touch


class WordRun(NamedTuple):
    """Words on one baseline without a wide gap. ``top`` and ``bottom`` are those of the words
    in the run's main size; ``box`` encloses all words."""

    words: tuple[Word, ...]
    box: BBox
    top: float
    bottom: float

    @property
    def x0(self) -> float:
        return self.box[0]

    @property
    def x1(self) -> float:
        return self.box[2]

    @property
    def size(self) -> float:
        return self.bottom - self.top

    @property
    def order(self) -> int:
        """The place of its first word in the page's content, -1 if unknown."""
        return self.words[0].order


class _OpenRun:
    """A run under construction, from left to right."""

    __slots__ = ("bottom", "top", "words", "x0", "x1")

    def __init__(self, word: Word) -> None:
        self.words = [word]
        self.x0, self.x1, self.top, self.bottom = word.x0, word.x1, word.top, word.bottom

    def distance(self, right: "Word | _OpenRun") -> float | None:
        """Cost of continuing this run with what is to its right; None if it does not belong to
        it."""
        own_size, size = self.bottom - self.top, right.bottom - right.top
        smaller, larger = min(own_size, size), max(own_size, size)
        gap = right.x0 - self.x1
        if gap > max(WIDE * smaller, NEAR * larger) or gap < -0.6 * larger:
            return None
        if smaller < MUCH_SMALLER * larger and gap > 2 * NEAR * smaller:
            return None  # a margin note beside a heading
        shared = overlap(right.top, right.bottom, self.top, self.bottom)
        if smaller < SCRIPT_RATIO * larger and gap < NEAR * larger:
            if shared < 0.2 * smaller:
                return None
        elif shared < 0.5 * smaller:
            return None
        return max(gap, 0.0) + 2 * (smaller - shared)

    def has_beside(self, word: Word) -> bool:
        """Whether ``word`` is a script that begins where the scripts before it do: a subscript
        below a superscript."""
        small = SCRIPT_RATIO * (self.bottom - self.top)
        at = len(self.words)
        while at and self.words[at - 1].size < small:
            at -= 1
        return (
            0 < at < len(self.words)
            and word.size < small
            and self.words[at].x0 - 0.6 * word.size < word.x0 < self.x1
            and overlap(word.top, word.bottom, self.top, self.bottom) > 0.2 * word.size
        )

    def add(self, word: Word) -> None:
        self.words.append(word)
        self.x0, self.x1 = min(self.x0, word.x0), max(self.x1, word.x1)
        self._take_height(word)

    def join(self, run: "_OpenRun") -> None:
        self.words.extend(run.words)
        self.x0, self.x1 = min(self.x0, run.x0), max(self.x1, run.x1)
        self._take_height(run)

    def _take_height(self, other: "Word | _OpenRun") -> None:
        if other.bottom - other.top > (self.bottom - self.top) / SCRIPT_RATIO:
            self.top, self.bottom = other.top, other.bottom

    def split_at(self, other: "_OpenRun") -> "_OpenRun | None":
        """Cut the run at a gap between two words that has ``other``; returns the second part."""
        for at in range(1, len(self.words)):
            before, after = self.words[at - 1], self.words[at]
            slack = 0.2 * (self.bottom - self.top)
            if before.x1 - slack <= other.x0 and other.x1 <= after.x0 + slack:
                return self._cut(at)
        return None

    def _cut(self, at: int) -> "_OpenRun":
        rest = _OpenRun(self.words[at])
        for word in self.words[at + 1 :]:
            rest.add(word)
        first = _OpenRun(self.words[0])
        for word in self.words[1:at]:
            first.add(word)
        self.words, self.x0, self.x1 = first.words, first.x0, first.x1
        self.top, self.bottom = first.top, first.bottom
        return rest

    def close(self) -> WordRun:
        if len(self.words) == 1:
            return WordRun((self.words[0],), self.words[0].box, self.top, self.bottom)
        top, bottom = self.words[0].top, self.words[0].bottom
        if all(word.top == top and word.bottom == bottom for word in self.words):
            return WordRun(tuple(self.words), (self.x0, top, self.x1, bottom), top, bottom)
        sizes: Counter[float] = Counter()
        for word in self.words:
            sizes[round(word.size * 2) / 2] += len(word.text)
        main = max(sizes.items(), key=lambda item: (item[1] * item[0], item[0]))[0]
        core = [w for w in self.words if abs(w.size - main) <= 0.3] or self.words
        box = (
            self.x0,
            min(w.top for w in self.words),
            self.x1,
            max(w.bottom for w in self.words),
        )
        tops, bottoms = sorted(w.top for w in core), sorted(w.bottom for w in core)
        return WordRun(tuple(self.words), box, tops[len(tops) // 2], bottoms[len(bottoms) // 2])


def runs_of(words: Sequence[Word], body: float, gutters: Sequence[Gutter] = ()) -> list[WordRun]:
    """Runs of words, by left edge; none crosses one of ``gutters``. ``body`` is the usual word
    height.

    Words that follow each other in the content and on the page are one piece. Pieces side by
    side on one baseline are one run; the words of two pieces are never mixed.
    """
    pieces = _pieces(words, gutters)
    step = max(body, 4.0)
    rows: dict[int, list[_OpenRun]] = defaultdict(list)
    open_runs: list[_OpenRun] = []
    for piece in sorted(_cut_at_insertions(pieces, step), key=attrgetter("x0", "top")):
        best: tuple[float, _OpenRun] | None = None
        gutter = left_limit(gutters, piece.words[0])
        places = range(int(piece.top / step), int(piece.bottom / step) + 1)
        for row in places:
            for run in rows.get(row, ()):
                if run.top > piece.bottom or run.bottom < piece.top or run.x1 < gutter:
                    continue  # most are the lines above and below
                distance = run.distance(piece)
                if distance is not None and (best is None or distance < best[0]):
                    best = (distance, run)
        if best is None:
            run = piece
            open_runs.append(run)
        else:
            run = best[1]
            run.join(piece)
        for row in places:
            if run not in rows[row]:
                rows[row].append(run)
    return [run.close() for run in open_runs]


def _pieces(words: Sequence[Word], gutters: Sequence[Gutter]) -> list[_OpenRun]:
    """Words that follow each other in the content, from left to right on one baseline."""
    pieces: list[_OpenRun] = []
    last: Word | None = None
    for word in words:
        follows = last is not None and 0 <= last.order == word.order - 1
        if (
            not follows
            or (pieces[-1].distance(word) is None and not pieces[-1].has_beside(word))
            or pieces[-1].x1 < min(left_limit(gutters, word), word.x0 - NARROWEST * word.size)
        ):
            pieces.append(_OpenRun(word))
        else:
            pieces[-1].add(word)
        last = word
    return pieces


def _cut_at_insertions(pieces: Sequence[_OpenRun], step: float) -> list[_OpenRun]:
    """The pieces, cut where another piece lies in a gap between two of their words: some producers
    write the bold words of a line after the others."""
    rows: dict[int, list[_OpenRun]] = defaultdict(list)
    for piece in pieces:
        rows[int((piece.top + piece.bottom) / 2 / step)].append(piece)
    whole = list(pieces)
    for piece in pieces:
        row = int((piece.top + piece.bottom) / 2 / step)
        for place in (row - 1, row, row + 1):
            for other in rows.get(place, ()):
                if (
                    other is not piece
                    and other.x0 < piece.x0
                    and piece.x1 < other.x1
                    and overlap(piece.top, piece.bottom, other.top, other.bottom)
                    > 0.5 * (piece.bottom - piece.top)
                ):
                    rest = other.split_at(piece)
                    if rest is not None:
                        whole.append(rest)
                        rows[place].append(rest)
                        break
    return whole
