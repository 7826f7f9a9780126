"""Encodings and metrics of known fonts: Computer Modern, AMS and LaTeX fonts, standard fonts."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

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
    """The fonts by name."""
    path = resources.files(__package__).joinpath("data", "font_metrics.txt")
    fonts: dict[str, tuple[dict[int, Glyph], dict[int, str]]] = {}
    for line in path.read_text("ascii").splitlines():
        if line.startswith("["):
            glyphs, texts = fonts[line.strip("[]")] = {}, {}
        elif line and not line.startswith("#"):
            code, name, width, low, high = line.split()
            glyphs[int(code)] = Glyph(float(width), float(low), float(high))
            if text := glyph_text(name):
                texts[int(code)] = text
    return {name: ReferenceFont(*parts) for name, parts in fonts.items()}
