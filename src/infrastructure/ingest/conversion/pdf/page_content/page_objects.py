"""What a page draws beside its text: vector shapes, rules, strokes, pictures."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_content.connected_boxes import (
    connected_boxes,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.hidden_text import (
    HiddenText,
    Surface,
    hidden_texts,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.painted_paths import (
    PaintedPath,
    PathReader,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_content.pdfium_objects import (
    ObjectReader,
    PageObject,
    common,
    is_empty,
)

_THIN = 2.0  # points: a drawing no thicker is a rule
_SHORTEST = 4.0  # points: a drawing no longer and no higher is a dot
_MOST_STROKES = 3000  # no table has as many lines, plots and maps have more
_DENSE = 0.4  # of its box that a picture composed of strips or dots covers at least
_WHOLE = 0.98  # of the page's width and height: a background


class PageObjects(NamedTuple):
    """``drawings`` are boxes of connected vector shapes, ``rules`` the thin ones among them,
    ``strokes`` all horizontal and vertical lines and thin rectangles, ``pictures`` the visible
    parts of bitmaps; all in points from the top left of the page as displayed, and cut at its
    edges. ``hidden`` are the text objects of which a reader sees nothing or not all, by the
    address of pdfium's object (of ``FPDFText_GetTextObject``)."""

    drawings: tuple[BBox, ...] = ()
    rules: tuple[BBox, ...] = ()
    strokes: tuple[BBox, ...] = ()
    pictures: tuple[BBox, ...] = ()
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
    for place, found in enumerate(reader.objects()):
        if found.kind == pdfium.FPDF_PAGEOBJ_TEXT:
            texts[place] = found
        elif found.kind == pdfium.FPDF_PAGEOBJ_PATH:
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
    return PageObjects(
        drawings=tuple(filter(_is_large, drawings)),
        rules=tuple(box for box in drawings if _is_long(box) and _is_thin(box)),
        strokes=_page_strokes([*strips, *(box for path in drawn for box in path.strokes)]),
        pictures=(*filter(_is_large, pictures), *composed),
        hidden=hidden_texts(page, texts, surfaces),
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
    """The filled areas of a path."""
    if not path.filled:
        return []
    opaque = path.fill if path.fill is not None and path.fill[3] == 255 else None
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


def _is_thin(box: BBox) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) <= _THIN


def _is_long(box: BBox) -> bool:
    return box[2] - box[0] > _SHORTEST or box[3] - box[1] > _SHORTEST


def _page_strokes(strokes: list[BBox]) -> tuple[BBox, ...]:
    if len(strokes) > _MOST_STROKES:
        return ()
    return tuple(box for box in strokes if _is_long(box) and _is_thin(box))
