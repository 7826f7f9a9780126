"""Glyphs of text objects in pixels: which of them a page shows, by the text or by a picture."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_int, c_void_p
from itertools import pairwise, product
from math import ceil, floor
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox

from .pdfium_objects import function

INVISIBLE = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)

_SCALES = 2.0, 4.0  # pixels a point, least and most
_HEIGHT = 14.0  # pixels that most texts are high, so that glyphs can be told apart
_MOST_PIXELS = 8_000_000
_CONTRAST = 20  # of 255, in any of red, green, blue: less is not visible
_SEEN = 0.4  # of a word's glyphs: with less, a reader does not make it out
_ALIKE = 0.7  # correlation of glyphs with their picture; with other words seldom above 0.5
_EVEN = 0.06  # of the pixels of each stretch of a line are painted, at least
_SHIFT = 2  # pixels by which a picture of a word may lie beside it
_BGR, _GREY = pdfium.FPDFBitmap_BGR, pdfium.FPDFBitmap_Gray
_WHITE, _BLACK = (255, 255, 255, 255), (0, 0, 0, 255)

_set_active = function("FPDFPageObj_SetIsActive", c_int, c_void_p, c_int)
_render_mode = function("FPDFTextObj_GetTextRenderMode", c_int, c_void_p)
_set_render_mode = function("FPDFTextObj_SetTextRenderMode", c_int, c_void_p, c_int)

Flags = npt.NDArray[np.bool_]
Pixels = npt.NDArray[np.uint8]


class _Frame(NamedTuple):
    """A part of a page in pixels, ``scale`` a point from ``left`` and ``top``."""

    left: float
    top: float
    right: float
    bottom: float
    scale: float

    def cut(self, box: BBox, pixels: Flags | Pixels) -> tuple[slice, slice]:
        """The rows and columns of a box (points from the top left), at least one each."""
        height, width = pixels.shape
        return (
            _pixels_between(box[1] - self.top, box[3] - self.top, self.scale, height),
            _pixels_between(box[0] - self.left, box[2] - self.left, self.scale, width),
        )


def _frame_around(page: pypdfium2.PdfPage, boxes: Sequence[BBox], least_scale: float) -> _Frame:
    width, height = page.get_size()
    left = max(0.0, min(min(box[0] for box in boxes) - 1, width - 1))
    top = max(0.0, min(min(box[1] for box in boxes) - 1, height - 1))
    right = min(width, max(max(box[2] for box in boxes) + 1, left + 1))
    bottom = min(height, max(max(box[3] for box in boxes) + 1, top + 1))
    scale = min(least_scale, (_MOST_PIXELS / ((right - left) * (bottom - top))) ** 0.5)
    return _Frame(left, top, right, bottom, scale)


def _pixels_between(start: float, end: float, scale: float, most: int) -> slice:
    first = min(max(0, floor(start * scale)), most - 1)
    return slice(first, max(first + 1, min(most, ceil(end * scale))))


class Ink(NamedTuple):
    """``glyphs`` is how much of each pixel texts cover (255: all), ``painted`` where the page looks
    different without them, ``without`` the darkest of that page's red, green and blue."""

    glyphs: Pixels
    painted: Flags
    without: Pixels
    frame: _Frame

    def is_blank(self, box: BBox) -> bool:
        """Whether there are no glyphs in a box: of blanks, or of a font that is missing here."""
        return bool(self.glyphs[self.frame.cut(box, self.glyphs)].max() < _CONTRAST)

    def shows(self, box: BBox) -> bool:
        """Whether most of the glyphs in a box (points from the top left) are painted."""
        cut = self.frame.cut(box, self.glyphs)
        glyphs = self.glyphs[cut]
        seen = glyphs.sum(where=self.painted[cut], dtype=np.int64)
        return bool(seen > 0 and seen >= _SEEN * glyphs.sum(dtype=np.int64))

    def pictures(self, box: BBox) -> bool:
        """Whether the page shows the glyphs in a box without these texts."""
        rows, columns = self.frame.cut(box, self.glyphs)
        glyphs = self.glyphs[rows, columns].astype(float)
        glyphs -= glyphs.mean()
        if not glyphs.any():
            return False
        shifts = range(-_SHIFT, _SHIFT + 1)
        return any(
            _correlation(glyphs, self._moved(rows, columns, *by)) >= _ALIKE
            for by in product(shifts, shifts)
        )

    def _moved(self, rows: slice, columns: slice, down: int, across: int) -> Pixels | None:
        """The page in a cut that is moved; None beyond the edge."""
        start, left = rows.start + down, columns.start + across
        if start < 0 or left < 0:
            return None
        return self.without[start : rows.stop + down, left : columns.stop + across]


