"""Characters by what is known of fonts: glyph names, encodings, metrics.

Characters of glyph names: Adobe Glyph List, TeX names, variants and compounds. The rules are those
of "Unicode and Glyph Names" (Adobe Type Tools, agl-specification, section 2) with two additions:
names that TeX and other fonts use, and names whose character is in the private use area (small
capitals, old-style digits, superiors), which stand for the plain character.

Fonts recognised by their metrics: widths and heights say which characters the codes are. A font
that only numbers its glyphs (dvips writes ``a84`` or ``BP`` into its bitmap fonts) still has their
advance widths and boxes. The reference font whose glyphs fit at one scale gives the characters.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from statistics import correlation
from string import ascii_letters, digits
from typing import NamedTuple

from .data.font_files import CharacterMetric, character_metrics, encoding, glyph_list

_UNI = re.compile(r"uni((?:[0-9A-Fa-f]{4})+)")
_U = re.compile(r"u([0-9A-Fa-f]{4,6})")
_SIZE = re.compile(r"(.+?)(?:bigg|Bigg|big|Big|text|display)")
_PLAIN = re.compile(r"(.+?)(?:small|oldstyle|superior|inferior)")
_NUMBERED = re.compile(r"[A-Za-z]{1,2}\d{1,4}|(?:cid|char|glyph|index|gid)_?\d{1,5}|[A-D][0-9A-Z]")


def glyph_text(name: str) -> str | None:
    """The character (or characters) that a glyph name stands for, None when it says nothing.

    Ligatures come out as their letters, small capitals as small letters, old-style digits as
    digits. Control characters and the private use area do not count.
    """
    text = _text(name.partition(".")[0]) if not name.startswith(".") else None
    return unicodedata.normalize("NFKC", text) if text and is_ligature(text) else text


def pdfium_text(name: str) -> str:
    """The text that pdfium reads from a glyph name in fonts other than Type 3, empty if none. It
    uses FreeType's Adobe Glyph List, one character for each name, with the private use area."""
    base = name.partition(".")[0]
    if match := re.fullmatch(r"uni([0-9A-F]{4})|u([0-9A-F]{4,6})", base):
        return _of_points([match[1] or match[2]]) or ""
    text = _adobe().get(base, "")
    return text if len(text) == 1 else ""


def adobe_text(char: str) -> str | None:
    """The text of a character of Adobe's part of the private use area, None for others."""
    name = _private().get(char)
    return glyph_text(name) if name else None


def is_same(first: str, second: str) -> bool:
    """Whether two texts differ in form only: as a ligature and its letters do."""
    return unicodedata.normalize("NFKC", first) == unicodedata.normalize("NFKC", second)


def is_numbered(name: str) -> bool:
    """Whether a name only numbers its glyph: a84, g84, C84, G54, glyph12, BP (base 36)."""
    return _NUMBERED.fullmatch(name) is not None and name not in _adobe()


def is_private(text: str) -> bool:
    """Whether a text has a character of the private use areas."""
    return any(unicodedata.category(char) == "Co" for char in text)


def is_ligature(text: str) -> bool:
    """Whether a text is one of the Latin ligatures U+FB00 to U+FB06."""
    return len(text) == 1 and "\ufb00" <= text <= "\ufb06"


@lru_cache(maxsize=4096)
def _text(name: str) -> str | None:
    if text := _others().get(name) or _public(_adobe().get(name)):
        return text
    if match := _UNI.fullmatch(name):
        return _of_points(re.findall("....", match[1]))
    if match := _U.fullmatch(name):
        return _of_points([match[1]])
    if "_" in name.strip("_"):
        parts = [glyph_text(part) for part in name.split("_")]
        return "".join(part for part in parts if part) if all(parts) else None
    if (match := _PLAIN.fullmatch(name)) and (plain := _text(match[1])):
        return plain.lower() if name.endswith("small") else plain
    if match := _SIZE.fullmatch(name):
        return _text(match[1])
    return None


def _of_points(numbers: list[str]) -> str | None:
    """The characters of hexadecimal code points, None when one is not printable."""
    codes = [int(number, 16) for number in numbers]
    if any(code < 0x20 or 0xD800 <= code < 0xE000 or code > 0x10FFFF for code in codes):
        return None
    return _public("".join(map(chr, codes)))


def _public(text: str | None) -> str | None:
    return None if text is None or is_private(text) else text


@cache
def _adobe() -> dict[str, str]:
    """The Adobe Glyph List, as pdfium has it: the copy here has one name more."""
    return {name: text for name, text in glyph_list("adobe").items() if name != "mapsto"}


