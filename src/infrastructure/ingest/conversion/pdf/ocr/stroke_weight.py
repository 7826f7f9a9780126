"""Bold type in scans, by the thickness of strokes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import ReadWord

if TYPE_CHECKING:
    from PIL.Image import Image

_INK = 128
# Bold letters have strokes half as thick again as the page's usual ones, or more (measured on
# Computer Modern, Times and Libertinus at 300 dpi: 1.45 to 1.8; italics: 0.85 to 1.0).
_BOLD = 1.35
_FEWEST_WORDS = 20


def bold_words(
    image: "Image", words: Sequence[ReadWord], ems: Sequence[float | None]
) -> list[bool]:
    """Whether each word of a page is bold. ``ems`` are the sizes of their type; all sizes are
    in pixels."""
    weights = _weights(image, words, ems)
    ranked = sorted(w for word, w in zip(words, weights, strict=True) for _ in word.text if w)
    if len(words) < _FEWEST_WORDS or not ranked:
        return [False] * len(words)
    usual = ranked[len(ranked) // 2]
    return [weight is not None and weight >= _BOLD * usual for weight in weights]


def _weights(
    image: "Image", words: Sequence[ReadWord], ems: Sequence[float | None]
) -> list[float | None]:
    """Mean stroke thickness (twice the ink divided by its outline), as a share of the em."""
    ink = np.asarray(image) < _INK
    weights: list[float | None] = []
    for word, em in zip(words, ems, strict=True):
        x0, top, x1, bottom = (max(0, int(v)) for v in (word.x0, word.top, word.x1, word.bottom))
        part = ink[top : bottom + 1, x0 : x1 + 1]
        area = int(part.sum())
        if em is None or area == 0 or not any(c.isalpha() for c in word.text):
            weights.append(None)
            continue
        outline = int((part[:, 1:] != part[:, :-1]).sum() + (part[1:] != part[:-1]).sum())
        weights.append(2 * area / max(1, outline) / em)
    return weights
