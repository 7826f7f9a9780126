"""Characters of a page by pdfium: code points, places, styles.

pdfium is called once a character for its code point, its advance box, its origin and its text
object, with addresses computed beforehand: a third of the time of a call with typed arguments.
"""

import ctypes
import math
from collections import deque
from collections.abc import Callable
from itertools import count, repeat
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.infrastructure.ingest.conversion.pdf.page_content.pdfium_objects import (
    Matrix,
    function,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import font_style

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
    """The characters in content order. ``codes`` are code points, U+FFFD for characters whose
    font does not tell what they are. ``styles`` holds an index into ``table`` for each, -1
    for one that pdfium generated or that has no text object. ``boxes`` (n, 4) are advance boxes,
    ``origins`` (n, 2) ends of baselines, both in points from the top left as displayed.
    ``objects`` are addresses of text objects, 0 for none. ``upright``: the page is shown as it
    is written, not turned."""

    codes: list[int]
    boxes: Floats
    origins: Floats
    styles: list[int]
    objects: list[int]
    table: list[TextStyle]
    is_generated: Callable[[int], bool]
    tight_height: Callable[[int], float]
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
        """To be called when the document is opened anew: addresses of fonts change."""
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
        styles = self._styles(text, objects, matrix, table)
        sides = [ctypes.c_double() for _ in range(4)]
        refs = [ctypes.addressof(side) for side in sides]

        def tight_height(index: int) -> float:
            """Height of a glyph above the baseline, for text that runs to the right."""
            _char_box(handle, index, *refs)
            return sides[3].value - float(buffers.points[index, 1])

        return PageCharacters(
            codes,
            _shown_boxes(buffers.rects[:size].astype(np.float64), matrix),
            np.stack(_shown(buffers.points[:size, 0], buffers.points[:size, 1], matrix), axis=1),
            styles,
            objects,
            table,
            lambda index: bool(_is_generated(handle, index) == 1),
            tight_height,
            matrix[0] > 0 > matrix[3],
        )

    def _styles(
        self,
        text: pypdfium2.PdfTextPage,
        objects: list[int],
        matrix: Matrix,
        table: list[TextStyle],
    ) -> list[int]:
        """The index of each character's style; styles are added to ``table``."""
        by_object: dict[int, int] = {0: -1}
        known: dict[TextStyle, int] = {}
        firsts: dict[int, int] = {}
        for index in range(len(objects) - 1, -1, -1):
            firsts[objects[index]] = index
        firsts.pop(0, None)
        for address, index in sorted(firsts.items(), key=itemgetter(1)):
            style = self._style(text, index, address, matrix)
            if style not in known:
                known[style] = len(table)
                table.append(style)
            by_object[address] = known[style]
        return list(map(by_object.__getitem__, objects))

    def _style(
        self, text: pypdfium2.PdfTextPage, index: int, address: int, matrix: Matrix
    ) -> TextStyle:
        item = ctypes.cast(address, pdfium.FPDF_PAGEOBJECT)
        own, size = pdfium.FS_MATRIX(), ctypes.c_float()
        pdfium.FPDFText_GetMatrix(text.raw, index, own)
        pdfium.FPDFTextObj_GetFontSize(item, size)
        font = pdfium.FPDFTextObj_GetFont(item)
        name, bold, italic = self._face(font)
        ahead = -1 if size.value < 0 else 1
        x = ahead * (matrix[0] * own.a + matrix[2] * own.b)
        y = ahead * (matrix[1] * own.a + matrix[3] * own.b)
        turn = round(math.degrees(math.atan2(-y, x)) / 90) % 4 * 90
        em = abs(size.value) * math.hypot(own.c, own.d)
        mode = max(0, pdfium.FPDFTextObj_GetTextRenderMode(item))
        return TextStyle(name, max(LEAST_EM, round(em, 2)), bold, italic, turn, mode)

    def _face(self, font: Any) -> tuple[str, bool, bool]:
        buffer = ctypes.create_string_buffer(_NAME_BYTES)
        pdfium.FPDFFont_GetBaseFontName(font, buffer, _NAME_BYTES)
        raw = buffer.value.decode("utf-8", "replace")
        if not raw:
            address = ctypes.cast(font, ctypes.c_void_p).value or 0
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
