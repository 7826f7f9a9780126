"""Text objects that a reader does not see: by mode, size, place, colour, or what lies on them."""

from collections.abc import Iterable, Iterator, Mapping
from ctypes import addressof, c_float, c_int, c_size_t, c_void_p
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_content.pdfium_objects import (
    Colour,
    ObjectReader,
    PageObject,
    common,
    function,
    is_empty,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.rendered_text import painted_regions
from citeloom.infrastructure.ingest.conversion.pdf.page_record import centre_inside

_INVISIBLE = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
_OUTLINED = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_TOO_SMALL = 1.05  # points: size of text that nobody can read
_CONTRAST = 12  # of 255, in any of red, green, blue: less is no contrast
_OPAQUE = 255
_WHITE: Colour = (255, 255, 255, _OPAQUE)
_LEAST_SURFACE = 3.0  # points: what is thinner hides no character
_LEAST_CUT = 1.0  # points
_CHARACTER = 0.4  # width of a narrow character, of its height
_MOST_OF = 0.6  # of a character's height
_WHOLE = 0.9  # of a text's width
_SAME_PLACE = 0.15  # of a text's height
_PAIRS = 1_000_000  # of texts and surfaces compared at once

_render_mode = function("FPDFTextObj_GetTextRenderMode", c_int, c_void_p)
_font_size = function("FPDFTextObj_GetFontSize", c_int, c_void_p, c_void_p)
_font = function("FPDFTextObj_GetFont", c_void_p, c_void_p)
_base_font_name = function("FPDFFont_GetBaseFontName", c_size_t, c_void_p, c_void_p, c_size_t)


class Hidden(StrEnum):
    """Why a reader does not see a text."""

    OFF_PAGE = "off the page"
    CLIPPED = "cut off"
    INVISIBLE = "invisible"
    TOO_SMALL = "too small"
    NO_CONTRAST = "in the colour of what is below"
    COVERED = "covered"


class HiddenText(NamedTuple):
    """``parts`` are the boxes in which a text object is hidden; none: all of it is."""

    reason: Hidden
    parts: tuple[BBox, ...] = ()

    def hides(self, box: BBox) -> bool:
        """Whether a character or word of the text object is hidden."""
        return not self.parts or any(centre_inside(box, part) for part in self.parts)


class Surface(NamedTuple):
    """A filled area. ``place`` counts the page's objects from the lowest; ``colour`` is None for
    pictures, patterns and what is not opaque."""

    place: int
    box: BBox
    colour: Colour | None


class _Text(NamedTuple):
    """A text object that is painted, its visible box and colour (None: a pattern)."""

    place: int
    address: int
    box: BBox
    colour: Colour | None


class _Doubt(NamedTuple):
    """A region of a text in which it may be hidden."""

    text: _Text
    region: BBox
    reason: Hidden


class TextVisibility:
    """Collects the texts and surfaces of one page, and tells which texts are hidden.

    Most texts are judged by mode, size, clip and colour. Those in the colour of what is below,
    over a picture or under a surface are painted and left out in turn: what makes no difference
    is hidden.
    """

    def __init__(self, page: pypdfium2.PdfPage, reader: ObjectReader) -> None:
        self._page = page
        self._reader = reader
        self._frame = (0.0, 0.0, reader.width, reader.height)
        self._texts: list[_Text] = []
        self._surfaces: list[Surface] = []
        self._hidden: dict[int, HiddenText] = {}
        self._hidden_boxes: dict[int, BBox] = {}
        self._size = c_float()
        self._size_ref = addressof(self._size)

    def add_surfaces(self, surfaces: Iterable[Surface]) -> None:
        for surface in surfaces:
            x0, top, x1, bottom = surface.box
            if x1 - x0 >= _LEAST_SURFACE and bottom - top >= _LEAST_SURFACE:
                self._surfaces.append(surface)

    def add_text(self, place: int, text: PageObject) -> None:
        mode = _render_mode(text.address)
        box = self._reader.bounds(text)
        outlined = mode in _OUTLINED
        colour = self._reader.stroke(text.address) if outlined else self._reader.fill(text.address)
        visible = common(box, text.clip)
        reason = None
        if is_empty(common(box, self._frame)):
            reason = Hidden.OFF_PAGE
        elif is_empty(visible):
            reason = Hidden.CLIPPED
        elif mode in _INVISIBLE or (colour is not None and colour[3] == 0):
            reason = Hidden.INVISIBLE
        elif box[3] - box[1] <= _TOO_SMALL and self._is_too_small(text):
            reason = Hidden.TOO_SMALL
        if reason is not None:
            self._hidden[text.address] = HiddenText(reason)
            self._hidden_boxes[text.address] = box
            return
        cut = tuple(_outside(box, visible))
        if cut:
            self._hidden[text.address] = HiddenText(Hidden.CLIPPED, cut)
        self._texts.append(_Text(place, text.address, visible, colour))

    def hidden(self) -> Mapping[int, HiddenText]:
        """The hidden texts by the address of pdfium's text object."""
        doubts = [*self._doubts()]
        if doubts:
            addresses = {doubt.text.address for doubt in doubts}
            regions = [doubt.region for doubt in doubts]
            painted = painted_regions(self._page, addresses, regions, _CONTRAST)
            for doubt, shows in zip(doubts, painted, strict=True):
                if not shows:
                    self._hide(doubt)
        for address in self._repeated():
            del self._hidden[address]
        return self._hidden

    def _hide(self, doubt: _Doubt) -> None:
        address, box = doubt.text.address, doubt.text.box
        known = self._hidden.get(address)
        if known is not None and not known.parts:
            return
        parts = (*(known.parts if known else ()), doubt.region)
        if doubt.region[2] - doubt.region[0] >= _WHOLE * (box[2] - box[0]):
            parts = ()
        self._hidden[address] = HiddenText(doubt.reason, parts)
        self._hidden_boxes[address] = box

    def _repeated(self) -> list[int]:
        """Hidden texts at the place of one that is seen. Of texts in one place pdfium's text
        page has the first only, whichever is seen."""
        seen = [text.box for text in self._texts if text.address not in self._hidden]
        if not seen or not self._hidden_boxes:
            return []
        boxes = np.array(seen)
        return [
            address
            for address, box in self._hidden_boxes.items()
            if (np.abs(boxes - box) <= _SAME_PLACE * (box[3] - box[1])).all(axis=1).any()
        ]

    def _is_too_small(self, text: PageObject) -> bool:
        """By the font size in points as displayed. That of a Type 3 font, which has no name,
        says nothing: its glyphs may be drawn in points."""
        if _base_font_name(_font(text.address), None, 0) <= 1:
            return False
        _font_size(text.address, self._size_ref)
        a, b, c, d, _, _ = self._reader.matrix(text.address)
        g, h, i, j, _, _ = text.matrix
        scale = abs((a * d - b * c) * (g * j - h * i)) ** 0.5
        return bool(self._size.value * scale <= _TOO_SMALL)

    def _doubts(self) -> Iterator[_Doubt]:
        if not self._surfaces:
            for text in self._texts:
                if _is_alike(text.colour, _WHITE):
                    yield _Doubt(text, text.box, Hidden.NO_CONTRAST)
            return
        boxes = np.array([surface.box for surface in self._surfaces])
        places = np.array([surface.place for surface in self._surfaces])
        step = max(1, _PAIRS // len(self._surfaces))
        for start in range(0, len(self._texts), step):
            yield from self._doubts_among(self._texts[start : start + step], boxes, places)

    def _doubts_among(
        self,
        texts: list[_Text],
        boxes: npt.NDArray[np.float64],
        places: npt.NDArray[np.int64],
    ) -> Iterator[_Doubt]:
        x0, top, x1, bottom = np.array([text.box for text in texts]).T[:, :, np.newaxis]
        later = places > np.array([text.place for text in texts])[:, np.newaxis]
        width = np.minimum(x1, boxes[:, 2]) - np.maximum(x0, boxes[:, 0])
        height = np.minimum(bottom, boxes[:, 3]) - np.maximum(top, boxes[:, 1])
        x, y = (x0 + x1) / 2, (top + bottom) / 2
        around = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
        backdrop = np.where(around & ~later, places, -1)
        covers = later & (height >= _MOST_OF * (bottom - top))
        covers &= width >= np.minimum(_CHARACTER * (bottom - top), _WHOLE * (x1 - x0))
        topmost = backdrop.argmax(axis=1)
        for at, text in enumerate(texts):
            found = backdrop[at, topmost[at]] >= 0
            for index in np.flatnonzero(covers[at]):
                region = common(text.box, self._surfaces[index].box)
                yield _Doubt(text, region, Hidden.COVERED)
            below = self._surfaces[topmost[at]].colour if found else _WHITE
            if below is None or _is_alike(text.colour, below):
                yield _Doubt(text, text.box, Hidden.NO_CONTRAST)


def _is_alike(one: Colour | None, other: Colour) -> bool:
    return one is not None and all(
        abs(a - b) < _CONTRAST for a, b in zip(one[:3], other[:3], strict=True)
    )


def _outside(box: BBox, visible: BBox) -> Iterator[BBox]:
    """The parts of a box beyond its visible part."""
    x0, top, x1, bottom = box
    left, upper, right, lower = visible
    if left - x0 >= _LEAST_CUT:
        yield (x0, top, left, bottom)
    if x1 - right >= _LEAST_CUT:
        yield (right, top, x1, bottom)
    if upper - top >= _LEAST_CUT:
        yield (x0, top, x1, upper)
    if bottom - lower >= _LEAST_CUT:
        yield (x0, lower, x1, bottom)
