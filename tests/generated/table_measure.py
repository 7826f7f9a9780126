"""How near the tables of a converted page come to their truth."""

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from generated.typeset.tables import MadeTable

from citeloom.domain.documents.conversion import BlockLabel, ConversionResult
from citeloom.infrastructure.ingest.conversion.pdf import native
from citeloom.infrastructure.ingest.conversion.pdf.blocks.block_text import CellText
from citeloom.infrastructure.ingest.conversion.pdf.convert import convert_pdf
from citeloom.infrastructure.ingest.conversion.pdf.layout import DocumentLayout, LaidBlock
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash


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
        result, layout = _convert(path)
    wanted = {
        (squash(c.text), c.row, c.col): (c.rows, c.cols) for c in table.cells if squash(c.text)
    }
    told: dict[tuple[str, int, int], tuple[int, int]] = {}
    for block in layout.blocks:
        for cell in _cells(block):
            if squash(cell.text):
                told[squash(cell.text), cell.row, cell.col] = (cell.rows, cell.cols)
    right = wanted.keys() & told.keys()
    return CellScore(
        wanted=len(wanted),
        told=len(told),
        right=len(right),
        spans=sum(wanted[key] == told[key] for key in right),
        eaten=_eaten(table, result),
        kept=_kept(table, result),
    )


def _convert(path: Path) -> tuple[ConversionResult, DocumentLayout]:
    """The conversion, and the layout that it was made from."""
    layouts: list[DocumentLayout] = []
    lay_out = native.lay_out

    def spied(*arguments: Any) -> DocumentLayout:
        layouts.append(lay_out(*arguments))
        return layouts[-1]

    native.lay_out = spied
    try:
        return convert_pdf(path, "id"), layouts[0]
    finally:
        native.lay_out = lay_out


def _cells(block: LaidBlock) -> Sequence[CellText]:
    """The cells of a table; without a grid, each line is one."""
    if block.table is not None:
        return block.table.cells
    rows = block.joined.text.split("\n") if block.label is BlockLabel.TABLE else ()
    return [CellText(row, index, 0, 1, 1, False) for index, row in enumerate(rows)]


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
