"""A page with and without some of its text objects: what they paint, what the others say."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_int, c_void_p
from math import ceil, floor

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.page_content.pdfium_objects import function

_SCALE = 2.0  # pixels a point
_MOST_PIXELS = 8_000_000
_EDGE = 0.5  # pixels

_set_active = function("FPDFPageObj_SetIsActive", c_int, c_void_p, c_int)

Pixels = npt.NDArray[np.uint8]


def painted_regions(
    page: pypdfium2.PdfPage, texts: Collection[int], regions: Sequence[BBox], contrast: int
) -> list[bool]:
    """Whether the page looks different in each region (points from the top left of the
    displayed page) without the text objects at these addresses: by ``contrast`` of 255 in any
    of red, green, blue at any pixel."""
    width, height = page.get_size()
    left = max(0.0, min(box[0] for box in regions) - 1)
    top = max(0.0, min(box[1] for box in regions) - 1)
    right = min(width, max(box[2] for box in regions) + 1)
    bottom = min(height, max(box[3] for box in regions) + 1)
    area = max(1.0, (right - left) * (bottom - top))
    scale = min(_SCALE, (_MOST_PIXELS / area) ** 0.5)
    crop = (left, height - bottom, width - right, top)
    with_texts = _pixels(page, scale, crop)
    with _inactive(texts):
        without = _pixels(page, scale, crop)
    differs = np.maximum(with_texts, without) - np.minimum(with_texts, without) >= contrast
    rows = [_inner(box[1] - top, box[3] - top, scale) for box in regions]
    columns = [_inner(box[0] - left, box[2] - left, scale) for box in regions]
    return [bool(differs[row, column].any()) for row, column in zip(rows, columns, strict=True)]


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
def _inactive(texts: Collection[int]) -> Iterator[None]:
    for address in texts:
        _set_active(address, 0)
    try:
        yield
    finally:
        for address in texts:
            _set_active(address, 1)


def _inner(start: float, end: float, scale: float) -> slice:
    """The pixels between two places and not on their edges, at least one: on the edge of what
    covers a line of text, a neighbouring letter shows."""
    first, last = ceil(start * scale + _EDGE), floor(end * scale - _EDGE)
    if last > first:
        return slice(first, last)
    middle = int((start + end) / 2 * scale)
    return slice(middle, middle + 1)


def _pixels(
    page: pypdfium2.PdfPage, scale: float, crop: tuple[float, float, float, float]
) -> Pixels:
    bitmap = page.render(scale=scale, crop=crop, force_bitmap_format=pdfium.FPDFBitmap_BGR)
    pixels: Pixels = bitmap.to_numpy().copy()
    return pixels
