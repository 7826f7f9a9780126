"""Objects of a page's content by pdfium, in the order in which they are painted.

The functions take and return addresses as integers: a page of a plot has 10,000 objects, and a
ctypes pointer for each costs more than pdfium itself.
"""

from collections.abc import Callable, Iterator
from ctypes import (
    PYFUNCTYPE,
    addressof,
    byref,
    c_double,
    c_float,
    c_int,
    c_uint,
    c_ulong,
    c_void_p,
    cast,
)
from itertools import repeat
from typing import Any, NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox

#: Coefficients a to f of PDF 32000-1, 8.3.3: x' = a x + c y + e, y' = b x + d y + f.
Matrix = tuple[float, float, float, float, float, float]
Colour = tuple[int, int, int, int]  # red, green, blue, opacity, each 0 to 255

_DEEPEST = 12  # forms within forms
_MOST_CLIP_POINTS = 2000
_LEVEL = 0.2  # units by which the side of a rectangle may be off
_WHITE, _OPAQUE = 250, 255
_DEVICE = 1000  # units of the square on which the page is mapped to find its matrix
EVERYWHERE: BBox = (-1e9, -1e9, 1e9, 1e9)


def function(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """pdfium's function with addresses as integers in place of pointers. It is called without
    giving up the lock of the interpreter, which takes longer than most of these functions."""
    address = cast(getattr(pdfium, name), c_void_p).value
    if address is None:
        raise AttributeError(f"pdfium has no function {name}")
    return PYFUNCTYPE(result, *arguments)(address)


_P, _I, _N = c_void_p, c_int, c_ulong
_count = function("FPDFPage_CountObjects", _I, _P)
_object = function("FPDFPage_GetObject", _P, _P, _I)
_form_count = function("FPDFFormObj_CountObjects", _I, _P)
_form_object = function("FPDFFormObj_GetObject", _P, _P, _N)
_type = function("FPDFPageObj_GetType", _I, _P)
_matrix = function("FPDFPageObj_GetMatrix", _I, _P, _P)
_clip = function("FPDFPageObj_GetClipPath", _P, _P)
_clip_count = function("FPDFClipPath_CountPaths", _I, _P)
_clip_size = function("FPDFClipPath_CountPathSegments", _I, _P, _I)
_clip_segment = function("FPDFClipPath_GetPathSegment", _P, _P, _I, _I)
_point = function("FPDFPathSegment_GetPoint", _I, _P, _P, _P)
#: Of an object's address and those of left, bottom, right and top, in its container's space.
bounds_of = function("FPDFPageObj_GetBounds", _I, *[_P] * 5)
#: Of an object's address and those of red, green, blue and opacity.
fill_colour_of = function("FPDFPageObj_GetFillColor", _I, *[_P] * 5)
stroke_colour_of = function("FPDFPageObj_GetStrokeColor", _I, *[_P] * 5)


class PageObject(NamedTuple):
    """A painted object. ``address`` is that of pdfium's object, ``kind`` one of ``FPDF_PAGEOBJ_*``;
    ``matrix`` leads from its space (for text: that of the page or form around it) to points from
    the top left of the displayed page. ``clip`` is the largest box that can be painted; a
    ``shaped`` clip leaves less."""

    address: int
    kind: int
    matrix: Matrix
    clip: BBox
    shaped: bool


def matrix_of(address: int) -> Matrix:
    """The matrix of a form, path, picture or text."""
    six = pdfium.FS_MATRIX()
    _matrix(address, addressof(six))
    return six.a, six.b, six.c, six.d, six.e, six.f


def product(first: Matrix, then: Matrix) -> Matrix:
    """The matrix that applies ``first``, then ``then``."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )


def mapped(box: BBox, matrix: Matrix) -> BBox:
    """The box around a box after ``matrix``."""
    x0, y0, x1, y1 = box
    a, b, c, d, e, f = matrix
    if not (b or c):
        left, right, top, bottom = a * x0 + e, a * x1 + e, d * y0 + f, d * y1 + f
    else:
        xs = (a * x0 + c * y0, a * x1 + c * y0, a * x0 + c * y1, a * x1 + c * y1)
        ys = (b * x0 + d * y0, b * x1 + d * y0, b * x0 + d * y1, b * x1 + d * y1)
        left, right, top, bottom = min(xs) + e, max(xs) + e, min(ys) + f, max(ys) + f
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)


def common(one: BBox, other: BBox) -> BBox:
    """What two boxes share. Of boxes that share nothing, the right edge is left of the left."""
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        min(one[2], other[2]),
        min(one[3], other[3]),
    )


def is_empty(box: BBox) -> bool:
    return box[2] < box[0] or box[3] < box[1]


def is_white(colour: Colour | None) -> bool:
    return colour is not None and min(colour[:3]) >= _WHITE and colour[3] == _OPAQUE


class ObjectReader:
    """Reads the objects of one page. ``width`` and ``height`` are those of the displayed page."""

    def __init__(self, page: pypdfium2.PdfPage) -> None:
        self._page = cast(page.raw, c_void_p).value
        self.width, self.height = page.get_size()
        self._display = display_matrix(page)
        self._floats = tuple(c_float() for _ in range(4))
        self._float_refs = tuple(addressof(number) for number in self._floats)
        self._ints = tuple(c_uint() for _ in range(4))
        self._int_refs = tuple(addressof(number) for number in self._ints)
        self._clips: dict[tuple[int, int], tuple[BBox, bool]] = {}

    def objects(self) -> Iterator[PageObject]:
        """Text, paths, pictures and shadings from the lowest to the topmost."""
        page = (0.0, 0.0, self.width, self.height)
        yield from self._walk(
            _object, self._page, _count(self._page), self._display, (page, False), 0
        )

    def _walk(
        self,
        item: Callable[[int | None, int], int],
        container: int | None,
        count: int,
        matrix: Matrix,
        clip: tuple[BBox, bool],
        depth: int,
    ) -> Iterator[PageObject]:
        addresses = list(map(item, repeat(container), range(count)))
        kinds = map(_type, addresses)
        clips = list(map(_clip, addresses))
        depths = map(_clip_count, clips)
        for address, kind, path, paths in zip(addresses, kinds, clips, depths, strict=True):
            visible = clip
            if paths > 0:
                box, shaped = self._clip_box(path, paths)
                visible = common(clip[0], mapped(box, matrix)), clip[1] or shaped
            if kind != pdfium.FPDF_PAGEOBJ_FORM:
                yield PageObject(address, kind, matrix, *visible)
            elif depth < _DEEPEST:
                inner = product(matrix_of(address), matrix)
                inside = _form_count(address)
                yield from self._walk(_form_object, address, inside, inner, visible, depth + 1)

    def bounds(self, found: PageObject) -> BBox:
        """The box of an object on the displayed page, before it is clipped."""
        if not bounds_of(found.address, *self._float_refs):
            return (0.0, 0.0, -1.0, -1.0)
        x0, y0, x1, y1 = (number.value for number in self._floats)
        return mapped((x0, y0, x1, y1), found.matrix)

    def fill(self, address: int) -> Colour | None:
        """The colour in which an object is filled; None where it has a pattern."""
        return self._colour(fill_colour_of, address)

    def stroke(self, address: int) -> Colour | None:
        return self._colour(stroke_colour_of, address)

    def _colour(self, function: Callable[..., int], address: int) -> Colour | None:
        if not function(address, *self._int_refs):
            return None
        red, green, blue, opacity = self._ints
        return red.value, green.value, blue.value, opacity.value

    def _clip_box(self, clip: int, count: int) -> tuple[BBox, bool]:
        """The box that all clip paths of an object share, in its container's space, and whether
        one of them is not a rectangle.

        Objects share the segments of their clip paths: the last path's first segment and the
        number of paths say which clip it is.
        """
        key = (_clip_segment(clip, count - 1, 0) or 0, count)
        found = self._clips.get(key)
        if found is None:
            paths = [self._clip_path_box(clip, index) for index in range(count)]
            box = EVERYWHERE
            for path, _ in paths:
                box = common(box, path)
            found = self._clips[key] = box, any(shaped for _, shaped in paths)
        return found

    def _clip_path_box(self, clip: int, index: int) -> tuple[BBox, bool]:
        size = _clip_size(clip, index)
        if not 0 < size <= _MOST_CLIP_POINTS:
            return EVERYWHERE, size > 0
        x, y = self._floats[:2]
        x_ref, y_ref = self._float_refs[:2]
        xs, ys = [], []
        for at in range(size):
            _point(_clip_segment(clip, index, at), x_ref, y_ref)
            xs.append(x.value)
            ys.append(y.value)
        box = min(xs), min(ys), max(xs), max(ys)
        return box, not (_at_ends(xs) and _at_ends(ys))


def _at_ends(numbers: list[float]) -> bool:
    """Whether each is about the least or the greatest."""
    least, most = min(numbers), max(numbers)
    return all(min(number - least, most - number) <= _LEVEL for number in numbers)


def display_matrix(page: pypdfium2.PdfPage) -> Matrix:
    """From the page's space to points from the top left of the displayed page, by /CropBox and
    /Rotate."""
    width, height = page.get_size()
    (x0, y0), (x1, y1), (x2, y2) = (
        _page_point(page, *at) for at in ((0, 0), (_DEVICE, 0), (0, _DEVICE))
    )
    a, b, c, d = (x1 - x0) / width, (y1 - y0) / width, (x2 - x0) / height, (y2 - y0) / height
    size = a * d - b * c
    inverse = (d / size, -b / size, -c / size, a / size, 0.0, 0.0)
    return product((1.0, 0.0, 0.0, 1.0, -x0, -y0), inverse)


def _page_point(page: pypdfium2.PdfPage, x: int, y: int) -> tuple[float, float]:
    across, up = c_double(), c_double()
    pdfium.FPDF_DeviceToPage(page, 0, 0, _DEVICE, _DEVICE, 0, x, y, byref(across), byref(up))
    return across.value, up.value