def _correlation(glyphs: npt.NDArray[np.float64], page: Pixels | None) -> float:
    """Of the shape of glyphs, its mean taken off, with light or dark pixels."""
    if page is None or page.shape != glyphs.shape:
        return 0.0
    if np.ptp(page) < _CONTRAST:
        return 0.0
    found = page - page.mean()
    size = float(np.sqrt((found**2).sum() * (glyphs**2).sum()))
    return abs(float((found * glyphs).sum())) / size if size > 0 else 0.0


class InkReader:
    """Paints the part of a page around ``boxes`` (points from the top left of the displayed page),
    at least one; ``fine``: so that the glyphs of most of them can be told apart."""

    def __init__(
        self, page: pypdfium2.PdfPage, boxes: Sequence[BBox], *, fine: bool = False
    ) -> None:
        self._page = page
        scale = _SCALES[0]
        if fine:
            side = median(min(box[2] - box[0], box[3] - box[1]) for box in boxes)
            scale = min(max(scale, _HEIGHT / max(1.0, side)), _SCALES[1])
        self._frame = _frame_around(page, boxes, scale)
        self._shown = self._pixels(_WHITE)

    def evident(self, texts: Collection[int], boxes: Sequence[BBox]) -> list[bool]:
        """Whether text objects (by address) are painted all along each of the boxes."""
        painted = self._painted(self._without(texts))
        return [_is_even(painted[self._frame.cut(box, painted)]) for box in boxes]

    def read(self, texts: Collection[int], others: Collection[int]) -> Ink:
        """The ink of some text objects together, by address; ``others`` are the addresses of all
        that the page paints but forms."""
        without = self._without(texts)
        with _inactive(set(others).difference(texts)), _filled(texts):
            bright, dark = (self._pixels(ground, _GREY) for ground in (_WHITE, _BLACK))
        return Ink(
            255 - (np.maximum(bright, dark) - np.minimum(bright, dark)),
            self._painted(without),
            np.minimum(np.minimum(without[..., 0], without[..., 1]), without[..., 2]),
            self._frame,
        )

    def _without(self, texts: Collection[int]) -> Pixels:
        with _inactive(texts):
            return self._pixels(_WHITE)

    def _painted(self, without: Pixels) -> Flags:
        return _difference(self._shown, without) >= _CONTRAST

    def _pixels(self, ground: tuple[int, int, int, int], form: int = _BGR) -> Pixels:
        left, top, right, bottom, scale = self._frame
        width, height = self._page.get_size()
        bitmap = self._page.render(
            scale=scale,
            crop=(left, height - bottom, width - right, top),
            fill_color=ground,
            force_bitmap_format=form,
            draw_annots=False,
        )
        pixels: Pixels = bitmap.to_numpy().copy()
        return pixels.reshape(pixels.shape[:2]) if form == _GREY else pixels


def _is_even(painted: Flags) -> bool:
    """Whether every stretch of a line has as many painted pixels as letters have."""
    height, width = sorted(painted.shape)
    along = painted.mean(axis=int(painted.shape[0] > painted.shape[1]))
    count = max(1, round(width / (2 * height)))
    each, longer = divmod(width, count)
    ends = (at * each + min(at, longer) for at in range(count + 1))
    return all(along[a:b].sum() / (b - a) >= _EVEN for a, b in pairwise(ends))


def _difference(one: Pixels, other: Pixels) -> Pixels:
    """By pixel, the greatest in red, green, blue; by planes, which is five times as fast."""
    red, green, blue = (
        np.maximum(one[..., plane], other[..., plane])
        - np.minimum(one[..., plane], other[..., plane])
        for plane in range(3)
    )
    pixels: Pixels = np.maximum(np.maximum(red, green), blue)
    return pixels


def text_without(page: pypdfium2.PdfPage, texts: Collection[int], turn: int = 0) -> str:
    """pdfium's own reading of a page without the text objects at these addresses, the page turned
    clockwise by ``turn`` degrees."""
    displayed = page.get_rotation()
    with _inactive(texts):
        page.set_rotation((displayed + turn) % 360)
        text = page.get_textpage()
        try:
            return str(text.get_text_range())
        finally:
            text.close()
            page.set_rotation(displayed)


@contextmanager
def _inactive(objects: Collection[int]) -> Iterator[None]:
    for address in objects:
        _set_active(address, 0)
    try:
        yield
    finally:
        for address in objects:
            _set_active(address, 1)


@contextmanager
def _filled(texts: Collection[int]) -> Iterator[None]:
    """Invisible texts, and those that only clip later painting, drawn as visible ones."""
    modes = {at: _render_mode(at) for at in texts}
    unseen = {at: mode for at, mode in modes.items() if mode in INVISIBLE}
    for address in unseen:
        _set_render_mode(address, pdfium.FPDF_TEXTRENDERMODE_FILL)
    try:
        yield
    finally:
        for address, mode in unseen.items():
            _set_render_mode(address, mode)
