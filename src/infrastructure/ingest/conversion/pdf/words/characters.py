"""Characters of a page by pdfium: code points, places, styles, heights, cleaned for text.

pdfium is called once a character for its code point, its advance box, its origin and its text
object, with addresses computed beforehand: a third of the time of a call with typed arguments.

A word reaches from the ascent to the descent of its font, 0.91 em, whatever its letters. Some fonts
give a false em: Type 3 fonts count in device pixels, others are drawn at another scale. Their em is
estimated from the heights of a few letters.
"""

import ctypes
import math
import re
import unicodedata
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count, repeat
from typing import NamedTuple, TypeAlias

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import INVISIBLE
from citeloom.infrastructure.ingest.conversion.pdf.page_content.pdfium_objects import (
    Matrix,
    function,
)

_MATHS = re.compile(
    r"cmmi|cmsy|cmex|msam|msbm|math|symbol|mtmi|mtsy|rsfs|eufm|euex|eusm|cmbsy|lmmi|lmsy|lmex",
    re.IGNORECASE,
)
# The short names are TeX's: cm and sf (Computer Modern, European), lin (Libertine, Biolinum).
_BOLD = re.compile(
    r"bold|black|heavy|demi|semibd|-bd|cmb\d|cmbx|cmssbx|sfbx|bx\d|medi(?!um)|-b$|"
    r"sfbi|sfsx|sfxc|lin(?:libertine|biolinum)\w*t[bz]",
    re.IGNORECASE,
)
_ITALIC = re.compile(
    r"ital|obli|slant|cmti|cmsl|cmmi|cmssi|-it|sfti|sfs[il]|sfbi|bxti|bxsl|"
    r"lin(?:libertine|biolinum)\w*i$",
    re.IGNORECASE,
)
_SMALL_CAPS = re.compile(r"csc\d|sfcc|sfsc\d|sfxc|small-?caps|romancaps|-sc$", re.IGNORECASE)

_MONOSPACED = re.compile(
    r"courr?ier|mono|cmtt|sftt|typewriter|consol|menlo|monaco|inconsolata|lmtt|-tt|nimbusmon|"
    r"txtt|t1xtt",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def font_style(name: str) -> tuple[str, bool, bool]:
    """Font name without subset prefix; whether it is bold; whether it is italic."""
    plain = re.sub(r"^/?(?:[A-Z]{6}\+)?", "", name)
    return plain, bool(_BOLD.search(plain)), bool(_ITALIC.search(plain))


@lru_cache(maxsize=4096)
def is_mathematical(font: str) -> bool:
    """Whether a font holds symbols of mathematics."""
    return _MATHS.search(font) is not None


@lru_cache(maxsize=4096)
def is_small_caps(font: str) -> bool:
    """Whether a font has small capitals in place of its small letters."""
    return _SMALL_CAPS.search(font) is not None


@lru_cache(maxsize=4096)
def is_monospaced(font: str) -> bool:
    """Whether all characters of a font are of one width, as for listings."""
    return _MONOSPACED.search(font) is not None


_LIGATURE = re.compile("[\ufb00-\ufb06\ufb13-\ufb17]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]")
_NO_WORD = re.compile(r"[\W_]+")
_SPACE = re.compile("[\u00a0\u2000-\u200a\u202f\u3000]")
# Spacing accents that old TeX fonts draw before the letter. Grave accent and tilde are left
# alone: they are quotes and operators too.
ACCENTS = {
    "\u00b4": "\u0301",
    "\u00a8": "\u0308",
    "\u02c6": "\u0302",
    "\u02dc": "\u0303",
    "\u02c7": "\u030c",
    "\u00b8": "\u0327",
    "\u02d8": "\u0306",
    "\u02da": "\u030a",
    "\u02dd": "\u030b",
}
# The acute of an author´s and of the authors´ results is an apostrophe.
_SPACING_ACCENT = re.compile(
    f"([{''.join(ACCENTS)}])(?!(?<=\\w\u00b4)s\\b)(?:(?<!s\u00b4) )?([A-Za-z\u0131])"
)
_CEDILLA = re.compile("([CcSsTt])\u00b8")  # drawn over the end of its letter
# What has no character in its font, or one of private use, is a mark in the text.
UNREADABLE = "\u25af"
_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff\U000f0000-\U0010fffd]")
SOFT_HYPHEN = "\u00ad"
HYPHENS = "-\u00ad\u2010\u2011"


