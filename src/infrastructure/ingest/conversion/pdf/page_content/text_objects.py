"""Text objects of a page in arrays: boxes, colours, rendering modes."""

from collections import deque
from collections.abc import Callable, Sequence
from ctypes import addressof, c_float, c_int, c_size_t, c_ulong, c_void_p, create_string_buffer
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from citeloom.infrastructure.ingest.conversion.pdf.page_content.pdfium_objects import (
    Matrix,
    PageObject,
    bounds_of,
    fill_colour_of,
    function,
    matrix_of,
    stroke_colour_of,
)

INVISIBLE = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
_OUTLINED = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)

_LAYER = "OC\0".encode("utf-16-le")  # the tag of marked content on a layer

Boxes = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_render_mode = function("FPDFTextObj_GetTextRenderMode", c_int, c_void_p)
_mark_count = function("FPDFPageObj_CountMarks", c_int, c_void_p)
_mark = function("FPDFPageObj_GetMark", c_void_p, c_void_p, c_ulong)
_mark_name = function("FPDFPageObjMark_GetName", c_int, c_void_p, c_void_p, c_ulong, c_void_p)
_font_size = function("FPDFTextObj_GetFontSize", c_int, c_void_p, c_void_p)
_font = function("FPDFTextObj_GetFont", c_void_p, c_void_p)
_base_font_name = function("FPDFFont_GetBaseFontName", c_size_t, c_void_p, c_void_p, c_size_t)


class TextObjects(NamedTuple):
    """The text objects of a page, n of them, from the lowest to the topmost.

    ``boxes`` and ``clips`` (n, 4) are in points from the top left of the displayed page,
    ``colours`` (n, 4) red, green, blue, opacity from 0 to 255, meaningless where
    ``patterned``. ``places`` count all objects of the page. ``layered`` texts are on a layer
    (PDF 32000-1, 8.11), which may be switched off.
    """

    objects: Sequence[PageObject]
    places: npt.NDArray[np.int64]
    boxes: Boxes
    clips: Boxes
    colours: npt.NDArray[np.int64]
    patterned: Flags
    invisible: Flags
    layered: Flags

    @property
    def visible_boxes(self) -> Boxes:
        """What the clips leave; right of left or top of bottom where that is nothing."""
        return np.concatenate(
            [
                np.maximum(self.boxes[:, :2], self.clips[:, :2]),
                np.minimum(self.boxes[:, 2:], self.clips[:, 2:]),
            ],
            axis=1,
        )


def read_text_objects(places: Sequence[int], objects: Sequence[PageObject]) -> TextObjects:
    """``objects`` are the page's text objects, at least one, and ``places`` their places."""
    addresses = [found.address for found in objects]
    modes = np.array(list(map(_render_mode, addresses)))
    colours, painted = _colours(fill_colour_of, addresses)
    outlined = np.flatnonzero(np.isin(modes, _OUTLINED))
    if len(outlined):
        strokes, stroked = _colours(stroke_colour_of, [addresses[at] for at in outlined])
        colours[outlined], painted[outlined] = strokes, stroked
    return TextObjects(
        objects,
        np.array(places),
        _boxes(objects, addresses),
        np.array([found.clip for found in objects]),
        colours,
        ~painted,
        np.isin(modes, INVISIBLE) | (painted & (colours[:, 3] == 0)),
        _layered(addresses),
    )


def displayed_size(text: PageObject) -> float | None:
    """The font size in points as displayed; None in a Type 3 font, which has no name: its
    glyphs may be drawn in points, and its size says nothing."""
    if _base_font_name(_font(text.address), None, 0) <= 1:
        return None
    size = c_float()
    _font_size(text.address, addressof(size))
    a, b, c, d, _, _ = matrix_of(text.address)
    g, h, i, j, _, _ = text.matrix
    return float(size.value * abs((a * d - b * c) * (g * j - h * i)) ** 0.5)


def _layered(addresses: Sequence[int]) -> Flags:
    counts = np.array(list(map(_mark_count, addresses)))
    name, size = create_string_buffer(len(_LAYER)), c_ulong()
    name_at, size_at = addressof(name), addressof(size)

    def is_layer(mark: int) -> bool:
        # A name that is too long for the buffer is not written.
        found = _mark_name(mark, name_at, len(_LAYER), size_at)
        return bool(found) and size.value == len(_LAYER) and name.raw == _LAYER

    for index in np.flatnonzero(counts > 0).tolist():
        marks = (_mark(addresses[index], at) for at in range(counts[index]))
        counts[index] = any(map(is_layer, marks))
    return counts > 0


def _colours(
    function: Callable[..., int], addresses: Sequence[int]
) -> tuple[npt.NDArray[np.int64], Flags]:
    """Colours (n, 4), and which objects have one."""
    colours = np.zeros((len(addresses), 4), np.uint32)
    found = list(map(function, addresses, *_columns(colours)))
    return colours.astype(np.int64), np.array(found, bool)


def _boxes(objects: Sequence[PageObject], addresses: Sequence[int]) -> Boxes:
    bounds = np.zeros((len(addresses), 4), np.float32)
    deque(map(bounds_of, addresses, *_columns(bounds)), 0)
    indexes: dict[Matrix, int] = {}
    used = [indexes.setdefault(found.matrix, len(indexes)) for found in objects]
    a, b, c, d, e, f = np.array(list(indexes))[used].T[:, :, np.newaxis]
    xs, ys = bounds[:, [0, 2, 0, 2]].astype(float), bounds[:, [1, 1, 3, 3]].astype(float)
    across, down = a * xs + c * ys + e, b * xs + d * ys + f
    edges = (across.min(axis=1), down.min(axis=1), across.max(axis=1), down.max(axis=1))
    return np.stack(edges, axis=1)


def _columns(memory: npt.NDArray[np.float32] | npt.NDArray[np.uint32]) -> list[range]:
    """The addresses of the four columns, row by row."""
    start, size = memory.ctypes.data, memory.nbytes
    return [range(start + 4 * column, start + size, 16) for column in range(4)]
