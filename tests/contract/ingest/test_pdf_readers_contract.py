"""The contract of ``PdfReader``: CiteLoom's layout and docling's pipeline keep it alike.

docling's models have no weights here: its pipeline answers with a document made beforehand.
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.common.content_layer import ContentLayer
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel
from support.pdf.written_pdf import Text, paragraph, write_pdf

from citeloom.domain.errors import ConversionFailed
from citeloom.infrastructure.ingest.conversion.pdf import native, neural
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.reading import (
    BETWEEN_BLOCKS,
    PdfFile,
    PdfReading,
)
from citeloom.infrastructure.ingest.conversion.protocol import Options, ignore_progress

Read = Callable[[Path], PdfReading]


def _place(page: int, top: float, size: int) -> ProvenanceItem:
    box = BoundingBox(l=72, t=top, r=500, b=top + 12, coord_origin=CoordOrigin.TOPLEFT)
    return ProvenanceItem(page_no=page, bbox=box, charspan=(0, size))


def _page() -> list[Text]:
    first, *others = paragraph(5, 560, seed=1)
    return [*paragraph(5, 700), first._replace(text=first.text.capitalize()), *others]


def _document() -> DoclingDocument:
    doc = DoclingDocument(name="paper")
    for page in (1, 2):
        doc.add_page(page_no=page, size=Size(width=612, height=792))
        text = f"The words of page {page}."
        doc.add_text(label=DocItemLabel.TEXT, text=text, prov=_place(page, 90, len(text)))
        doc.add_text(
            label=DocItemLabel.PAGE_FOOTER,
            text=str(page),
            prov=_place(page, 760, 1),
            content_layer=ContentLayer.FURNITURE,
        )
    return doc


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return write_pdf(tmp_path / "paper.pdf", [_page(), _page()])


@pytest.fixture(params=["native", "docling-standard"])
def options(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Options:
    def convert(stream: Any) -> Any:
        if b"%%EOF" not in stream.stream.getvalue():
            from docling.exceptions import ConversionError

            raise ConversionError("damaged")
        return SimpleNamespace(document=_document(), errors=[])

    monkeypatch.setattr(neural, "check", lambda artifacts_path: None)
    monkeypatch.setattr(neural, "_converter", lambda *a: SimpleNamespace(convert=convert))
    return Options(pdf=request.param)


@pytest.fixture
def read(options: Options) -> Read:
    reader = native.read if options.pdf == "native" else neural.read
    return lambda path: reader(PdfFile(path.name, path.read_bytes()), options, ignore_progress)


def test_blocks_are_spans_of_the_text_with_an_empty_line_between_them(
    read: Read, paper: Path
) -> None:
    body = read(paper).body
    assert len(body.blocks) > 1
    parts = [body.text[block.span.start : block.span.end] for block in body.blocks]
    assert BETWEEN_BLOCKS.join(parts) == body.text


def test_every_line_of_a_block_has_its_page_and_box(read: Read, paper: Path) -> None:
    body = read(paper).body
    assert {line.page for block in body.blocks for line in block.lines} == {1, 2}
    for block in body.blocks:
        assert (block.lines[0].start, block.lines[-1].end) == (block.span.start, block.span.end)
        for line in block.lines:
            left, top, right, bottom = line.bbox
            assert line.start < line.end
            assert 0 <= left < right <= 612
            assert 0 <= top < bottom <= 792


def test_furniture_is_page_by_page_and_not_in_the_text(read: Read, paper: Path) -> None:
    reading = read(paper)
    pages = [piece.page for piece in reading.furniture]
    assert pages == sorted(pages)
    assert all(block.level is None for block in reading.body.blocks)


def test_a_file_that_cannot_be_parsed_is_named(read: Read, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(ConversionFailed, match=r"broken\.pdf: "):
        read(broken)


def test_the_conversion_has_an_entry_for_every_page(options: Options, paper: Path) -> None:
    result = convert_pdf(paper, "id", None, options)
    assert [entry.page for entry in result.structure.page_map] == [1, 2]
    assert result.mime_type == "application/pdf"