@cache
def _private() -> dict[str, str]:
    return {text: name for name, text in _adobe().items() if is_private(text)}


@cache
def _others() -> dict[str, str]:
    """Names that Adobe's list lacks, or has in the private use area."""
    return glyph_list("tex") | glyph_list("other")


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
    """The characters of the codes of a known font; empty when the name says nothing."""
    name = _SUBSET.sub("", base_font.lstrip("/")).lower()
    for pattern, reference in _BY_NAME:
        if re.fullmatch(pattern, name):
            return reference_fonts()[reference].texts
    return {}


def private_texts(base_font: str, texts: Mapping[int, str]) -> dict[int, str]:
    """The texts of characters of the private use area, by code; unknown ones are left out. U+F000
    to U+F0FF are the codes of a symbol font, others those of Adobe for small capitals, old-style
    digits and the like."""
    usual = texts_by_font_name(base_font)
    meant = {
        code: usual.get(ord(text) - 0xF000) if "\uf000" <= text <= "\uf0ff" else adobe_text(text)
        for code, text in texts.items()
        if len(text) == 1
    }
    return {code: text for code, text in meant.items() if text}


def draws_lines(base_font: str) -> bool:
    """Whether a font is one with which LaTeX and XY-pic draw: it has no characters."""
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


_TOLERANCE = 0.03  # of the font size: mean difference of widths, plus that of edges
_PIXELS = 1.0  # that much more, in units of glyph space: bitmap fonts have whole pixels
# A reference font that fits worse than the best by more is left out. Few glyphs say little.
_UNCERTAIN, _UNCERTAIN_FEW = 0.002, 0.015
_FEW = 4
_ENOUGH_WIDTHS = 10  # glyphs, where the edges of none are known
_ENOUGH_LETTERS, _ALIKE = 18, 0.88
_ENOUGH_ALIKE, _ALIKE_WIDTHS, _ALIKE_EDGES = 16, 0.85, 0.98
_APART_WIDTHS, _APART_EDGES = 0.1, 0.03
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


def texts_by_likeness(glyphs: Mapping[int, Glyph]) -> dict[int, str]:
    """The characters of codes of an unknown font that has the encoding of a reference font, as
    Concrete has that of Computer Modern: widths and edges match the glyphs of that font, and no
    font with other characters there."""
    alike = [
        (widths, edges, {code: font.texts.get(code) for code in glyphs})
        for font in reference_fonts().values()
        if len(glyphs) >= _ENOUGH_ALIKE and glyphs.keys() <= font.glyphs.keys()
        for widths, edges in [_likeness(glyphs, font.glyphs)]
    ]
    widths, edges, texts = max(alike, default=(0.0, 0.0, {}), key=lambda one: one[1])
    if widths < _ALIKE_WIDTHS or edges < _ALIKE_EDGES:
        return {}
    near = [t for w, e, t in alike if w > widths - _APART_WIDTHS and e > edges - _APART_EDGES]
    if any(other != texts for other in near):
        return {}
    return {code: text for code, text in texts.items() if text}


def _likeness(glyphs: Mapping[int, Glyph], reference: Mapping[int, Glyph]) -> tuple[float, float]:
    """The correlations of widths and of edges; 0 where there are too few."""
    pairs = [(glyph, reference[code]) for code, glyph in glyphs.items()]
    return _correlation([(g.width, r.width) for g, r in pairs]), _correlation(_edges(pairs))


def _edges(pairs: Sequence[tuple[Glyph, Glyph]]) -> list[tuple[float, float]]:
    """The edges that both glyphs of a pair have."""
    return [
        (edge, expected)
        for g, r in pairs
        for edge, expected in ((g.low, r.low), (g.high, r.high))
        if edge is not None and expected is not None
    ]


def _correlation(pairs: Sequence[tuple[float, float]]) -> float:
    firsts, seconds = {one for one, _ in pairs}, {other for _, other in pairs}
    return correlation(*zip(*pairs, strict=True)) if min(len(firsts), len(seconds)) > 1 else 0.0


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
    edges = [abs(edge - scale * expected) for edge, expected in _edges(pairs)]
    error += sum(edges) / len(edges) / size if edges else 0.0
    return error if error <= _TOLERANCE + _PIXELS / size else None


def _scale(pairs: Sequence[tuple[Glyph, Glyph]]) -> float:
    """The scale with the least squared difference of widths."""
    squares = sum(r.width**2 for _, r in pairs)
    return sum(g.width * r.width for g, r in pairs) / squares if squares else 0.0
