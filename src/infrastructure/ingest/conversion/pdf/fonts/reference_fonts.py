"""Encodings and metrics of known fonts: Computer Modern, AMS and LaTeX fonts, standard fonts."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.fonts.data.font_files import (
    CharacterMetric,
    character_metrics,
    encoding,
)
from citeloom.infrastructure.ingest.conversion.pdf.fonts.glyph_names import adobe_text, glyph_text

# Fonts by name, without the prefix of a subset: the reference font with the same encoding.
_BY_NAME = (
    (r"symbol(?:mt)?(?:,\w+)?", "Symbol"),
    (r"wingdings(?:-regular)?(?:,\w+)?", "Wingdings"),
    (r"cm(?:r|bx?|ti|sl|ss|ssbx|ssi|ssdc|csc|bxti|bxsl|dunh|u)\d+", "cmr10"),
    (r"cm(?:tt|sltt|itt|vtt)\d+", "cmtt10"),
    (r"cmmib?\d+", "cmmi10"),
    (r"cmb?sy\d+", "cmsy10"),
    (r"cmex\d+", "cmex10"),
    (r"msam\d+", "msam10"),
    (r"msbm\d+", "msbm10"),
    (r"lasyb?\d+", "lasy10"),
    (r"(?:ec|sf)(?:rm|bx|ti|sl|ss|sx|si)\d+", "ecrm1000"),
    (r"(?:ec|sf)(?:tt|st|it)\d+", "ectt1000"),
    (r"(?:tc|ts1-)\w+", "tcrm1000"),
)
_DRAWINGS = re.compile(r"(?:linew?|lcirclew?|xydash|xy[ab]tip|xybsql|xycirc|xyline)\d*")
_SUBSET = re.compile(r"[A-Z]{6}\+")

_TEX = (
    *("cmr10", "cmr7", "cmr5", "cmbx10", "cmti10", "cmss10", "cmssbx10", "cmcsc10", "cmtt10"),
    *("cmmi10", "cmmi7", "cmmi5", "cmmib10", "cmsy10", "cmsy7", "cmsy5", "cmbsy10", "cmex10"),
    *("msam10", "msbm10", "eufm10"),
)
_STANDARD = ("Times-Roman", "Times-Bold", "Times-Italic", "Helvetica", "Helvetica-Bold", "Courier")
# Fonts whose metrics are those of Computer Modern: in which fonts the glyphs are, and their codes.
_EUROPEAN = {
    "ecrm1000": ("t1", ("cmr10", "cmmi10", "cmsy10")),
    "ecbx1000": ("t1", ("cmbx10", "cmmi10", "cmsy10")),
    "ecti1000": ("t1", ("cmti10", "cmmi10", "cmsy10")),
    "ectt1000": ("t1", ("cmtt10",)),
    "ecss1000": ("t1", ("cmss10", "cmmi10", "cmsy10")),
    "tcrm1000": ("ts1", ("cmsy10",)),
}
_ABOVE = frozenset(
    "acute breve caron circumflex dieresis dotaccent grave hungarumlaut ring tilde".split()
)
_NOT_ABOVE = frozenset("cedilla commaaccent croat ogonek slash".split())
_ACCENT = 250  # by so much a letter with an accent above is higher


class Glyph(NamedTuple):
    """Advance width, lower and upper edge in glyph space (y upwards); edges None if unknown."""

    width: float
    low: float | None = None
    high: float | None = None


class ReferenceFont(NamedTuple):
    """Metrics (thousandths of the font size) and characters by code."""

    glyphs: Mapping[int, Glyph]
    texts: Mapping[int, str]


def texts_by_font_name(base_font: str) -> Mapping[int, str]:
    """The characters of the codes of a known font; empty when the name tells nothing."""
    name = _SUBSET.sub("", base_font.lstrip("/")).lower()
    for pattern, reference in _BY_NAME:
        if re.fullmatch(pattern, name):
            return reference_fonts()[reference].texts
    return {}


def private_texts(base_font: str, texts: Mapping[int, str]) -> dict[int, str]:
    """What characters of the private use area stand for, by code; others are left out.

    U+F000 to U+F0FF are the codes of a symbol font, others those of Adobe for small capitals,
    old-style digits and the like.
    """
    usual = texts_by_font_name(base_font)
    meant = {
        code: usual.get(ord(text) - 0xF000) if "\uf000" <= text <= "\uf0ff" else adobe_text(text)
        for code, text in texts.items()
        if len(text) == 1
    }
    return {code: text for code, text in meant.items() if text}


def draws_lines(base_font: str) -> bool:
    """Whether a font is one of those with which LaTeX and XY-pic draw: it has no characters."""
    return _DRAWINGS.fullmatch(_SUBSET.sub("", base_font.lstrip("/")).lower()) is not None


@cache
def reference_fonts() -> dict[str, ReferenceFont]:
    """The fonts by name. Of Wingdings the characters only."""
    fonts = {
        name: _reference(
            # The files repeat the control codes above those of the encoding of TeX.
            {m.code: m for m in character_metrics(name) if m.code < 128}
        )
        for name in _TEX
    }
    fonts |= {name: _european(codes, parts) for name, (codes, parts) in _EUROPEAN.items()}
    windows = encoding("winansi")
    for name in _STANDARD:
        glyphs = {metric.name: metric for metric in character_metrics(name)}
        fonts[name] = _reference({c: glyphs[n] for c, n in windows.items() if n in glyphs})
    fonts["Symbol"] = _reference({m.code: m for m in character_metrics("Symbol")})
    symbols = encoding("lasy")
    numbered = {m.code: m for m in character_metrics("lasy10")}
    fonts["lasy10"] = _reference({c: numbered[c]._replace(name=n) for c, n in symbols.items()})
    fonts["Wingdings"] = ReferenceFont({}, _characters(encoding("wingdings")))
    return fonts


def _reference(metrics: Mapping[int, CharacterMetric]) -> ReferenceFont:
    glyphs = {c: Glyph(m.width, m.low, m.high) for c, m in metrics.items() if c >= 0}
    return ReferenceFont(glyphs, _characters({code: metrics[code].name for code in glyphs}))


def _characters(names: Mapping[int, str]) -> dict[int, str]:
    return {code: text for code, name in names.items() if (text := glyph_text(name))}


def _european(codes: str, parts: Sequence[str]) -> ReferenceFont:
    """A font of the encodings T1 or TS1, its glyphs from the first of the fonts that has them."""
    glyphs: dict[str, CharacterMetric] = {}
    for part in reversed(parts):
        glyphs |= {metric.name: metric for metric in character_metrics(part)}
    named = {code: glyphs.get(n) or _accented(n, glyphs) for code, n in encoding(codes).items()}
    return _reference({code: metric for code, metric in named.items() if metric})


def _accented(name: str, glyphs: Mapping[str, CharacterMetric]) -> CharacterMetric | None:
    """A letter with an accent, as TeX sets it of the two; None for other names."""
    letter, accent = glyphs.get(name[0]), name[1:]
    if letter is None or accent not in _ABOVE | _NOT_ABOVE:
        return None
    return letter._replace(name=name, high=letter.high + _ACCENT * (accent in _ABOVE))
