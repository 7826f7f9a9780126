"""Fonts recognised by their metrics: widths and heights tell which characters the codes are.

A font that only numbers its glyphs (dvips writes ``a84`` or ``BP`` into its bitmap fonts) still has
their advance widths and boxes. The reference font whose glyphs fit at one scale gives the
characters.
"""

from collections.abc import Mapping, Sequence
from statistics import correlation
from string import ascii_letters, digits

from citeloom.infrastructure.ingest.conversion.pdf.fonts.reference_fonts import (
    Glyph,
    reference_fonts,
)

_TOLERANCE = 0.03  # of the font size: mean difference of widths, plus that of edges
_PIXELS = 1.0  # that much more, in units of glyph space: bitmap fonts have whole pixels
# A reference font that fits worse than the best by more is no contender. Few glyphs tell little.
_UNCERTAIN, _UNCERTAIN_FEW = 0.002, 0.015
_FEW = 4
_ENOUGH_WIDTHS = 10  # glyphs, where the edges of none are known
_ENOUGH_LETTERS, _ALIKE = 18, 0.88
_TEXT_SIGNS = {ord(","), ord(".")}  # fonts of mathematical letters have other signs there
_SAME = frozenset(ascii_letters + digits + "!#%&()*+,-./:;=?@[]")
_LIGATURES = {"cmr10": range(0x0B, 0x10), "ecrm1000": range(0x1B, 0x20)}


def texts_by_metrics(glyphs: Mapping[int, Glyph]) -> dict[int, str]:
    """The characters of codes, by the reference fonts that fit; empty when none fits.

    A code is left out when the fonts that fit do not agree on it.
    """
    if len(glyphs) < _ENOUGH_WIDTHS and all(glyph.low is None for glyph in glyphs.values()):
        return {}
    fits = sorted(
        (
            (error, font.texts)
            for font in reference_fonts().values()
            if (error := _misfit(glyphs, font.glyphs)) is not None
        ),
        key=lambda fit: fit[0],
    )
    if not fits:
        return {}
    limit = 1.5 * fits[0][0] + (_UNCERTAIN_FEW if len(glyphs) < _FEW else _UNCERTAIN)
    best, *others = [texts for error, texts in fits if error <= limit]
    return {
        code: best[code]
        for code in glyphs
        if code in best and all(texts.get(code) == best[code] for texts in others)
    }


def texts_of_plain_text(glyphs: Mapping[int, Glyph]) -> dict[int, str]:
    """The characters of codes of a text font that is none of the reference fonts.

    Widths of letters are much alike in all text fonts of varying width: a correlation of .88 or
    more with those of Times-Roman, where letters in another order have at most .65 (20 letters).
    Then letters, digits and the usual signs have their ASCII codes; ligatures, quotes and dashes
    those of the TeX encoding whose ligatures the font has. Empty for other fonts.
    """
    times = reference_fonts()["Times-Roman"].glyphs
    letters = [code for code in glyphs if code < 128 and chr(code).isalpha()]
    sizes = [glyphs[code].width for code in letters]
    if len(letters) < _ENOUGH_LETTERS or not glyphs.keys() >= _TEXT_SIGNS or len(set(sizes)) < 2:
        return {}
    if correlation(sizes, [times[code].width for code in letters]) < _ALIKE:
        return {}
    plain = {code: chr(code) for code in glyphs if chr(code).isascii() and chr(code) in _SAME}
    for name, ligatures in _LIGATURES.items():
        if glyphs.keys() & ligatures:
            texts = reference_fonts()[name].texts
            return {code: texts[code] for code in glyphs if code in texts and code < 128}
    return plain


def _misfit(glyphs: Mapping[int, Glyph], reference: Mapping[int, Glyph]) -> float | None:
    """The mean difference in parts of the font size, None when it is too large."""
    if any(code not in reference for code in glyphs):
        return None
    pairs = [(glyph, reference[code]) for code, glyph in glyphs.items()]
    scale = _scale(pairs)
    if scale <= 0:
        return None
    size = 1000 * scale
    error = sum(abs(g.width - scale * r.width) for g, r in pairs) / len(pairs) / size
    edges = [
        abs(edge - scale * expected)
        for g, r in pairs
        for edge, expected in ((g.low, r.low), (g.high, r.high))
        if edge is not None and expected is not None
    ]
    error += sum(edges) / len(edges) / size if edges else 0.0
    return error if error <= _TOLERANCE + _PIXELS / size else None


def _scale(pairs: Sequence[tuple[Glyph, Glyph]]) -> float:
    """The scale with the least squared difference of widths."""
    squares = sum(r.width**2 for _, r in pairs)
    return sum(g.width * r.width for g, r in pairs) / squares if squares else 0.0