def clean(text: str) -> str:
    """Open ligatures, drop control characters, compose accents, mark what is unreadable."""
    if text.isascii() and text.isprintable():
        return text
    text = _LIGATURE.sub(lambda m: unicodedata.normalize("NFKC", m[0]), text)
    text = _SPACE.sub(" ", _CONTROL.sub("", _UNREADABLE.sub(UNREADABLE, text)))
    text = _CEDILLA.sub("\\1\u0327", text)
    text = _SPACING_ACCENT.sub(_compose, text)
    if SOFT_HYPHEN in text:
        text = text[:-1].replace(SOFT_HYPHEN, "-") + text[-1]  # printed: it is not at a line end
    return unicodedata.normalize("NFC", text) if any(map(unicodedata.combining, text)) else text


def _compose(match: re.Match[str]) -> str:
    letter = match[2] if match[2] != "\u0131" else "i"
    composed = unicodedata.normalize("NFC", letter + ACCENTS[match[1]])
    return composed if len(composed) == 1 else match[0]


def is_cjk(char: str) -> bool:
    """Whether the script of ``char`` writes no spaces between words (Han, kana and their
    punctuation)."""
    return char >= "\u3001" and (
        char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uf900" <= char <= "\ufaff"
        or "\uff01" <= char <= "\uff9f"
    )


def is_hangul(char: str) -> bool:
    """Whether ``char`` is a Korean syllable; lines may break between any two of them."""
    return "\uac00" <= char <= "\ud7a3"


@lru_cache(maxsize=16384)
def squash(text: str) -> str:
    """Letters and digits only, lower case, without accents: for comparing titles."""
    return _NO_WORD.sub("", unicodedata.normalize("NFKD", text).casefold())


Floats: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

_BLOCK = 4096  # characters by which the buffers grow
_NAME_BYTES = 128
UNNAMED = "unnamed-"
REPLACEMENT = 0xFFFD
LEAST_EM = 0.1  # points: no line is without height
_SYMBOLIC_STYLES = (0x40, 0x40000)  # italic and forced bold, PDF 32000-1, table 123


_POINTER, _INT = ctypes.c_void_p, ctypes.c_int
_unicode = function("FPDFText_GetUnicode", ctypes.c_uint, _POINTER, _INT)
_loose_box = function("FPDFText_GetLooseCharBox", _INT, _POINTER, _INT, _POINTER)
_origin = function("FPDFText_GetCharOrigin", _INT, _POINTER, _INT, _POINTER, _POINTER)
_text_object = function("FPDFText_GetTextObject", ctypes.c_size_t, _POINTER, _INT)
_is_generated = function("FPDFText_IsGenerated", _INT, _POINTER, _INT)
_has_map_error = function("FPDFText_HasUnicodeMapError", _INT, _POINTER, _INT)
_matrix = function("FPDFText_GetMatrix", _INT, _POINTER, _INT, _POINTER)
_font_size = function("FPDFTextObj_GetFontSize", _INT, _POINTER, _POINTER)
_font = function("FPDFTextObj_GetFont", ctypes.c_size_t, _POINTER)
_mode = function("FPDFTextObj_GetTextRenderMode", _INT, _POINTER)
_char_box = function("FPDFText_GetCharBox", _INT, _POINTER, _INT, *[_POINTER] * 4)


class TextStyle(NamedTuple):
    """Font, em in points and direction of text. ``turn`` is the direction on the displayed
    page in degrees: 0 to the right, 90 up, 180 to the left, 270 down. ``mode`` is the text
    rendering mode of PDF 32000-1, 9.3.6."""

    font: str
    em: float
    bold: bool
    italic: bool
    turn: int
    mode: int


