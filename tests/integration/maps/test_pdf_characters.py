"""Characters of real pages, where they are seen."""

from pathlib import Path

import pikepdf
import pytest
from support.pdf.written_pdf import Text, write_pdf

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.maps.evidence.pdf_characters import PdfCharacters


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
    found = PdfCharacters().characters(written(tmp_path / "a.pdf", rotate), 1, None)
    text = "".join(one.text for one in found)
    assert sorted("".join(text.split())) == sorted("PondscoolLakes")
    left, top, right, bottom = next(one.bbox for one in found if one.text == "P")
    assert left - 8 <= x <= right + 8
    assert top - 8 <= y <= bottom + 8
    assert max(right - left, bottom - top) < 12


def test_a_page_beyond_the_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no page 2; it has 1"):
        PdfCharacters().characters(written(tmp_path / "a.pdf"), 2, None)
