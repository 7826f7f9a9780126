"""Scans for the tests: pages as pictures, and engines that read what they are told to."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pikepdf
import pypdfium2
from pikepdf import Dictionary, Name
from PIL import Image
from support.pdf.written_pdf import Text

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


def with_text_layer(
    path: Path, lines: Sequence[Text], right: float = 0, down: float = 0, mode: int = 3
) -> Path:
    """Lay text over the first page of a scan, so far beside the words of its picture; ``mode`` 3
    paints nothing, 0 black letters."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        page = pdf.pages[0]
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
        page.obj.Resources[Name.Font] = Dictionary(F1=font)
        content = "".join(
            f"BT {mode} Tr /F1 {t.size} Tf {t.x + right} {t.y - down} Td ({t.text}) Tj ET\n"
            for t in lines
        )
        page.contents_add(f"q\n{content}Q".encode("latin-1"))
        pdf.save(path)
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
