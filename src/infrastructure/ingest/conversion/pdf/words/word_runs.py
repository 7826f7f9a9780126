"""Runs of words on one baseline without a wide gap."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap
from citeloom.infrastructure.ingest.conversion.pdf.words.gutters import Gutter, left_limit
from citeloom.infrastructure.ingest.conversion.pdf.words.word_spacing import SCRIPT_RATIO

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
        """Cost of continuing this run with what is to its right; None if it is no part of it."""
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
        """Cut the run where ``other`` stands in a gap between two words; the part behind it."""
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
            or pieces[-1].distance(word) is None
            or pieces[-1].x1 < left_limit(gutters, word)
        ):
            pieces.append(_OpenRun(word))
        else:
            pieces[-1].add(word)
        last = word
    return pieces


def _cut_at_insertions(pieces: Sequence[_OpenRun], step: float) -> list[_OpenRun]:
    """The pieces, cut where another one stands in a gap between two of their words: some
    producers write the bold words of a line after the others."""
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
