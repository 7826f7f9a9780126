"""docling's standard pipeline: the same result where it runs, the way to it where not."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.table.table_data import TableCell, TableData
from docling_core.types.doc.labels import DocItemLabel
from support.pdf.written_pdf import paragraph, write_pdf

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.errors import ConversionFailed, ModelUnavailable
from citeloom.infrastructure.ingest.conversion.pdf import neural
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.protocol import Options

NEURAL = Options(pdf="docling-standard")


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "paper.pdf", [paragraph(5, 700), paragraph(5, 700, seed=1)])


def place(page: int, top: float, size: int, height: float = 12) -> ProvenanceItem:
    box = BoundingBox(l=72, t=top, r=500, b=top + height, coord_origin=CoordOrigin.TOPLEFT)
    return ProvenanceItem(page_no=page, bbox=box, charspan=(0, size))


def as_docling_makes_it() -> DoclingDocument:
    doc = DoclingDocument(name="paper")
    for page in (1, 2):
        doc.add_page(page_no=page, size=Size(width=612, height=792))
    doc.add_heading("1 Introduction", level=1, prov=place(1, 72, 14))
    over = doc.add_text(
        label=DocItemLabel.TEXT, text="It goes over the page break.", prov=place(1, 90, 40)
    )
    over.prov.append(place(2, 72, 0))
    doc.add_text(label=DocItemLabel.CHECKBOX_SELECTED, text="yes", prov=place(2, 100, 3))
    cells = [
        TableCell(
            text=text,
            start_row_offset_idx=r,
            end_row_offset_idx=r + 1,
            start_col_offset_idx=c,
            end_col_offset_idx=c + 1,
        )
        for r, row in enumerate((("loom", "year"), ("A", "1801")))
        for c, text in enumerate(row)
    ]
    table = TableData(table_cells=cells, num_rows=2, num_cols=2)
    doc.add_table(data=table, prov=place(2, 150, 0))
    return doc


def run_with(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    def convert(stream: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        backend = SimpleNamespace(_backend=None)
        return SimpleNamespace(document=answer, input=backend, pages=[], errors=[])

    monkeypatch.setattr(neural, "check", lambda artifacts_path: None)
    monkeypatch.setattr(neural, "_converter", lambda *a: SimpleNamespace(convert=convert))


def test_its_document_becomes_the_same_kind_of_result(
    monkeypatch: pytest.MonkeyPatch, paper: Path
) -> None:
    run_with(monkeypatch, as_docling_makes_it())
    result = convert_pdf(paper, "id", None, NEURAL)
    assert [b.label for b in result.blocks] == [
        BlockLabel.SECTION_HEADER,
        BlockLabel.TEXT,
        BlockLabel.TEXT,
        BlockLabel.TABLE,
    ]
    assert [(h.title, h.page) for h in result.structure.headings()] == [("1 Introduction", 1)]
    assert [line.page for line in result.blocks[1].lines] == [1, 2]
    for block in result.blocks:
        assert block.lines[0].start == block.span.start
        assert block.lines[-1].end == block.span.end
        assert all(line.start < line.end for line in block.lines)
    assert "loom" in result.text_of(result.blocks[3].span)
    assert [e.page for e in result.structure.page_map] == [1, 2]


def test_without_its_packages_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, paper: Path
) -> None:
    monkeypatch.setattr(neural, "find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable, match=r'torch.* pip install "citeloom\[layout\]"'):
        convert_pdf(paper, "id", None, NEURAL)


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
def test_here_are_no_such_packages(paper: Path) -> None:
    with pytest.raises(ModelUnavailable, match="torch"):
        convert_pdf(paper, "id", None, NEURAL)


def test_without_weights_the_error_says_how_to_fetch_them(
    monkeypatch: pytest.MonkeyPatch, paper: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(neural, "find_spec", lambda name: object())
    for folder in (None, tmp_path / "nowhere"):
        options = Options(pdf="docling-standard", artifacts_path=folder)
        with pytest.raises(ModelUnavailable, match="docling-tools models download") as caught:
            convert_pdf(paper, "id", None, options)
        assert "conversion.artifacts_path" in str(caught.value)


def test_models_that_do_not_load_are_not_the_document_s_fault(
    monkeypatch: pytest.MonkeyPatch, paper: Path
) -> None:
    run_with(monkeypatch, OSError("model.safetensors is missing"))
    with pytest.raises(ModelUnavailable, match=r"model\.safetensors is missing"):
        convert_pdf(paper, "id", None, NEURAL)


def test_what_the_pipeline_gives_up_on_is_a_failed_document(
    monkeypatch: pytest.MonkeyPatch, paper: Path
) -> None:
    from docling.exceptions import ConversionError

    run_with(monkeypatch, ConversionError("page 2: no layout"))
    with pytest.raises(ConversionFailed, match=r"paper\.pdf: .*page 2: no layout"):
        convert_pdf(paper, "id", None, NEURAL)
