"""The document's lines in reading order, with its usual text size, font and line pitch."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word, overlap

from .lines import TextLine

FAR = 999.0


class Column(NamedTuple):
    """The lines of one column of one band of a page, from the top down."""

    page: int
    lines: tuple[TextLine, ...]
    aside: bool = False


class PlacedLine(NamedTuple):
    """A line with its distances to its neighbours, in points.

    ``above`` and ``below`` are baseline distances to the lines before and after in the same
    column (FAR at its ends); ``left`` and ``right`` are the column's edges; ``aside`` marks
    margin notes.
    """

    line: TextLine
    column: int
    above: float
    below: float
    left: float
    right: float
    aside: bool

    @property
    def indent(self) -> float:
        return self.line.x0 - self.left

    @property
    def short_by(self) -> float:
        """White space at the end of the line."""
        return self.right - self.line.x1


class BodyStyle(NamedTuple):
    """Usual cell height, font, baseline distance and weight of the document's text."""

    size: float
    font: str
    pitch: float
    bold: bool

    def ratio(self, line: TextLine) -> float:
        return line.size / self.size


def weighted_median(values: Iterable[tuple[float, int]]) -> float:
    """The median of values with weights; 0 without any."""
    weights: Counter[float] = Counter()
    for value, weight in values:
        weights[value] += weight
    half = weights.total() / 2
    for value, weight in sorted(weights.items()):
        half -= weight
        if half <= 0:
            return value
    return 0.0


def style_of(columns: Sequence[Column]) -> BodyStyle:
    """Character-weighted statistics over the whole document."""
    lines = [line for column in columns for line in column.lines]
    size = weighted_median((line.size, len(line.text)) for line in lines) or 8.0
    fonts: Counter[tuple[str, bool]] = Counter()
    distances: Counter[float] = Counter()
    for column in columns:
        for before, line in zip((None, *column.lines), column.lines, strict=False):
            if abs(line.size - size) > 0.06 * size:
                continue
            fonts[line.font, line.bold] += len(line.text)
            if before is not None and abs(before.size - size) <= 0.06 * size:
                distances[round((line.base - before.base) * 2) / 2] += 1
    usual = [item for item in distances.items() if 0.9 * size < item[0] < 3 * size]
    pitch = max(usual, key=lambda item: (item[1], -item[0]))[0] if usual else 1.5 * size
    ranked = sorted(fonts.items(), key=lambda item: (-item[1], item[0]))
    font, bold = ranked[0][0] if ranked else ("", False)
    return BodyStyle(size=size, font=font, pitch=pitch, bold=bold)


def place_lines(columns: Sequence[Column]) -> list[PlacedLine]:
    """Every line with its distances and its column's edges."""
    edges = _usual_edges(columns)
    placed: list[PlacedLine] = []
    for number, column in enumerate(columns):
        left, right = _edges(column, edges)
        lines = column.lines
        for i, line in enumerate(lines):
            above = line.base - lines[i - 1].base if i else FAR
            below = lines[i + 1].base - line.base if i + 1 < len(lines) else FAR
            placed.append(PlacedLine(line, number, above, below, left, right, column.aside))
    return placed


def _usual_edges(columns: Sequence[Column]) -> list[tuple[float, float]]:
    """Edges of the long columns, the most frequent first."""
    counts: Counter[tuple[float, float]] = Counter()
    for column in columns:
        if len(column.lines) >= 6 and not column.aside:
            counts[_own_edges(column)] += len(column.lines)
    return [edges for edges, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _own_edges(column: Column) -> tuple[float, float]:
    lefts = Counter(round(line.x0) for line in column.lines)
    rights = Counter(round(line.x1) for line in column.lines)
    half = max(2, len(column.lines) // 8)
    left = min((x for x, n in lefts.items() if n >= half), default=min(lefts))
    right = max((x for x, n in rights.items() if n >= half), default=max(rights))
    return (float(left), float(max(right, left + 1)))


def _edges(column: Column, usual: Sequence[tuple[float, float]]) -> tuple[float, float]:
    own_edges = _own_edges(column)
    for left, right in usual:
        if (
            own_edges[0] >= left - 3
            and own_edges[1] <= right + 3
            and own_edges[1] - own_edges[0] > 0.3 * (right - left)
        ):
            return (left, right)
        if len(column.lines) < 6 and own_edges[0] >= left - 3 and own_edges[1] <= right + 3:
            return (left, right)
    return own_edges


LARGE = 1.7  # least height of a drop cap, in heights of the text
NEAR = 1.2  # greatest distance to the lines beside it, in heights of the text
_WORDS = frozenset("AIO\u00c0")  # capitals that are words by themselves in some language


def merge_dropcaps(record: PageRecord) -> PageRecord:
    """The page with each drop cap in the size of the text, at the beginning of its word.

    The lines beside it are extended to its left edge, like the rest of the paragraph.
    """
    body = weighted_median((w.size, len(w.text)) for w in record.words)
    if not body:
        return record
    words = list(record.words)
    for initial in [w for w in words if _is_initial(w, body)]:
        beside = _beside(initial, words, body)
        if len(beside) < 2:
            continue
        first = beside[0]
        other_words = {word.text.strip(".,;:") for word in words if word is not first}
        words.remove(initial)
        for at, word in enumerate(words):
            if any(word is other for other in beside[1:]):
                words[at] = word._replace(x0=initial.x0)
        at = next(i for i, word in enumerate(words) if word is first)
        if _is_own_word(initial.text, first.text, other_words):
            width = min(body, (first.x0 - initial.x0) / 2)
            initial_word = first._replace(text=initial.text, x0=initial.x0, x1=initial.x0 + width)
            words[at : at + 1] = [initial_word, first]
        else:
            words[at] = first._replace(text=initial.text + first.text, x0=initial.x0)
    return record._replace(words=tuple(words))


def _is_initial(word: Word, body: float) -> bool:
    if word.bottom - word.top <= LARGE * body or len(word.text) > 2:
        return False
    letters = [char for char in word.text if char.isalpha()]
    return len(letters) == 1 and letters[0].isupper()


def _beside(initial: Word, words: Sequence[Word], body: float) -> list[Word]:
    """First words of the lines to the right of an initial, from the top down."""
    near = [
        word
        for word in words
        if word.size < 1.3 * body
        and -0.3 * body < word.x0 - initial.x1 < NEAR * body
        and initial.top < (word.top + word.bottom) / 2 < initial.bottom
    ]
    rows: list[Word] = []
    for word in sorted(near, key=lambda w: (w.top, w.x0)):
        if rows and overlap(rows[-1].top, rows[-1].bottom, word.top, word.bottom) > 0.5 * body:
            continue
        rows.append(word)
    left = min((word.x0 for word in rows[1:]), default=0.0)
    aligned = [word for word in rows[1:] if word.x0 - left < 0.3 * body]
    return [*rows[:1], *aligned] if rows else []


def _is_own_word(initial: str, following: str, other_words: set[str]) -> bool:
    """Whether the initial is a word by itself: *A study*, not *Although*."""
    if initial not in _WORDS or not following[:1].islower():
        return initial in _WORDS and not following[:1].isalpha()
    return following.strip(".,;:") in other_words and initial + following not in other_words
