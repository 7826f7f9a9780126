"""Words that an engine finds in a picture, as lines with boxes of the picture as it lies."""

from pathlib import Path

import pytest
from PIL import Image

from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.ingest.conversion.formats.image_text import ImageTextReader
from citeloom.infrastructure.ingest.conversion.pdf.ocr.page_reader import (
    OcrFailed,
    Reading,
    ReadWord,
)


class Engine:
    name = fingerprint = "fake"

    def __init__(self, reading: Reading | None) -> None:
        self._reading = reading

    def read(self, image: Image.Image, dpi: int) -> Reading:
        if self._reading is None:
            raise OcrFailed("no")
        return self._reading


def word(
    text: str, box: tuple[float, float, float, float], line: int, sure: float = 90
) -> ReadWord:
    return ReadWord(text, *box, sure, (line // 2, line))


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    Image.new("RGB", (200, 100), "white").save(tmp_path / "a.png")
    return tmp_path / "a.png"


def test_words_of_a_line_are_one_and_texture_is_none(picture: Path) -> None:
    words = (
        word("Ponds", (20, 10, 60, 20), 0),
        word("cool.", (70, 10, 100, 22), 0),
        word("~", (0, 40, 9, 50), 1, sure=5),
        word("Apart", (20, 60, 400, 70), 2),
    )
    first, second = ImageTextReader(Engine(Reading(words))).lines(picture)
    assert (first.text, first.bbox) == ("Ponds cool.", (0.1, 0.1, 0.5, 0.22))
    assert (second.text, second.bbox) == ("Apart", (0.1, 0.6, 1.0, 0.7))
    assert first.paragraph != second.paragraph


@pytest.mark.parametrize(
    ("turn", "box"),
    [
        # A box of the upright picture, and where it lies in the one of 200 by 100.
        (0, (20, 10, 60, 20)),
        (180, (140, 80, 180, 90)),
        (90, (80, 20, 90, 60)),
        (270, (10, 140, 20, 180)),
    ],
)
def test_boxes_are_turned_back(picture: Path, turn: int, box: tuple[int, int, int, int]) -> None:
    reading = Reading((word("Ponds", box, 0),), turn)
    (line,) = ImageTextReader(Engine(reading)).lines(picture)
    assert line.bbox == pytest.approx((0.1, 0.1, 0.3, 0.2))


def test_what_fails_names_the_picture(picture: Path) -> None:
    with pytest.raises(ConversionFailed, match=r"a\.png: OCR failed: no"):
        ImageTextReader(Engine(None)).lines(picture)
    picture.write_bytes(b"words")
    with pytest.raises(ConversionFailed, match=r"a\.png: cannot be read"):
        ImageTextReader(Engine(None)).lines(picture)
