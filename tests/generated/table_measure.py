"""How near the tables of a converted page come to their truth."""

import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from docling_core.types.doc.document import DoclingDocument
from generated.typeset.tables import MadeTable

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.ingest.conversion.pdf import convert
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash


class CellScore(NamedTuple):
    """Cells with text: how many there are, how many were told, and how many of those have
    the right text, row and column; ``spans`` are the right ones whose spans are right too.
    ``eaten`` counts running text's words in tables, ``kept`` says whether caption and note
    are blocks of their own."""

    wanted: int
    told: int
    right: int
    spans: int
    eaten: int
    kept: bool


def score_table(table: MadeTable) -> CellScore:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.pdf"
        path.write_bytes(table.pdf)
        docs: list[DoclingDocument] = []
        result = _convert(path, docs)
    wanted = {
        (squash(c.text), c.row, c.col): (c.rows, c.cols) for c in table.cells if squash(c.text)
    }
    told: dict[tuple[str, int, int], tuple[int, int]] = {}
    for item in docs[0].tables:
        for cell in item.data.table_cells:
            if squash(cell.text):
                key = (squash(cell.text), cell.start_row_offset_idx, cell.start_col_offset_idx)
                told[key] = (cell.row_span, cell.col_span)
    right = wanted.keys() & told.keys()
    return CellScore(
        wanted=len(wanted),
        told=len(told),
        right=len(right),
        spans=sum(wanted[key] == told[key] for key in right),
        eaten=_eaten(table, result),
        kept=_kept(table, result),
    )


def _convert(path: Path, docs: list[DoclingDocument]) -> ConversionResult:
    """The conversion, with docling's document put by."""
    body_of = convert.body_of

    def spied(doc: DoclingDocument) -> convert.Body:
        docs.append(doc)
        return body_of(doc)

    convert.body_of = spied
    try:
        return convert_pdf(path, "id")
    finally:
        convert.body_of = body_of


def _eaten(table: MadeTable, result: ConversionResult) -> int:
    """Words of tables that no cell has."""
    have = Counter(squash(w) for c in table.cells for w in c.text.split())
    inside = Counter(
        squash(w)
        for b in result.blocks
        if b.label is BlockLabel.TABLE
        for w in result.text_of(b.span).split()
    )
    return sum((inside - have).values()) - (inside - have)[""]


def _kept(table: MadeTable, result: ConversionResult) -> bool:
    texts = [squash(result.text_of(b.span)) for b in result.blocks if b.label != BlockLabel.TABLE]
    return all(any(squash(part) in text for text in texts) for part in (table.caption, table.note))
