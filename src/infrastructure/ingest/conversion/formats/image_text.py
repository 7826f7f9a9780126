"""OCR of whole images: lines of text with their boxes."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from citeloom.application.ports.maps import ReadLine
from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.ingest.conversion.pdf.ocr import engine_choice
from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import (
    OcrFailed,
    PageReader,
    ReadWord,
)
from citeloom.infrastructure.ingest.conversion.protocol import Options

# Tesseract takes pictures without a resolution for screen dumps of 70; most are scans or
# photographs of print.
_DPI = 300
# A larger picture is scaled down: no letter that can be read gets lost.
_MAX_SIDE = 6000
# Mean of a line's words, 0 to 100: below it there is texture, not text.
_SURE = 40.0


class ImageTextReader:
    """See the port ``TextReader``."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader

    @property
    def fingerprint(self) -> str:
        return self._reader.fingerprint

    def lines(self, path: Path) -> Sequence[ReadLine]:
        try:
            with Image.open(path) as opened:
                image = ImageOps.exif_transpose(opened).convert("RGB")
            image.thumbnail((_MAX_SIDE, _MAX_SIDE))
            reading = self._reader.read(image, _DPI)
        except (UnidentifiedImageError, Image.DecompressionBombError, SyntaxError) as error:
            raise ConversionFailed(f"{path.name}: cannot be read as a picture ({error})") from error
        except OcrFailed as error:
            raise ConversionFailed(f"{path.name}: OCR failed: {error}") from error
        width, height = image.size if reading.rotation % 180 == 0 else image.size[::-1]
        lines_found = []
        for _, group in groupby(reading.words, key=lambda word: word.line):
            words = list(group)
            if sum(word.confidence for word in words) / len(words) < _SURE:
                continue
            box = _turned_back(_box(words, width, height), reading.rotation)
            if box[0] < box[2] and box[1] < box[3]:
                lines_found.append((words[0].line[:-1], " ".join(word.text for word in words), box))
        paragraphs: dict[tuple[int, ...], int] = {}
        return [
            ReadLine(
                text=text, bbox=box, paragraph=paragraphs.setdefault(paragraph, len(paragraphs))
            )
            for paragraph, text, box in lines_found
        ]


def image_text_reader(options: Options) -> ImageTextReader | None:
    """The reader for the engine of the settings; None without one on this machine."""
    reader = engine_choice.choose_engine(options).reader
    return ImageTextReader(reader) if reader else None


def _box(words: Sequence[ReadWord], width: int, height: int) -> tuple[float, float, float, float]:
    return (
        max(0.0, min(word.x0 for word in words) / width),
        max(0.0, min(word.top for word in words) / height),
        min(1.0, max(word.x1 for word in words) / width),
        min(1.0, max(word.bottom for word in words) / height),
    )


def _turned_back(
    box: tuple[float, float, float, float], turn: int
) -> tuple[float, float, float, float]:
    """A box of the picture as it was before it was rotated clockwise by ``turn`` degrees."""
    x1, y1, x2, y2 = box
    match turn % 360:
        case 90:
            return y1, 1 - x2, y2, 1 - x1
        case 180:
            return 1 - x2, 1 - y2, 1 - x1, 1 - y1
        case 270:
            return 1 - y2, x1, 1 - y1, x2
        case _:
            return box
