"""Displacement of a scan's text layer: in some files it does not lie over the printed words.

Libraries straighten or crop the picture after OCR and leave the text where it was. The ink of the
picture and the boxes of the characters are compared at all displacements (cross-correlation by
Fourier transform).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2
import pypdfium2.raw as pdfium

from citeloom.domain.documents.spans import BBox

# Points to each side that are tried.
_FARTHEST: Final = 40.0
# On 88 pages of 11 scanned papers, text is within 2 points of its place on 73; on the other 15 it
# is 8 to 23 points away, the details of the ink below it are at least 1.49 times as much (or only
# there) once it is moved, and then at least 0.13 of its area.
_LEAST: Final = 3.0
_GAIN: Final = 1.3
_FILLED: Final = 0.1
# Points: lines of text blur to grey; pictures, borders and shades stay what they are.
_BLUR: Final = 12.0
_FEWEST: Final = 50
# Pixels of the longer side: one a point on usual pages.
_SIDE: Final = 1000
_DARK: Final = 140
# Of the height of a character, above and below its letter.
_ABOVE, _BELOW = 0.2, 0.25
# Share of the page that pictures cover at least.
_COVERED: Final = 0.5
_UNSEEN: Final = frozenset((pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP))
_DEPTH: Final = 3  # of forms in forms

Mask = npt.NDArray[np.float32]


def is_scan_with_text(page: pypdfium2.PdfPage) -> bool:
    """Whether the page is a picture, and all its text invisible."""
    covered, is_unseen = 0.0, False
    for one in page.get_objects(max_depth=_DEPTH):
        if one.type == pdfium.FPDF_PAGEOBJ_TEXT:
            if pdfium.FPDFTextObj_GetTextRenderMode(one) not in _UNSEEN:
                return False
            is_unseen = True
        elif one.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = one.get_bounds()
            covered += (right - left) * (top - bottom)
    width, height = page.get_size()
    return is_unseen and covered >= _COVERED * width * height


def displacement(page: pypdfium2.PdfPage, boxes: Sequence[BBox]) -> tuple[float, float]:
    """How far to the right and down the text has to be moved to lie over the printed words, in
    points as displayed; zero where that is not clear. ``boxes`` are those of the characters.
    Raises ``pypdfium2.PdfiumError``."""
    if len(boxes) < _FEWEST:
        return 0.0, 0.0
    scale = min(1.0, _SIDE / max(page.get_size()))
    picture = page.render(scale=scale, grayscale=True).to_numpy()
    ink: Mask = (picture.reshape(picture.shape[:2]) < _DARK).astype(np.float32)
    text = _mask(ink.shape, boxes, scale)
    most = round(_FARTHEST * scale)
    size = (ink.shape[0] + most, ink.shape[1] + most)
    spectrum = np.fft.rfft2(ink, size) * np.conj(np.fft.rfft2(text, size))
    spectrum *= _details(size, _BLUR * scale)
    covered = np.roll(np.fft.irfft2(spectrum, size), (most, most), (0, 1))
    near = covered[: 2 * most + 1, : 2 * most + 1]
    down, right = np.unravel_index(near.argmax(), near.shape)
    moved = (float(right) - most) / scale, (float(down) - most) / scale
    best, now = float(near.max()), max(0.0, float(near[most, most]))
    is_clear = best >= _GAIN * now and best >= _FILLED * float(text.sum())
    return moved if is_clear and max(map(abs, moved)) >= _LEAST else (0.0, 0.0)


def _details(size: tuple[int, int], blur: float) -> npt.NDArray[np.float64]:
    """What a Gaussian blur of ``blur`` pixels leaves out, by frequency."""
    down, right = np.fft.fftfreq(size[0])[:, None], np.fft.rfftfreq(size[1])[None, :]
    details: npt.NDArray[np.float64] = 1 - np.exp(-2 * (np.pi * blur) ** 2 * (down**2 + right**2))
    return details


def _mask(shape: tuple[int, ...], boxes: Sequence[BBox], scale: float) -> Mask:
    mask = np.zeros(shape, np.float32)
    for left, top, right, bottom in boxes:
        height = bottom - top
        first, last = top + _ABOVE * height, bottom - _BELOW * height
        rows = slice(max(0, round(first * scale)), max(0, round(last * scale) + 1))
        mask[rows, max(0, round(left * scale)) : max(0, round(right * scale))] = 1
    return mask
