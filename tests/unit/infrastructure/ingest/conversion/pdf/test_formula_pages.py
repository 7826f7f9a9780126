"""Pages with formulas in their lines and between them."""

from pathlib import Path

import pytest
from support.pdf.formula_pages import formula_page

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.blocks.block_text import BEFORE_NUMBER
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf


@pytest.mark.parametrize("seed", range(12))
def test_formulas_are_read_on_one_line_and_paragraphs_around_them_stay_whole(
    seed: int, tmp_path: Path
) -> None:
    page = formula_page(tmp_path / "page.pdf", seed)
    result = convert_pdf(page.path, "0" * 64)
    blocks = [(block.label, result.text_of(block.span)) for block in result.blocks]
    assert blocks == [
        (BlockLabel.TEXT, page.before),
        (BlockLabel.FORMULA, f"{page.formula}{BEFORE_NUMBER}{page.number}"),
        (BlockLabel.TEXT, f"{page.after} {page.inline}"),
    ]
    assert not result.disputed
    assert not any(one.is_uncertain for one in result.fidelity)
    (line,) = result.blocks[1].lines
    assert line.bbox[1] < 792 - 625 - 10 < 792 - 625 + 7 < line.bbox[3], "limits are in its box"
