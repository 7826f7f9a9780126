"""Pages with a /Rotate entry: the text is the same, the boxes are those of the page as shown."""

from pathlib import Path

import pikepdf
import pytest
import typst

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf

_PROSE = "The quick brown fox jumps over the lazy dog and goes on to the river to drink. " * 4
_SOURCE = f"""
#set page(width: 100mm, height: 140mm, margin: 15mm)
#set text(size: 9pt)
#set heading(numbering: "1.")
= Introduction
{_PROSE}
= Methods
{_PROSE}
"""


def _shown(box: BBox, turn: int, width: float, height: float) -> BBox:
    """A box of the upright page after the page was turned clockwise."""
    x0, top, x1, bottom = box
    return {
        90: (height - bottom, x0, height - top, x1),
        180: (width - x1, height - bottom, width - x0, height - top),
        270: (top, width - x1, bottom, width - x0),
    }[turn]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_turned_page_keeps_its_text_and_its_boxes(tmp_path: Path, turn: int) -> None:
    upright, turned = tmp_path / "upright.pdf", tmp_path / "turned.pdf"
    upright.write_bytes(typst.compile(_SOURCE.encode(), ignore_system_fonts=True))
    with pikepdf.open(upright) as pdf:
        for page in pdf.pages:
            page.Rotate = turn
        pdf.save(turned)
    first, second = convert_pdf(upright, "id"), convert_pdf(turned, "id")
    assert second.plain_text == first.plain_text
    assert [h.title for h in second.structure.headings()] == ["1. Introduction", "2. Methods"]
    page = first.structure.page_map[0]
    assert page.width
    assert page.height
    for block, same in zip(first.blocks, second.blocks, strict=True):
        for line, other in zip(block.lines, same.lines, strict=True):
            expected = _shown(line.bbox, turn, page.width, page.height)
            assert other.bbox == pytest.approx(expected, abs=0.1)
