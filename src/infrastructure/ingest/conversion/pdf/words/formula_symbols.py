"""Symbols of a formula, split where docling-parse runs them together.

TeX sets no space in a product, so the decoder returns ``B1C2B1`` or ``aiDi`` as one word.
Here each symbol with its sub- and superscripts is a word of its own, as readers and search
expect.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import is_mathematical
from citeloom.infrastructure.ingest.conversion.pdf.words.unspaced_text import UnspacedText
from citeloom.infrastructure.ingest.conversion.pdf.words.word_spacing import SCRIPT_RATIO

_RAISED = 0.1  # of the size: least difference between the baselines of symbol and script
_LEVEL = 0.5  # points: largest difference between equal baselines
_LEAST_GAP = 0.13  # of the size: no space is set below this
_DIGIT_THEN_LETTER = re.compile(r"\d[^\W\d_]")
_LEAST_SPACE = 0.5  # points: TeX's \scriptspace, which the glyph's own width may hide
_SLACK = 2.0  # points by which boxes of pdfium and docling-parse may differ


class Glyph(NamedTuple):
    """A character on the page. ``size`` is the height of its font, ``base`` the distance of its
    baseline from the top of the page, both in points."""

    x0: float
    x1: float
    size: float
    base: float
    font: str


def split_symbols(
    word: Word, plain: str, page: UnspacedText, glyph_of: Callable[[int], Glyph | None]
) -> list[Word]:
    """``word`` split before each letter or digit that follows a script, or a gap with a change
    of font. ``page`` is the page's text, in which the word is spelt ``plain``."""
    for places in page.find(plain):
        first = glyph_of(places[0])
        if first is None or not _lies_in(first, word.box):
            continue
        pairs = enumerate(pairwise(map(glyph_of, places)), start=1)
        cuts = [
            (i, script.x1, symbol.x0)
            for i, (script, symbol) in pairs
            if script and symbol and word.text[i].isalnum() and _begins_symbol(script, symbol)
        ]
        return list(_split_at(word, cuts))
    return [word]


def may_hold_symbols(word: Word) -> bool:
    """Whether a word is mathematics by its font, or has a letter after a digit."""
    if len(word.text) < 3:
        return False
    return is_mathematical(word.font) or _DIGIT_THEN_LETTER.search(word.text) is not None


def _lies_in(glyph: Glyph, box: BBox) -> bool:
    x = (glyph.x0 + glyph.x1) / 2
    return box[0] - _SLACK <= x <= box[2] + _SLACK and (
        box[1] - _SLACK <= glyph.base <= box[3] + _SLACK
    )


def _begins_symbol(before: Glyph, symbol: Glyph) -> bool:
    """Whether ``symbol`` begins a new symbol, in a font for mathematics."""
    if not is_mathematical(symbol.font):
        return False
    if before.size < SCRIPT_RATIO * symbol.size:
        return abs(before.base - symbol.base) > _RAISED * symbol.size
    level = abs(before.base - symbol.base) < _LEVEL
    return (
        level and before.font != symbol.font and (symbol.x0 - before.x1 > _LEAST_GAP * symbol.size)
    )


def _split_at(word: Word, cuts: Sequence[tuple[int, float, float]]) -> Iterator[Word]:
    """The parts of a word. A cut is an index, and the edges to its left and right."""
    at, x0 = 0, word.x0
    for place, end, begin in cuts:
        yield word._replace(text=word.text[at:place], x0=x0, x1=min(end, begin - _LEAST_SPACE))
        at, x0 = place, begin
    yield word._replace(text=word.text[at:], x0=x0)
