"""What a path of the page paints: the boxes of its shapes and of its straight lines."""

from collections.abc import Sequence
from ctypes import addressof, c_float, c_int, c_void_p
from typing import NamedTuple

import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_content.pdfium_objects import (
    Colour,
    Matrix,
    ObjectReader,
    PageObject,
    common,
    function,
    is_empty,
    is_white,
    matrix_of,
    product,
)

_MOST_SEGMENTS = 20_000  # of a page whose paths are read segment by segment
_SHORT = 200  # segments of a path that is read to its end though it is no grid
_LEVEL = 0.2  # points by which a horizontal or vertical line may be off
_HAIRLINE = 0.5  # points: width of the thinnest line that is painted
_BOX_SEGMENTS = 5  # of a rectangle

_count = function("FPDFPath_CountSegments", c_int, c_void_p)
_segment = function("FPDFPath_GetPathSegment", c_void_p, c_void_p, c_int)
_point = function("FPDFPathSegment_GetPoint", c_int, c_void_p, c_void_p, c_void_p)
_segment_type = function("FPDFPathSegment_GetType", c_int, c_void_p)
_closes = function("FPDFPathSegment_GetClose", c_int, c_void_p)
_draw_mode = function("FPDFPath_GetDrawMode", c_int, c_void_p, c_void_p, c_void_p)
_stroke_width = function("FPDFPageObj_GetStrokeWidth", c_int, c_void_p, c_void_p)

_MOVE = pdfium.FPDF_SEGMENT_MOVETO
_LINE = pdfium.FPDF_SEGMENT_LINETO

Point = tuple[float, float]


class PaintedPath(NamedTuple):
    """``shapes`` are boxes of its parts and ``strokes`` of its horizontal and vertical lines,
    clipped; ``fill`` and ``line`` are the colours of its inside and of its line (None: a
    pattern, or not painted), ``filled`` and ``stroked`` say which is
    painted."""

    shapes: list[BBox]
    strokes: list[BBox]
    filled: bool
    fill: Colour | None
    line: Colour | None
    stroked: bool

    @property
    def is_white(self) -> bool:
        """Whether it is white, and opaque, inside and line."""
        return (not self.filled or is_white(self.fill)) and (
            not self.stroked or is_white(self.line)
        )


class _Outline(NamedTuple):
    """The displayed points of each part, its horizontal and vertical lines, and whether it
    has no others."""

    parts: list[list[Point]]
    lines: list[tuple[Point, Point]]
    straight: bool


class PathReader:
    """Reads the paths of one page."""

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._left = _MOST_SEGMENTS
        self._x, self._y, self._width = c_float(), c_float(), c_float()
        self._x_ref, self._y_ref, self._width_ref = map(addressof, (self._x, self._y, self._width))
        self._mode, self._stroked = c_int(), c_int()
        self._mode_ref, self._stroked_ref = addressof(self._mode), addressof(self._stroked)

    def read(self, path: PageObject) -> PaintedPath | None:
        """None for a path that paints nothing: neither filled nor stroked, in no colour, or
        clipped away."""
        _draw_mode(path.address, self._mode_ref, self._stroked_ref)
        filled, stroked = self._mode.value != pdfium.FPDF_FILLMODE_NONE, bool(self._stroked.value)
        fill = self._reader.fill(path.address) if filled else None
        stroke = self._reader.stroke(path.address) if stroked else None
        filled = filled and (fill is None or fill[3] > 0)
        stroked = stroked and (stroke is None or stroke[3] > 0)
        if not (filled or stroked):
            return None
        size = _count(path.address)
        whole = self._reader.bounds(path)
        if is_empty(common(whole, path.clip)):
            return None
        if not stroked and size <= _BOX_SEGMENTS:
            shapes, strokes = [whole], [whole]
        else:
            shapes, strokes = self._parts(path, size, whole, stroked)
        return PaintedPath(
            _visible(shapes, path.clip), _visible(strokes, path.clip), filled, fill, stroke, stroked
        )

    def _parts(
        self, path: PageObject, size: int, whole: BBox, stroked: bool
    ) -> tuple[list[BBox], list[BBox]]:
        """Boxes of the parts and of the straight lines. A path with curves or slopes is one
        part: it is a drawing, and no grid."""
        matrix = product(matrix_of(path.address), path.matrix)
        half = self._half_width(path.address, matrix) if stroked else 0.0
        outline = self._outline(path.address, size, matrix)
        if outline is None:
            # pdfium's box of a stroked path is as much wider again.
            return [_around((whole[:2], whole[2:]), -half)], []
        parts = outline.parts
        if not outline.straight:
            parts = [[point for part in parts for point in part]]
        shapes = [_around(part, half) for part in parts if part]
        boxes = [_around(part, 0.0) for part in parts if len(part) >= _BOX_SEGMENTS - 1]
        if not stroked:
            return shapes, boxes if outline.straight else []
        return shapes, [_around(line, 0.0) for line in outline.lines] + boxes

    def _outline(self, address: int, size: int, matrix: Matrix) -> _Outline | None:
        """None for a long path with a curve or slope, and beyond the page's share of
        segments."""
        if size > self._left:
            return None
        a, b, c, d, e, f = matrix
        parts: list[list[Point]] = []
        lines: list[tuple[Point, Point]] = []
        straight = True
        for index in range(size):
            self._left -= 1
            segment = _segment(address, index)
            kind = _segment_type(segment)
            _point(segment, self._x_ref, self._y_ref)
            x, y = self._x.value, self._y.value
            point = (a * x + c * y + e, b * x + d * y + f)
            if kind == _MOVE or not parts:
                parts.append([point])
                continue
            part = parts[-1]
            ends = [point, part[0]] if _closes(segment) and point != part[0] else [point]
            for end in ends:
                level = kind == _LINE and _is_level(part[-1], end)
                straight &= level
                if level and end != part[-1]:
                    lines.append((part[-1], end))
                part.append(end)
            if not straight and size > _SHORT:
                return None
        return _Outline([part for part in parts if len(part) > 1], lines, straight)

    def _half_width(self, address: int, matrix: Matrix) -> float:
        _stroke_width(address, self._width_ref)
        a, b, c, d, _, _ = matrix
        scale = float(abs(a * d - b * c) ** 0.5)
        return max(self._width.value * scale, _HAIRLINE) / 2


def _is_level(one: Point, other: Point) -> bool:
    return abs(one[0] - other[0]) <= _LEVEL or abs(one[1] - other[1]) <= _LEVEL


def _around(points: Sequence[Point], margin: float) -> BBox:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin


def _visible(boxes: list[BBox], clip: BBox) -> list[BBox]:
    return [box for box in (common(box, clip) for box in boxes) if not is_empty(box)]
