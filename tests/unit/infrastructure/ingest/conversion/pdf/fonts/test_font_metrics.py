"""Fonts recognised by their metrics."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pdf.coded_text import ROMAN, SYMBOLS

from citeloom.infrastructure.ingest.conversion.pdf.fonts.reference_fonts import (
    Glyph,
    reference_fonts,
    texts_by_metrics,
    texts_of_plain_text,
)

Metrics = dict[int, tuple[float, float, float]]


def scaled(metrics: Metrics, scale: float) -> dict[int, Glyph]:
    return {code: Glyph(*(scale * number for number in glyph)) for code, glyph in metrics.items()}


@given(st.floats(0.03, 3.0))
def test_a_font_is_known_at_any_scale(scale: float) -> None:
    texts = texts_by_metrics(scaled(ROMAN, scale))
    told = [texts[code] for code in (0x0B, 0x0E, 0x22, 0x5C, 0x7B, 0x61)]
    assert told == ["ff", "ffi", "”", "“", "–", "a"]


def test_symbols_and_letters_of_the_same_codes_differ() -> None:
    texts = texts_by_metrics(scaled(SYMBOLS, 0.083))
    assert [texts[code] for code in (0x00, 0x31, 0x68)] == ["−", "∞", "⟨"]


def test_glyphs_in_another_order_fit_no_font() -> None:
    codes = sorted(ROMAN)
    turned = dict(zip(codes, (ROMAN[code] for code in [*codes[5:], *codes[:5]]), strict=True))
    assert texts_by_metrics(scaled(turned, 0.083)) == {}


@pytest.mark.parametrize("codes", [(0x61,), (0x61, 0x6D), tuple(range(0x30, 0x39))])
def test_few_widths_alone_tell_nothing(codes: tuple[int, ...]) -> None:
    assert texts_by_metrics({code: Glyph(500) for code in codes}) == {}


def test_fonts_that_fit_equally_must_agree() -> None:
    # By itself, a perpendicular sign may be a greater-than sign of another font; a sum may not.
    assert texts_by_metrics({0x3E: Glyph(777, 0, 694)}) == {}
    assert texts_by_metrics({0x50: Glyph(1055, -999, 0)}) == {0x50: "∑"}


def broad(codes: Sequence[int], shift: int = 0) -> dict[int, Glyph]:
    """Glyphs of a text font of its own: letters of Times-Roman, the narrow ones broader."""
    times = reference_fonts()["Times-Roman"].glyphs
    order = [*codes[shift:], *codes[:shift]]
    return {
        code: Glyph(300 + times[shown].width / 2) for code, shown in zip(codes, order, strict=True)
    }


TEXT = [*map(ord, "abcdefghilmnoprstuvwyACEIST,.(17)")]


def test_letters_of_an_unknown_text_font_are_plain() -> None:
    glyphs = broad(TEXT)
    assert texts_by_metrics(glyphs) == {}
    assert texts_of_plain_text(glyphs) == {code: chr(code) for code in TEXT}


def test_ligatures_tell_the_encoding_of_an_unknown_text_font() -> None:
    glyphs = broad(TEXT)
    roman = texts_of_plain_text(glyphs | {0x0C: Glyph(500), 0x22: Glyph(400), 0x7B: Glyph(500)})
    cork = texts_of_plain_text(glyphs | {0x1C: Glyph(500), 0x10: Glyph(400), 0x15: Glyph(500)})
    assert [roman[code] for code in (0x0C, 0x22, 0x7B, 0x61)] == ["fi", "”", "–", "a"]
    assert [cork[code] for code in (0x1C, 0x10, 0x15, 0x61)] == ["fi", "“", "–", "a"]


@pytest.mark.parametrize("shift", [1, 5, 13])
def test_letters_in_another_order_are_none(shift: int) -> None:
    assert texts_of_plain_text(broad(TEXT, shift)) == {}


def test_a_font_of_mathematical_letters_is_no_text_font() -> None:
    assert texts_of_plain_text(broad([code for code in TEXT if chr(code).isalpha()])) == {}
