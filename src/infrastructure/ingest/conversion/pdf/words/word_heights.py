"""Word heights normalised to the height of the font.

docling-parse gives a word the height of its font (ascent to descent). In fonts without these
metrics it gives the height of the glyphs, so that "can" is half as high as "Taking". A word
with a superscript in the same font has the height of both. Some fonts claim to be hardly
higher than an x. Each of these spoils comparisons of sizes and baselines.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from operator import attrgetter

from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord, Word, overlap

_DEEP = frozenset("gjpqyQ,;()[]{}|/_@$&")
_TALL = frozenset("bdfhkltij()[]{}|/@$&!?'\"\u2018\u2019\u201c\u201d")
# Shares of the em in Latin type (Computer Modern, Times, Helvetica within a few per cent).
X_HEIGHT, ASCENT, DESCENT = 0.45, 0.70, 0.21
# Mean advance of small letters over the cell's height: 0.42 to 0.65 in Latin type with correct
# metrics.
USUAL_ADVANCE, SQUAT_ADVANCE = 0.47, 0.8
_ENOUGH = 20  # words needed to estimate a font's advance
BESIDE = 1.5  # heights between two words of one line; a gutter is wider


def normalise_heights(records: Sequence[PageRecord]) -> list[PageRecord]:
    """The records with each word as high as its font."""
    stretch = _low_cell_fonts(word for record in records for word in record.words)
    if stretch:
        records = [_stretched(record, stretch) for record in records]
    words = [word for record in records for word in record.words]
    without_metrics = _fonts_without_metrics(words)
    usual = _usual_heights(word for word in words if word.font not in without_metrics)
    is_usual = cache(partial(_is_usual, usual=usual))
    font_height = cache(partial(_font_height, usual=usual))
    normalised = []
    for record in records:
        edges = _WordEdges(record.words, is_usual)
        ems = _page_ems(record.words, without_metrics)
        heights_set = tuple(
            _from_glyphs(word, ems.get(word.font))
            if word.font in without_metrics
            else _without_script(word, font_height(word.font, word.size), edges)
            for word in record.words
        )
        normalised.append(record._replace(words=heights_set))
    return normalised


def _low_cell_fonts(words: Iterable[Word]) -> dict[str, float]:
    """Fonts whose cells are too low for the width of their letters, with the missing factor."""
    advances: dict[str, list[float]] = defaultdict(list)
    for word in words:
        if len(word.text) >= 4 and word.text.isascii() and word.text.islower() and word.size > 0:
            advances[word.font].append((word.x1 - word.x0) / (len(word.text) * word.size))
    medians = {
        font: sorted(values)[len(values) // 2]
        for font, values in advances.items()
        if len(values) >= _ENOUGH
    }
    return {font: n / USUAL_ADVANCE for font, n in medians.items() if n > SQUAT_ADVANCE}


def _stretched(record: PageRecord, stretch: Mapping[str, float]) -> PageRecord:
    """The record with the words of low-cell fonts heightened: their cells end at the baseline."""
    words = []
    for word in record.words:
        by = stretch.get(word.font)
        if by is not None:
            height = by * word.size
            descent = height * DESCENT / (ASCENT + DESCENT)
            bottom = word.bottom + descent
            word = word._replace(top=bottom - height, bottom=bottom)
        words.append(word)
    return record._replace(words=tuple(words))


@lru_cache(maxsize=16384)
def _shape(text: str) -> tuple[bool, bool, bool]:
    """Whether a word has letters or digits, ascenders, descenders."""
    alphanumeric = [c for c in text if c.isalnum()]
    tall = any(c in _TALL or c.isupper() or c.isdigit() for c in text)
    return bool(alphanumeric), tall, any(c in _DEEP for c in text)


def _fonts_without_metrics(words: Iterable[Word]) -> frozenset[str]:
    """Fonts in which words of x-height letters are lower than words with ascenders."""
    low: dict[str, Counter[float]] = defaultdict(Counter)
    high: dict[str, Counter[float]] = defaultdict(Counter)
    for word in words:
        if not word.text.isalpha() or not word.text.isascii():
            continue
        _, tall, deep = _shape(word.text)
        if not deep:
            (high if tall else low)[word.font][round(word.size, 1)] += 1
    return frozenset(
        font
        for font in low.keys() & high.keys()
        if low[font].most_common(1)[0][0] < 0.82 * high[font].most_common(1)[0][0]
    )


def em_of(text: str, height: float) -> float | None:
    """The em of a word from the height of its glyphs; None without letters and digits."""
    alphanumeric, tall, deep = _shape(text)
    if not alphanumeric:
        return None
    return height / ((ASCENT if tall else X_HEIGHT) + (DESCENT if deep else 0.0))


def is_deep(text: str) -> bool:
    """Whether a word has descenders."""
    return _shape(text)[2]


def _page_ems(words: Iterable[Word], without_metrics: frozenset[str]) -> dict[str, float]:
    """Median em on a page of each font without metrics."""
    ems: dict[str, list[float]] = defaultdict(list)
    for word in words:
        if word.font in without_metrics:
            em = em_of(word.text, word.size)
            if em is not None:
                ems[word.font].append(em)
    return {font: sorted(values)[len(values) // 2] for font, values in ems.items()}


def _from_glyphs(word: Word, usual: float | None) -> Word:
    em = em_of(word.text, word.size)
    if usual is not None and (em is None or abs(em - usual) < 0.2 * usual):
        em = usual
    if em is None:
        return word
    deep = _shape(word.text)[2]
    baseline = word.bottom - DESCENT * em if deep else word.bottom
    if not any(c.isalnum() for c in word.text):
        middle = (word.top + word.bottom) / 2
        baseline = middle + 0.25 * em
    return word._replace(top=baseline - ASCENT * em, bottom=baseline + DESCENT * em)


def _usual_heights(words: Iterable[Word]) -> dict[str, list[tuple[float, int]]]:
    heights: dict[str, Counter[float]] = defaultdict(Counter)
    for word in words:
        heights[word.font][round(word.size, 1)] += 1
    return {font: counts.most_common(6) for font, counts in heights.items()}


def _is_usual(font: str, size: float, usual: dict[str, list[tuple[float, int]]]) -> bool:
    """Whether ``size``, rounded to tenths of a point, is one of the font's usual heights."""
    return any(abs(height - size) < 0.15 for height, _ in usual.get(font, ())[:2])


