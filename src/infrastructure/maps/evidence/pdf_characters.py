"""Characters of PDF pages with their boxes, by pdfium."""

import ctypes
from collections.abc import Iterator, Sequence
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.maps.word_boxes import PageCharacter
from citeloom.infrastructure.maps.evidence.pdf_pages import opened_page

# Pixels a point: pdfium gives places on the page as displayed in whole pixels.
_SCALE = 64
# In points: far enough for a direction to be exact to a thousandth.
_FAR = 1000


class PdfCharacters:
    """See the port ``CharacterBoxes``."""

    def characters(self, source: Path, page: int, password: str | None) -> Sequence[PageCharacter]:
        with opened_page(source, page, password) as sheet:
            text = sheet.get_textpage()
            try:
                return list(_characters(sheet, text))
            finally:
                text.close()


def _characters(sheet: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> Iterator[PageCharacter]:
    x0, y0 = _displayed(sheet, 0, 0)
    right, up = _displayed(sheet, _FAR, 0), _displayed(sheet, 0, _FAR)
    # What a point to the right, and one up, of the page's own coordinates are as displayed.
    rx, ry = (right[0] - x0) / _FAR, (right[1] - y0) / _FAR
    ux, uy = (up[0] - x0) / _FAR, (up[1] - y0) / _FAR
    for n in range(text.count_chars()):
        if pdfium.FPDFText_IsGenerated(text, n) == 1:
            continue  # a space or line end that is not in the file has no box
        left, bottom, rightmost, top = text.get_charbox(n)
        xs = [x0 + x * rx + y * ux for x, y in ((left, bottom), (rightmost, top))]
        ys = [y0 + x * ry + y * uy for x, y in ((left, bottom), (rightmost, top))]
        box = (min(xs), min(ys), max(xs), max(ys))
        yield PageCharacter(_char(pdfium.FPDFText_GetUnicode(text, n)), box)


def _char(code: int) -> str:
    """The character; a half of a surrogate pair and what is no character are a space."""
    return " " if code == 0 or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)


def _displayed(sheet: pypdfium2.PdfPage, x: float, y: float) -> tuple[float, float]:
    """A point of the page's own coordinates, in points from the top left as displayed."""
    width, height = (round(side * _SCALE) for side in sheet.get_size())
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDF_PageToDevice(sheet, 0, 0, width, height, 0, x, y, across, down)
    return across.value / _SCALE, down.value / _SCALE
