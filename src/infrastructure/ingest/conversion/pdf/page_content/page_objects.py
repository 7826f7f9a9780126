"""The drawings of a page: vector shapes, rules, strokes, pictures."""

from collections.abc import Mapping, Sequence
from ctypes import addressof, c_float, c_int, c_void_p
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox

from .hidden_text import HiddenText, Surface, hidden_texts
from .pdfium_objects import (
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

_MANY = 2000  # boxes beyond which those of the same cells of a grid are merged first
_CELL = 4.0  # points: side of the first grid's cells; that of each further one is doubled

Boxes = npt.NDArray[np.float64]


def connected_boxes(boxes: Sequence[BBox], tolerance: float = 1.0) -> list[BBox]:
    """The boxes around each group of boxes of which none is further than ``tolerance`` from the
    box of the others. The result does not depend on the order; no two of its boxes touch."""
    if not boxes:
        return []
    left = np.unique(np.asarray(boxes, dtype=np.float64), axis=0)
    cell = _CELL
    while len(left) > _MANY:
        left = _merged_in_cells(left, cell)
        cell *= 2
    widest = np.argsort(-(left[:, 2] - left[:, 0]) * (left[:, 3] - left[:, 1]), kind="stable")
    left = left[widest]
    merged: list[BBox] = []
    while len(left):
        group, left = _grown(left[0], left[1:], tolerance)
        # A group that grew last may have reached those before it.
        reached = [at for at, box in enumerate(merged) if _touch(box, group, tolerance)]
        if reached:
            left = np.vstack([np.array([group, *(merged[at] for at in reached)]), left])
            merged = [box for at, box in enumerate(merged) if at not in reached]
        else:
            merged.append(group)
    return sorted(merged, key=lambda box: (box[1], box[0]))


def _grown(seed: npt.NDArray[np.float64], others: Boxes, slack: float) -> tuple[BBox, Boxes]:
    """The seed with all that touches it, step by step, and the boxes that do not."""
    x0, top, x1, bottom = (float(value) for value in seed)
    while len(others):
        near = (
            (others[:, 0] <= x1 + slack)
            & (others[:, 2] >= x0 - slack)
            & (others[:, 1] <= bottom + slack)
            & (others[:, 3] >= top - slack)
        )
        if not near.any():
            break
        taken = others[near]
        x0, top = min(x0, float(taken[:, 0].min())), min(top, float(taken[:, 1].min()))
        x1, bottom = max(x1, float(taken[:, 2].max())), max(bottom, float(taken[:, 3].max()))
        others = others[~near]
    return (x0, top, x1, bottom), others


def _touch(one: BBox, other: BBox, slack: float) -> bool:
    return (
        one[0] <= other[2] + slack
        and one[2] >= other[0] - slack
        and one[1] <= other[3] + slack
        and one[3] >= other[1] - slack
    )


def _merged_in_cells(boxes: Boxes, cell: float) -> Boxes:
    """One box for all boxes that begin and end in the same cells of a grid."""
    cells = np.floor(boxes / cell).astype(np.int64)
    _, group = np.unique(cells, axis=0, return_inverse=True)
    count = int(group.max()) + 1
    merged = np.empty((count, 4))
    merged[:, :2], merged[:, 2:] = np.inf, -np.inf
    np.minimum.at(merged[:, 0], group, boxes[:, 0])
    np.minimum.at(merged[:, 1], group, boxes[:, 1])
    np.maximum.at(merged[:, 2], group, boxes[:, 2])
    np.maximum.at(merged[:, 3], group, boxes[:, 3])
    return merged


_MOST_SEGMENTS = 20_000  # of a page whose paths are read segment by segment
_SHORT = 200  # segments of a path that is read to its end though it is not a grid
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
        """None for a path that paints nothing: neither filled nor stroked, without colour, or
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


_THIN = 2.0  # points: a drawing no thicker is a rule
_SHORTEST = 4.0  # points: a drawing no longer and no higher is a dot
_MOST_STROKES = 3000  # no table has as many lines, plots and maps have more
_DENSE = 0.4  # of its box that a picture composed of strips or dots covers at least
_MAYBE_PATTERN = (255, 255, 255, 255)
_WHOLE = 0.98  # of the page's width and height: a background


class PageObjects(NamedTuple):
    """``drawings`` are boxes of connected vector shapes, ``rules`` the thin ones among them,
    ``strokes`` all horizontal and vertical lines and thin rectangles, ``bars`` the horizontal ones,
    also short ones, ``pictures`` the visible parts of bitmaps, ``dots`` those of the smallest; all
    in points from the top left of the page as displayed, and cut at its edges. ``hidden`` are the
    text objects of which a reader may see nothing or not all, by the address of pdfium's object
    (of ``FPDFText_GetTextObject``)."""

    drawings: tuple[BBox, ...] = ()
    rules: tuple[BBox, ...] = ()
    strokes: tuple[BBox, ...] = ()
    bars: tuple[BBox, ...] = ()
    pictures: tuple[BBox, ...] = ()
    dots: tuple[BBox, ...] = ()
    hidden: Mapping[int, HiddenText] = {}


def read_page_objects(page: pypdfium2.PdfPage) -> PageObjects:
    """The page must stay open as long as the addresses in ``hidden`` are used."""
    if min(page.get_size()) <= 0:
        return PageObjects()
    reader = ObjectReader(page)
    paths = PathReader(reader)
    texts: dict[int, PageObject] = {}
    surfaces: list[Surface] = []
    painted: list[PaintedPath] = []
    shadings: list[BBox] = []
    pictures: list[BBox] = []
    others: list[int] = []
    for place, found in enumerate(reader.objects()):
        if found.kind == pdfium.FPDF_PAGEOBJ_TEXT:
            texts[place] = found
            continue
        others.append(found.address)
        if found.kind == pdfium.FPDF_PAGEOBJ_PATH:
            path = paths.read(found)
            if path is not None:
                painted.append(path)
                surfaces += _surfaces(place, path)
        elif found.kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
            box = common(reader.bounds(found), found.clip)
            if not is_empty(box):
                surfaces.append(Surface(place, box, None))
                (pictures if found.kind == pdfium.FPDF_PAGEOBJ_IMAGE else shadings).append(box)
    on_paper = [path for path in painted if not _is_background(path, reader)]
    drawn = _drawn(on_paper, [*shadings, *pictures])
    composed, strips = _joined([box for box in pictures if not _is_large(box)])
    shapes = [box for path in drawn for box in path.shapes]
    drawings = connected_boxes([*shapes, *shadings, *strips])
    strokes = [*strips, *(box for path in drawn for box in path.strokes)]
    return PageObjects(
        drawings=tuple(filter(_is_large, drawings)),
        rules=tuple(box for box in drawings if _is_long(box) and _is_thin(box)),
        strokes=_page_strokes(strokes),
        bars=tuple(filter(_is_bar, strokes)),
        pictures=(*filter(_is_large, pictures), *composed),
        dots=tuple(filter(_is_dot, pictures)),
        hidden=hidden_texts(page, texts, surfaces, others),
    )


def _drawn(paths: Sequence[PaintedPath], others: Sequence[BBox]) -> list[PaintedPath]:
    """The paths but for white ones alone on the paper. On or below others (a picture, coloured
    paths) they are part of a drawing, such as the ground of a plot."""
    seen = [path for path in paths if not path.is_white]
    if len(seen) == len(paths):
        return seen
    boxes = [box for path in seen for box in path.shapes]
    coloured = np.array([*boxes, *others]).reshape(-1, 4)
    return [
        path
        for path in paths
        if not path.is_white or any(_overlaps(box, coloured) for box in path.shapes)
    ]


def _overlaps(box: BBox, others: npt.NDArray[np.float64]) -> bool:
    return bool(
        np.any(
            (others[:, 0] < box[2])
            & (others[:, 2] > box[0])
            & (others[:, 1] < box[3])
            & (others[:, 3] > box[1])
        )
    )


def _surfaces(place: int, path: PaintedPath) -> list[Surface]:
    """The filled areas of a path. pdfium also reports patterns as white."""
    if not path.filled:
        return []
    known = path.fill is not None and path.fill[3] == 255 and path.fill != _MAYBE_PATTERN
    opaque = path.fill if known else None
    return [Surface(place, box, opaque) for box in path.shapes]


def _is_background(path: PaintedPath, reader: ObjectReader) -> bool:
    """Whether a path fills the page: paper, and no drawing on it."""
    return path.filled and any(
        box[2] - box[0] >= _WHOLE * reader.width and box[3] - box[1] >= _WHOLE * reader.height
        for box in path.shapes
    )


def _joined(strips: Sequence[BBox]) -> tuple[list[BBox], list[BBox]]:
    """Pictures composed of strips or dots as one each, and the strips that compose none: some
    programs draw rules as pictures."""
    boxes = np.array(strips).reshape(-1, 4)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    pictures = []
    rest = np.full(len(boxes), True)
    for group in filter(_is_large, connected_boxes(strips)):
        x0, top, x1, bottom = group
        inside = np.all((boxes >= (x0, top, x0, top)) & (boxes <= (x1, bottom, x1, bottom)), axis=1)
        if areas[inside].sum() >= _DENSE * (x1 - x0) * (bottom - top):
            pictures.append(group)
            rest &= ~inside
    return pictures, [strip for strip, alone in zip(strips, rest, strict=True) if alone]


def _is_large(box: BBox) -> bool:
    return _is_long(box) and not _is_thin(box)


def _is_dot(box: BBox) -> bool:
    return not _is_long(box) and min(box[2] - box[0], box[3] - box[1]) > _HAIRLINE


def _is_bar(box: BBox) -> bool:
    return box[3] - box[1] <= _THIN < box[2] - box[0]


def _is_thin(box: BBox) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) <= _THIN


def _is_long(box: BBox) -> bool:
    return box[2] - box[0] > _SHORTEST or box[3] - box[1] > _SHORTEST


def _page_strokes(strokes: list[BBox]) -> tuple[BBox, ...]:
    if len(strokes) > _MOST_STROKES:
        return ()
    return tuple(box for box in strokes if _is_long(box) and _is_thin(box))
