"""Text objects that a reader does not see: by mode, size, place, colour, or covering paint."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from ctypes import addressof, c_float, c_int, c_size_t, c_ulong, c_void_p, create_string_buffer
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_record import centre_inside

from .pdfium_objects import (
    Colour,
    Matrix,
    PageObject,
    bounds_of,
    fill_colour_of,
    function,
    matrix_of,
    stroke_colour_of,
)
from .text_ink import INVISIBLE as INVISIBLE
from .text_ink import Ink, InkReader

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
    ``colours`` (n, 4) red, green, blue, opacity from 0 to 255; ``patterned`` texts may
    have none. ``places`` count all objects of the page. ``layered`` texts are on a layer
    (PDF 32000-1, 8.11), which may be switched off; ``shaped`` ones have a clip that is not a
    rectangle.
    """

    objects: Sequence[PageObject]
    places: npt.NDArray[np.int64]
    boxes: Boxes
    clips: Boxes
    colours: npt.NDArray[np.int64]
    patterned: Flags
    invisible: Flags
    layered: Flags
    shaped: Flags

    @property
    def visible_boxes(self) -> Boxes:
        """The boxes within the clips; left exceeds right, or top bottom, if nothing is visible."""
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
    white = (colours[:, :3] == _WHITE).all(axis=1)  # what pdfium says of patterns, too
    return TextObjects(
        objects,
        np.array(places),
        _boxes(objects, addresses),
        np.array([found.clip for found in objects]),
        colours,
        ~painted | white,
        np.isin(modes, INVISIBLE) | (painted & (colours[:, 3] == 0)),
        _layered(addresses),
        np.array([found.shaped for found in objects]),
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


_TOO_SMALL = 2.05  # points: size of text that nobody can read
_CONTRAST = 20  # of 255, in any of red, green, blue: less is not visible
_WHITE = (255, 255, 255)
_LEAST_SURFACE = 3.0  # points: what is thinner hides no character
_LEAST_CUT = 1.0  # points
_CHARACTER = 0.4  # width of a narrow character, of its height
_MOST_OF = 0.6  # of a character's height
_WHOLE = 0.9  # of a text's width
_MOST_GROUPS = 8  # of texts that are painted apart by colour
_DEEPEST = 3  # texts that lie on one another and are told apart
_MOST_LAYER = 0.5  # of the texts: where more are invisible, they are the page's text layer
_SAME_PLACE = 0.15  # of a text's height
_PAIRS = 1_000_000  # of texts and surfaces compared at once


class Hidden(StrEnum):
    """Why a reader does not see a text."""

    OFF_PAGE = "off the page"
    CLIPPED = "cut off"
    INVISIBLE = "invisible"
    TOO_SMALL = "too small"
    NO_CONTRAST = "invisible against the background"
    COVERED = "covered"


class HiddenText(NamedTuple):
    """A text object that is or may be hidden: ``parts`` are its hidden boxes, ``ink`` the visible
    share; without either, all of it is hidden. ``pictured`` ones are visible if the page shows the
    same glyphs anyway, such as a figure's text under its picture."""

    reason: Hidden
    parts: tuple[BBox, ...] = ()
    ink: Ink | None = None
    pictured: bool = False

    def hides(self, box: BBox) -> bool:
        """Whether a character or word of the text object is hidden."""
        if any(centre_inside(box, part) for part in self.parts):
            return True
        if self.ink is None:
            return not self.parts
        return not (self.ink.shows(box) or (self.pictured and self.ink.pictures(box)))


class Surface(NamedTuple):
    """A filled area. ``place`` counts the page's objects from the lowest; ``colour`` is None for
    pictures, patterns and what is not opaque."""

    place: int
    box: BBox
    colour: Colour | None


def hidden_texts(
    page: pypdfium2.PdfPage,
    texts: Mapping[int, PageObject],
    surfaces: Iterable[Surface],
    others: Collection[int],
) -> Mapping[int, HiddenText]:
    """The text objects of a page that are hidden or may be, by their address; ``texts`` are all by
    their place, ``others`` the addresses of paths, pictures and shadings.

    Most are judged by mode, size, clip and colour. Those invisible against the background, over a
    picture, under a surface, in a pattern, in a clip that is not a rectangle or on a layer are
    painted and left out in turn: where that makes no difference, they are hidden.
    """
    if not texts:
        return {}
    read = read_text_objects(list(texts), list(texts.values()))
    found = _Judgement(page, read)
    found.judge_alone()
    found.judge_by_ink([s for s in surfaces if _may_hide(s.box)], others)
    return found.hidden_objects()


def _may_hide(box: BBox) -> bool:
    return box[2] - box[0] >= _LEAST_SURFACE and box[3] - box[1] >= _LEAST_SURFACE


class _Judgement:
    """The data about each text of one page, by its index."""

    def __init__(self, page: pypdfium2.PdfPage, texts: TextObjects) -> None:
        self._page = page
        self._texts = texts
        self._boxes = texts.visible_boxes
        self._hidden: dict[int, HiddenText] = {}

    def judge_alone(self) -> None:
        """By place, clip, mode and size."""
        boxes, visible = self._texts.boxes, self._boxes
        width, height = self._page.get_size()
        off_page = np.any(boxes[:, :2] > (width, height), axis=1)
        off_page |= np.any(boxes[:, 2:] < 0, axis=1)
        clipped = np.any(visible[:, :2] > visible[:, 2:], axis=1)
        low = np.less_equal(boxes[:, 3] - boxes[:, 1], _TOO_SMALL)
        cut = np.any(np.abs(boxes - visible) >= _LEAST_CUT, axis=1)
        for at in _indexes(cut):
            parts = tuple(_outside(_box(boxes, at), _box(visible, at)))
            self._hidden[at] = HiddenText(Hidden.CLIPPED, parts)
        self._hide_all(off_page, Hidden.OFF_PAGE)
        self._hide_all(clipped & ~off_page, Hidden.CLIPPED)
        self._hide_all(self._texts.invisible & ~clipped, Hidden.INVISIBLE)
        for at in _indexes(low & ~clipped & ~self._texts.invisible):
            size = displayed_size(self._texts.objects[at])
            if size is not None and size <= _TOO_SMALL:
                self._hidden[at] = HiddenText(Hidden.TOO_SMALL)

    def judge_by_ink(self, surfaces: list[Surface], others: Collection[int]) -> None:
        """Judge by the paint below and above, by layer, pattern and clip, on pixels."""
        blanks = self._texts.boxes[:, 0] >= self._texts.boxes[:, 2]
        doubts: dict[int, Hidden] = {}
        for at, reason in self._doubts(surfaces):
            if not (blanks[at] or self._is_hidden(at)):
                doubts.setdefault(at, reason)
        doubts.update(dict.fromkeys(self._pictured(surfaces), Hidden.INVISIBLE))
        if not doubts:
            return
        addresses = [found.address for found in self._texts.objects]
        doubts = self._without_evident(doubts, addresses)
        if not doubts:
            return
        reader = InkReader(self._page, [_box(self._boxes, at) for at in doubts], fine=True)
        for reason, group in self._groups(doubts):
            ink = reader.read([addresses[at] for at in group], [*addresses, *others])
            for at in group:
                blank = reason is Hidden.NO_CONTRAST and ink.is_blank(_box(self._boxes, at))
                if blank and not self._texts.shaped[at]:
                    continue
                parts = self._hidden[at].parts if at in self._hidden else ()
                self._hidden[at] = HiddenText(reason, parts, ink)

    def _without_evident(
        self, doubts: Mapping[int, Hidden], addresses: Sequence[int]
    ) -> dict[int, Hidden]:
        """The doubts without those about texts that are painted all along."""
        reader = InkReader(self._page, [_box(self._boxes, at) for at in doubts])
        left = {}
        for reason, group in self._groups(doubts):
            boxes = [_box(self._boxes, at) for at in group]
            evident = reader.evident([addresses[at] for at in group], boxes)
            left.update({at: reason for at, seen in zip(group, evident, strict=True) if not seen})
        return left

    def _pictured(self, surfaces: list[Surface]) -> list[int]:
        """Invisible texts whose glyphs something else may show: a picture, or paint within them.
        Not those of a scan, which are read as a whole."""
        invisible = self._texts.invisible
        if invisible.mean() > _MOST_LAYER or not surfaces:
            return []
        reasons = ((at, self._hidden.get(at)) for at in _indexes(invisible))
        return [at for at, hidden in reasons if hidden and hidden.reason is Hidden.INVISIBLE]

    def _groups(self, doubts: Mapping[int, Hidden]) -> Iterator[tuple[Hidden, list[int]]]:
        """Texts of one reason and colour that do not overlap: they are painted together without
        confusing their ink."""
        indexes = sorted(doubts)
        left, top, right, bottom = np.ascontiguousarray(self._boxes[indexes].T)
        xs, ys = (left + right) / 2, (top + bottom) / 2
        groups: dict[tuple[Hidden, tuple[int, ...], int], list[int]] = {}
        for row, at in enumerate(indexes):
            x, y = xs[row], ys[row]
            below = (left[:row] < x) & (x < right[:row]) & (top[:row] < y) & (y < bottom[:row])
            depth = min(int(np.count_nonzero(below)), _DEEPEST)
            colour = tuple(self._texts.colours[at].tolist())
            key = (doubts[at], colour if len(groups) < _MOST_GROUPS else (), depth)
            groups.setdefault(key, []).append(at)
        for (reason, _, _), group in groups.items():
            yield reason, group

    def hidden_objects(self) -> dict[int, HiddenText]:
        """By address, without those at the place of one that is seen. Of texts in one place
        pdfium's text page has the first only, whichever is seen."""
        hidden = {at for at in self._hidden if not self._shows(at)}
        seen = np.delete(self._boxes, sorted(hidden), axis=0)
        found = {}
        for at, judged in self._hidden.items():
            box = self._boxes[at]
            if at in hidden:
                if (np.abs(seen - box) <= _SAME_PLACE * (box[3] - box[1])).all(axis=1).any():
                    continue
                overlaps = (seen[:, :2] < box[2:]) & (box[:2] < seen[:, 2:])
                judged = judged._replace(pictured=not overlaps.all(axis=1).any())
            found[self._texts.objects[at].address] = judged
        return found

    def _shows(self, at: int) -> bool:
        """Whether a text is in doubt, and seen."""
        judged = self._hidden[at]
        return judged.ink is not None and judged.ink.shows(_box(self._boxes, at))

    def _hide_all(self, which: Flags, reason: Hidden) -> None:
        for at in _indexes(which):
            self._hidden[at] = HiddenText(reason)

    def _is_hidden(self, at: int) -> bool:
        return at in self._hidden and not self._hidden[at].parts

    def _doubts(self, surfaces: list[Surface]) -> Iterator[tuple[int, Hidden]]:
        """The indexes of texts that may be hidden, and why."""
        texts = self._texts
        boxes = np.array([surface.box for surface in surfaces])
        step = max(1, _PAIRS // max(1, len(surfaces)))
        for start in range(0, len(texts.objects) if surfaces else 0, step):
            yield from self._doubts_among(start, start + step, surfaces, boxes)
        alike = (np.abs(texts.colours[:, :3] - _WHITE) < _CONTRAST).all(axis=1)
        for which, reason in (
            (texts.layered, Hidden.INVISIBLE),
            (texts.patterned | (alike & (not surfaces)), Hidden.NO_CONTRAST),
            (texts.shaped, Hidden.CLIPPED),
        ):
            for at in _indexes(which):
                yield at, reason

    def _doubts_among(
        self, start: int, end: int, surfaces: list[Surface], boxes: Boxes
    ) -> Iterator[tuple[int, Hidden]]:
        """Doubts about the texts from ``start`` to ``end``."""
        texts = self._texts
        places = np.array([surface.place for surface in surfaces])
        later = places > texts.places[start:end, np.newaxis]
        x0, top, x1, bottom = self._boxes[start:end].T[:, :, np.newaxis]
        x, y = (x0 + x1) / 2, (top + bottom) / 2
        around = (boxes[:, 0] <= x) & (x <= boxes[:, 2]) & (boxes[:, 1] <= y) & (y <= boxes[:, 3])
        below = np.where(around & ~later, places, -1)
        width = np.minimum(x1, boxes[:, 2]) - np.maximum(x0, boxes[:, 0])
        height = np.minimum(bottom, boxes[:, 3]) - np.maximum(top, boxes[:, 1])
        covers = later & (height >= _MOST_OF * (bottom - top))
        covers &= width >= np.minimum(_CHARACTER * (bottom - top), _WHOLE * (x1 - x0))
        for row in _indexes(covers.any(axis=1)):
            yield start + row, Hidden.COVERED
        topmost = below.argmax(axis=1)
        found = below[np.arange(len(below)), topmost] >= 0
        backdrops = [
            _backdrop(surfaces[i] if f else None) for i, f in zip(topmost, found, strict=True)
        ]
        known = np.array([colour is not None for colour in backdrops])
        backdrop = np.array([colour or _WHITE for colour in backdrops])
        alike = (np.abs(texts.colours[start:end, :3] - backdrop) < _CONTRAST).all(axis=1)
        for row in _indexes(~known | (alike & ~texts.patterned[start:end])):
            yield start + row, Hidden.NO_CONTRAST


def _backdrop(surface: Surface | None) -> tuple[int, ...] | None:
    """The colour of a surface, of paper without one; None where it is not known."""
    if surface is None:
        return _WHITE
    return surface.colour[:3] if surface.colour is not None else None


def _indexes(which: Flags) -> list[int]:
    found: list[int] = np.flatnonzero(which).tolist()
    return found


def _box(boxes: Boxes, at: int) -> BBox:
    x0, top, x1, bottom = (float(value) for value in boxes[at])
    return x0, top, x1, bottom


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
