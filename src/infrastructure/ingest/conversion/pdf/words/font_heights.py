"""Heights of words by the em of their font.

A word reaches from the ascent to the descent of its font, 0.91 em, whatever its letters. Some
fonts give a false em: Type 3 fonts count in device pixels, others are drawn at another scale.
Their em is estimated from the heights of a few letters.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from citeloom.infrastructure.ingest.conversion.pdf.page_content.text_objects import INVISIBLE
from citeloom.infrastructure.ingest.conversion.pdf.words.page_characters import (
    LEAST_EM,
    UNNAMED,
    PageCharacters,
    TextStyle,
)

# Shares of the em in Latin type (Computer Modern, Times, Helvetica within a few per cent).
X_HEIGHT, ASCENT, DESCENT = 0.45, 0.70, 0.21
_LOW = frozenset("acemnorsuvwxz")
_HIGH = frozenset("bdfhklABDEFHIKLMNPRTUVXYZ")
_DEEP = frozenset("gjpqyQ,;()[]{}|/_@$&")
_TALL = frozenset("bdfhkltij()[]{}|/@$&!?'\"\u2018\u2019\u201c\u201d")
_SAMPLES = 24  # letters a font
_FEWEST = 3
_TOLERANCE = 0.3  # by which type designs differ


class FontHeights:
    """Ems of a document's fonts, estimated where the font gives a false one."""

    def __init__(self) -> None:
        self._ratios: dict[str, list[float]] = defaultdict(list)

    def corrected(self, characters: PageCharacters) -> PageCharacters:
        """The characters with the true ems of their styles."""
        if characters.upright:
            self._sample(characters)
        table = [self._true_style(style) for style in characters.table]
        return characters._replace(table=table)

    def _sample(self, characters: PageCharacters) -> None:
        """Measure letters of the fonts that have few samples yet."""
        fonts = [style.font for style in characters.table]
        wanted = {
            i
            for i, style in enumerate(characters.table)
            if style.turn == 0
            and style.mode not in INVISIBLE
            and len(self._ratios[style.font]) < _SAMPLES
        }
        if not wanted:
            return
        for index, style in enumerate(characters.styles):
            if style in wanted:
                char = chr(characters.codes[index])
                share = X_HEIGHT if char in _LOW else ASCENT if char in _HIGH else 0.0
                height = characters.tight_height(index) if share else 0.0
                if height > 0:
                    ratios = self._ratios[fonts[style]]
                    ratios.append(height / share / characters.table[style].em)
                    if len(ratios) >= _SAMPLES:
                        wanted = {s for s in wanted if fonts[s] != fonts[style]}

    def _true_style(self, style: TextStyle) -> TextStyle:
        factor = _median(self._ratios.get(style.font, ()))
        if factor is None and style.font.startswith(UNNAMED):
            medians = [_median(r) for font, r in self._ratios.items() if font.startswith(UNNAMED)]
            factor = _median([m for m in medians if m is not None] * _FEWEST)
        if factor is None or abs(factor - 1) <= _TOLERANCE:
            return style
        return style._replace(em=max(LEAST_EM, round(factor * style.em, 1)))


def _median(values: Sequence[float]) -> float | None:
    return sorted(values)[len(values) // 2] if len(values) >= _FEWEST else None


@lru_cache(maxsize=16384)
def _shape(text: str) -> tuple[bool, bool, bool]:
    """Whether a word has letters or digits, ascenders, descenders."""
    alphanumeric = any(map(str.isalnum, text))
    tall = any(c in _TALL or c.isupper() or c.isdigit() for c in text)
    return alphanumeric, tall, any(c in _DEEP for c in text)


def em_of(text: str, height: float) -> float | None:
    """The em of a word from the height of its glyphs; None without letters and digits."""
    alphanumeric, tall, deep = _shape(text)
    if not alphanumeric:
        return None
    return height / ((ASCENT if tall else X_HEIGHT) + (DESCENT if deep else 0.0))


def is_deep(text: str) -> bool:
    """Whether a word has descenders."""
    return _shape(text)[2]