class PageCharacters(NamedTuple):
    """The characters in content order. ``codes`` are code points, U+FFFD for characters whose font
    does not say what they are. ``styles`` holds an index into ``table`` for each, -1 for one that
    pdfium generated or that has no text object. ``boxes`` (n, 4) are advance boxes, ``origins`` (n,
    2) ends of baselines, both in points from the top left as displayed. ``objects`` are addresses
    of text objects, 0 for none. ``edges`` are the lower and upper edge of a glyph above its
    baseline, in points. ``upright``: the page is shown as it is written, not turned."""

    codes: list[int]
    boxes: Floats
    origins: Floats
    styles: list[int]
    objects: list[int]
    table: list[TextStyle]
    is_generated: Callable[[int], bool]
    edges: Callable[[int], tuple[float, float]]
    upright: bool


class _Buffers:
    """Memory that pdfium writes to, with the address of every place in it."""

    def __init__(self) -> None:
        self.size = 0
        self.reserve(_BLOCK)

    def reserve(self, size: int) -> None:
        if size <= self.size:
            return
        self.size = -(-size // _BLOCK) * _BLOCK
        self.rects = np.zeros((self.size, 4), np.float32)
        self.points = np.zeros((self.size, 2), np.float64)
        first, start = self.rects.ctypes.data, self.points.ctypes.data
        self.rect_at = [first + 16 * i for i in range(self.size)]
        self.x_at = [start + 16 * i for i in range(self.size)]
        self.y_at = [start + 16 * i + 8 for i in range(self.size)]


class CharacterReader:
    """Reads the characters of a document's pages.

    Fonts without a name (Type 3) are told apart by their object: ``unnamed-1``, ``unnamed-2``.
    """

    def __init__(self) -> None:
        self._buffers = _Buffers()
        self._unnamed: dict[int, str] = {}
        self._numbers = count(1)

    def forget_fonts(self) -> None:
        """Call this when the document is opened again: addresses of fonts change."""
        self._unnamed.clear()

    def read(self, text: pypdfium2.PdfTextPage, matrix: Matrix) -> PageCharacters:
        """The characters of a page; ``matrix`` leads from its space to the displayed page."""
        handle = ctypes.cast(text.raw, ctypes.c_void_p).value or 0
        size = max(0, pdfium.FPDFText_CountChars(text.raw))
        buffers = self._buffers
        buffers.reserve(size)
        every = range(size)
        codes = list(map(_unicode, repeat(handle), every))
        errors = list(map(_has_map_error, repeat(handle), every))
        if 1 in errors:
            codes = [REPLACEMENT if e == 1 else c for c, e in zip(codes, errors, strict=True)]
        deque(map(_loose_box, repeat(handle), every, buffers.rect_at), 0)
        deque(map(_origin, repeat(handle), every, buffers.x_at, buffers.y_at), 0)
        objects = list(map(_text_object, repeat(handle), every))
        table: list[TextStyle] = []
        styles = self._styles(handle, objects, matrix, table)
        sides = [ctypes.c_double() for _ in range(4)]
        refs = [ctypes.addressof(side) for side in sides]

        def edges(index: int) -> tuple[float, float]:
            """Lower and upper edge of a glyph above the baseline, of text that runs to the
            right."""
            _char_box(handle, index, *refs)
            base = float(buffers.points[index, 1])
            return sides[2].value - base, sides[3].value - base

        return PageCharacters(
            codes,
            _shown_boxes(buffers.rects[:size].astype(np.float64), matrix),
            np.stack(_shown(buffers.points[:size, 0], buffers.points[:size, 1], matrix), axis=1),
            styles,
            objects,
            table,
            lambda index: bool(_is_generated(handle, index) == 1),
            edges,
            matrix[0] > 0 > matrix[3],
        )

    def _styles(
        self, text: int, objects: list[int], matrix: Matrix, table: list[TextStyle]
    ) -> list[int]:
        """The index of each character's style; styles are added to ``table``. Most text objects
        of a page look like another one."""
        places = range(len(objects) - 1, -1, -1)
        firsts = dict(zip(reversed(objects), places, strict=True))
        by_object: dict[int, int] = {0: -1}
        looks: dict[tuple[float, ...], int] = {}
        known: dict[TextStyle, int] = {}
        own, size = (ctypes.c_float * 6)(), ctypes.c_float()
        own_at, size_at = ctypes.addressof(own), ctypes.addressof(size)
        for address in dict.fromkeys(objects):
            if not address:
                continue
            _matrix(text, firsts[address], own_at)
            _font_size(address, size_at)
            look = (*own[:4], size.value, _font(address), _mode(address))
            if look not in looks:
                style = self._style(look, matrix)
                looks[look] = known.setdefault(style, len(table))
                if looks[look] == len(table):
                    table.append(style)
            by_object[address] = looks[look]
        return list(map(by_object.__getitem__, objects))

    def _style(self, look: tuple[float, ...], matrix: Matrix) -> TextStyle:
        """The style of text objects by their matrix (a to d), size, font and mode."""
        a, b, c, d, size, font, mode = look
        name, bold, italic = self._face(int(font))
        ahead = -1 if size < 0 else 1
        x = ahead * (matrix[0] * a + matrix[2] * b)
        y = ahead * (matrix[1] * a + matrix[3] * b)
        turn = round(math.degrees(math.atan2(-y, x)) / 90) % 4 * 90
        em = abs(size) * math.hypot(c, d)
        return TextStyle(name, max(LEAST_EM, round(em, 2)), bold, italic, turn, max(0, int(mode)))

    def _face(self, address: int) -> tuple[str, bool, bool]:
        font = ctypes.cast(address, pdfium.FPDF_FONT)
        buffer = ctypes.create_string_buffer(_NAME_BYTES)
        pdfium.FPDFFont_GetBaseFontName(font, buffer, _NAME_BYTES)
        raw = buffer.value.decode("utf-8", "replace")
        if not raw:
            if address not in self._unnamed:
                self._unnamed[address] = f"{UNNAMED}{next(self._numbers)}"
            raw = self._unnamed[address]
        name, bold, italic = font_style(raw)
        flags = max(0, pdfium.FPDFFont_GetFlags(font))
        slanted, heavy = (bool(flags & bit) for bit in _SYMBOLIC_STYLES)
        return name, bold or heavy, italic or slanted


def _shown(x: Floats, y: Floats, matrix: Matrix) -> tuple[Floats, Floats]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _shown_boxes(rects: Floats, matrix: Matrix) -> Floats:
    """Boxes of ``FS_RECTF`` (left, top, right, bottom) on the displayed page."""
    xa, ya = _shown(rects[:, 0], rects[:, 1], matrix)
    xb, yb = _shown(rects[:, 2], rects[:, 3], matrix)
    columns = np.minimum(xa, xb), np.minimum(ya, yb), np.maximum(xa, xb), np.maximum(ya, yb)
    return np.stack(columns, axis=1)


# Shares of the em in Latin type (Computer Modern, Times, Helvetica within a few per cent).
X_HEIGHT, ASCENT, DESCENT = 0.45, 0.70, 0.21
_LOW = frozenset("acemnorsuvwxz")
_HIGH = frozenset("bdfhklABDEFHIKLMNPRTUVXYZ")
_DEEP = frozenset("gjpqyQ,;()[]{}|/_@$&")
_TALL = frozenset("bdfhkltij()[]{}|/@$&!?'\"\u2018\u2019\u201c\u201d")
_SAMPLES = 24  # letters a font
_FEWEST = 3
_TOLERANCE = 0.3  # by which type designs differ
_FALSE = 4.0  # times what it should be: no design, nor a glyph with the code of another


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
                height = characters.edges(index)[1] if share else 0.0
                if height > 0:
                    ratios = self._ratios[fonts[style]]
                    ratios.append(height / share / characters.table[style].em)
                    if len(ratios) >= _SAMPLES:
                        wanted = {s for s in wanted if fonts[s] != fonts[style]}

    def _true_style(self, style: TextStyle) -> TextStyle:
        samples: Sequence[float] = self._ratios.get(style.font, ())
        factor = _median(samples)
        if factor is None and style.font.startswith(UNNAMED):
            medians = [_median(r) for font, r in self._ratios.items() if font.startswith(UNNAMED)]
            factor = _median([m for m in medians if m is not None] * _FEWEST)
        few = 0 < len(samples) < _FEWEST
        if few and not 1 / _FALSE < samples[0] / (factor or 1.0) < _FALSE:
            factor = samples[0]  # of a drop cap in a font of its own
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
