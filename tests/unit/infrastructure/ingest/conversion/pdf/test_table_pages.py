"""Pages with tables whose parts stand close together or apart."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.pdf.table_pages import TablePage, boxed_page, numbers_page

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import row_of


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", [boxed_page, numbers_page])
def test_a_table_has_all_of_its_rows_and_columns(
    kind: Callable[[Path, int], TablePage], seed: int, tmp_path: Path
) -> None:
    page = kind(tmp_path / "page.pdf", seed)
    result = convert_pdf(page.path, "0" * 64)
    caption, table = (one for one in result.blocks if one.label is not BlockLabel.TEXT)
    assert (caption.label, table.label) == (BlockLabel.CAPTION, BlockLabel.TABLE)
    assert result.text_of(table.span) == "\n".join(map(row_of, page.rows))
