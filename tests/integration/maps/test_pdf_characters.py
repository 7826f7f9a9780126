"""Characters of pages, and those of scans whose text lies elsewhere than the printed words."""

from pathlib import Path

import pikepdf
import pytest
from support.pdf.scanned_pdf import scan, with_text_layer
from support.pdf.written_pdf import Text, paragraph, write_pdf

from citeloom.domain.documents.spans import BBox, moved, union
from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    rotated,
)
from citeloom.infrastructure.maps.evidence.pdf_characters import pdf_characters


def written(path: Path, rotate: int = 0) -> Path:
    write_pdf(path, [[Text(100, 700, "Ponds cool"), Text(100, 300, "Lakes")]], rotate=rotate)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[0].cropbox = [10, 20, 600, 780]
        pdf.save(path)
    return path


# Where the first letter is seen, its left and its middle, in points from the top left: 90 points
# from the left and 80 above the base line on a page of 590 by 760, turned clockwise.
@pytest.mark.parametrize(
    ("rotate", "x", "y"), [(0, 90, 80), (90, 680, 90), (180, 500, 680), (270, 80, 500)]
)
def test_a_character_is_where_it_is_seen(rotate: int, x: float, y: float, tmp_path: Path) -> None:
    found = pdf_characters(written(tmp_path / "a.pdf", rotate), 1, None)
    text = "".join(one.text for one in found)
    assert sorted("".join(text.split())) == sorted("PondscoolLakes")
    left, top, right, bottom = next(one.bbox for one in found if one.text == "P")
    assert left - 8 <= x <= right + 8
    assert top - 8 <= y <= bottom + 8
    assert max(right - left, bottom - top) < 12


def test_a_page_beyond_the_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no page 2; it has 1"):
        pdf_characters(written(tmp_path / "a.pdf"), 2, None)


# Lines of several lengths, as in any paper.
LINES = [
    *paragraph(9, 700),
    Text(72, 580, "Ponds cool the air."),
    *paragraph(7, 540, seed=3),
    Text(72, 440, "It is gone at one hundred metres."),
]
PRINTED: BBox = (72.9, 204.8, 154.0, 212.1)
"""The letters of ``Ponds cool the air.``, from the top left."""


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    return scan(write_pdf(tmp_path / "paper.pdf", [LINES]), tmp_path / "scan.pdf")


def box_of(path: Path, words: str) -> BBox:
    found = pdf_characters(path, 1, None)
    text = "".join(one.text for one in found)
    at = text.index(words)
    return union([one.bbox for one in found[at : at + len(words)]])


def is_near(box: BBox, other: BBox) -> bool:
    """Within two points: a line is twelve high."""
    return all(abs(a - b) <= 2 for a, b in zip(box, other, strict=True))


@pytest.mark.parametrize(("right", "down"), [(0, 19), (15, -2), (-22, 8), (0, 0), (1.5, 1)])
def test_characters_lie_over_the_printed_words(right: float, down: float, picture: Path) -> None:
    with_text_layer(picture, LINES, right, down)
    assert is_near(box_of(picture, "Ponds cool the air."), PRINTED)


def test_lines_lie_over_the_printed_words(picture: Path) -> None:
    with_text_layer(picture, LINES, -12, 14)
    document = convert_pdf(picture, "id")
    start = document.plain_text.index("Ponds cool the air.")
    (line,) = (one for block in document.blocks for one in block.lines if one.start == start)
    assert is_near(line.bbox, (72, 203, 154, 213.8))


def test_text_that_is_seen_stays_where_it_is(picture: Path) -> None:
    with_text_layer(picture, LINES, 0, 19, mode=0)
    assert is_near(box_of(picture, "Ponds cool the air."), moved(PRINTED, 0, 19))


def test_text_that_is_not_that_of_the_picture_stays_where_it_is(tmp_path: Path) -> None:
    blank = scan(write_pdf(tmp_path / "blank.pdf", [[Text(300, 400, "x")]]), tmp_path / "scan.pdf")
    with_text_layer(blank, LINES)
    assert is_near(box_of(blank, "Ponds cool the air."), PRINTED)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_words_are_moved_on_the_displayed_page(rotation: int, mirrored: bool) -> None:
    box = rotated((100, 200, 180, 212), rotation, 612, 792)
    word = Word("ponds", *box, "F", bold=False, italic=False)
    record = PageRecord(1, 612, 792, words=(word,), rotation=rotation, mirrored=mirrored)
    before, after = (
        one.as_displayed(one.words[0].box) for one in (record, record.with_text_moved(7, -5))
    )
    assert after == pytest.approx(moved(before, 7, -5))