class _WordEdges:
    """A page's words in the usual heights of their fonts, by font and by top or bottom edge.

    Built on first use: few pages need them.
    """

    def __init__(self, words: Sequence[Word], is_usual: Callable[[str, float], bool]) -> None:
        self._words, self._is_usual = words, is_usual

    @cached_property
    def _usual(self) -> list[Word]:
        return [w for w in self._words if self._is_usual(w.font, round(w.bottom - w.top, 1))]

    @cached_property
    def tops(self) -> Mapping[tuple[str, float], list[Word]]:
        return self._by(attrgetter("top"))

    @cached_property
    def bottoms(self) -> Mapping[tuple[str, float], list[Word]]:
        return self._by(attrgetter("bottom"))

    def _by(self, edge: Callable[[Word], float]) -> Mapping[tuple[str, float], list[Word]]:
        groups: dict[tuple[str, float], list[Word]] = {}
        for word in self._usual:
            groups.setdefault((word.font, round(edge(word), 1)), []).append(word)
        return groups


def _level_with(
    word: Word, y: float, height: float, edges: Mapping[tuple[str, float], list[Word]]
) -> bool:
    """Whether a word in a usual height of the font has an edge at ``y`` too. For plain letters
    or a plain number, which seldom have a script, it must be close by and of ``height``."""
    plain = word.text.isalpha() or word.text.strip(".").isdigit()
    return any(
        not plain
        or (
            abs(other.size - height) < 0.15
            and overlap(other.x0, other.x1, word.x0, word.x1) > -BESIDE * word.size
        )
        for step in (0.0, 0.1, -0.1)
        for other in edges.get((word.font, round(y + step, 1)), ())
    )


def _font_height(font: str, size: float, usual: dict[str, list[tuple[float, int]]]) -> float | None:
    """The font's height, if ``size`` is that plus what a super- or subscript adds."""
    heights = usual.get(font, [])
    own_count = next((n for height, n in heights if abs(height - size) < 0.15), 1)
    fitting = [
        (n, height)
        for height, n in heights
        if 1.05 * height < size <= 1.6 * height and n >= 4 * own_count
    ]
    return max(fitting)[1] if fitting else None


def _without_script(word: Word, height: float | None, edges: _WordEdges) -> Word:
    """A word with a super- or subscript, cut to the ``height`` of its font; None: unchanged."""
    if height is None or len(word.text) < 2:
        return word
    if _level_with(word, word.bottom, height, edges.bottoms):
        return word._replace(top=word.bottom - height)
    if _level_with(word, word.top, height, edges.tops):
        return word._replace(bottom=word.top + height)
    return word
