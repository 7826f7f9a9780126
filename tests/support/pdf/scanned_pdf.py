"""Scans for the tests: pages as pictures, and engines that read what they are told to."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pypdfium2
from PIL import Image

from citeloom.infrastructure.ingest.conversion.pdf.ocr.engine_choice import Choice
from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import (
    OcrFailed,
    Reading,
    ReadWord,
)


def scan(source: Path, path: Path, *, dpi: int = 200, turned: Sequence[int] = (0,)) -> Path:
    """The pages of ``source`` as pictures, turned counter-clockwise by each angle in turn."""
    document = pypdfium2.PdfDocument(source)
    rendered = [page.render(scale=dpi / 72, grayscale=True).to_pil() for page in document]
    pictures = [
        picture.convert("L").rotate(angle, expand=True)
        for picture, angle in zip(rendered, itertools.cycle(turned), strict=False)
    ]
    document.close()
    pictures[0].save(path, "PDF", resolution=dpi, save_all=True, append_images=pictures[1:])
    return path


class Dictated:
    """Reads the same words on every page, one line each ten millimetres; or fails."""

    name = "dictation 1.0"
    fingerprint = "dictation-1"

    def __init__(
        self, lines: Sequence[str] = (), confidence: float = 90.0, failure: str = ""
    ) -> None:
        self.lines = lines
        self.confidence = confidence
        self.failure = failure
        self.pages = 0

    def read(self, image: Image.Image, dpi: int) -> Reading:
        self.pages += 1
        if self.failure:
            raise OcrFailed(self.failure)
        scale, words = dpi / 72, []
        for row, line in enumerate(self.lines):
            x, top = 72.0, 100.0 + 14.0 * row
            for text in line.split():
                width = 5.0 * len(text)
                box = [v * scale for v in (x, top, x + width, top + 7.0)]
                words.append(ReadWord(text, *box, self.confidence, (row,)))
                x += width + 4.0
        return Reading(tuple(words))

    def choice(self) -> Choice:
        return Choice(self)
