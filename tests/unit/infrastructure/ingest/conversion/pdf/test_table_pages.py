"""Pages with tables whose parts stand close together or apart."""

from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest
from support.paths import SHARED
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


_ROWS = [
    (
        "distributed_systems__mapreduce-simplified-data-processing-on-large-clusters.pdf",
        10,
        "Table 1: MapReduce jobs run in August 2004",
        [("Number of jobs", "29,423"), ("Average job completion time", "634 secs")],
    ),
    (
        "datastores__the-google-file-system.pdf",
        12,
        "Table 3: Performance Metrics for Two GFS Clusters",
        [("Cluster", "A", "B"), ("Read rate (since restart)", "589 MB/s", "49 MB/s")],
    ),
    (
        "data_structures__ideal-hash-trees.pdf",
        10,
        "Table 6. Hash Function Comparison - Search",
        [("SetSize", "Univ", "Elf", "PJW"), ("8192K", "1.29", "2.65", "2.28")],
    ),
]


@pytest.mark.real
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data beside the checkout")
@pytest.mark.parametrize(("name", "page", "caption", "rows"), _ROWS, ids=lambda one: str(one)[:30])
def test_tables_of_papers_have_their_rows_beside_their_caption(
    name: str, page: int, caption: str, rows: list[tuple[str, ...]], tmp_path: Path
) -> None:
    with pikepdf.open(SHARED / "wild" / name) as paper, pikepdf.new() as alone:
        alone.pages.append(paper.pages[page - 1])
        alone.save(tmp_path / "page.pdf")
    result = convert_pdf(tmp_path / "page.pdf", "0" * 64)
    texts = [(one.label, result.text_of(one.span)) for one in result.blocks]
    (at,) = (i for i, (label, _) in enumerate(texts) if label is BlockLabel.TABLE)
    assert (BlockLabel.CAPTION, caption) in (texts[at - 1], texts[at + 1])
    assert set(map(row_of, rows)) <= set(texts[at][1].splitlines())
