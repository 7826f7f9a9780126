"""Characters of PDF pages with their boxes, by pdfium."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox, moved
from citeloom.domain.maps.evidence import PageCharacter
from citeloom.infrastructure.maps.evidence.pdf_pages import opened_page
from citeloom.infrastructure.maps.evidence.scanned_text import displacement, is_scan_with_text

# Pixels a point: pdfium gives places on the page as displayed in whole pixels.
_SCALE = 64
# In points: far enough for a direction to be exact to a thousandth.
_FAR = 1000


class PdfCharacters:
    """See the port ``CharacterBoxes``; those of a scan lie over the printed words, wherever the
    file has them."""

    def characters(self, source: Path, page: int, password: str | None) -> Sequence[PageCharacter]:
        with opened_page(source, page, password) as sheet:
            text = sheet.get_textpage()
            try:
                found = list(_characters(sheet, text))
            finally:
                text.close()
            right, down = text_displacement(sheet)
        if not (right or down):
            return found
        return [PageCharacter(one.text, moved(one.bbox, right, down)) for one in found]


def text_displacement(sheet: pypdfium2.PdfPage) -> tuple[float, float]:
    """How far to the right and down the text of a scan lies from the printed words, in points as
    displayed; zero for other pages. Raises ``pypdfium2.PdfiumError``."""
    if not is_scan_with_text(sheet):
        return 0.0, 0.0
    as_displayed, text = _display(sheet), sheet.get_textpage()
    try:
        boxes = [as_displayed(*text.get_charbox(n, loose=True)) for n in _printed(text)]
    finally:
        text.close()
    return displacement(sheet, boxes)


def _characters(sheet: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> Iterator[PageCharacter]:
    as_displayed = _display(sheet)
    for n in _printed(text):
        box = as_displayed(*text.get_charbox(n))
        yield PageCharacter(_char(pdfium.FPDFText_GetUnicode(text, n)), box)


def _printed(text: pypdfium2.PdfTextPage) -> Iterator[int]:
    """The characters of the file: a space or line end that is not in it has no box."""
    return (n for n in range(text.count_chars()) if pdfium.FPDFText_IsGenerated(text, n) != 1)


def _display(sheet: pypdfium2.PdfPage) -> Callable[[float, float, float, float], BBox]:
    """From a box in the page's own coordinates (left, bottom, right, top) to the displayed one."""
    x0, y0 = _displayed(sheet, 0, 0)
    to_right, to_top = _displayed(sheet, _FAR, 0), _displayed(sheet, 0, _FAR)
    # What a point to the right, and one up, of the page's own coordinates are as displayed.
    rx, ry = (to_right[0] - x0) / _FAR, (to_right[1] - y0) / _FAR
    ux, uy = (to_top[0] - x0) / _FAR, (to_top[1] - y0) / _FAR

    def as_displayed(left: float, bottom: float, right: float, top: float) -> BBox:
        xs = [x0 + x * rx + y * ux for x, y in ((left, bottom), (right, top))]
        ys = [y0 + x * ry + y * uy for x, y in ((left, bottom), (right, top))]
        return (min(xs), min(ys), max(xs), max(ys))

    return as_displayed


def _char(code: int) -> str:
    """The character; a half of a surrogate pair and what is no character are a space."""
    return " " if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)


def _displayed(sheet: pypdfium2.PdfPage, x: float, y: float) -> tuple[float, float]:
    """A point of the page's own coordinates, in points from the top left as displayed."""
    width, height = (round(side * _SCALE) for side in sheet.get_size())
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDF_PageToDevice(sheet, 0, 0, width, height, 0, x, y, across, down)
    return across.value / _SCALE, down.value / _SCALE
