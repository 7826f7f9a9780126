"""Table text: one line of Markdown per row of a grid.

A cell that spans rows or columns is written in the first place and left empty in the others, so
that no word occurs more often than it is printed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, Line, union
from citeloom.infrastructure.ingest.conversion.pdf.blocks.block_text import (
    JoinedText,
    Vocabulary,
    line_joint,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import Cell, Grid, GridPart
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import (
    CELL_JOINT,
    ROW_BEGIN,
    row_of,
)


class CellText(NamedTuple):
    """A cell's text with its row and column from 0, and the rows and columns it spans."""

    text: str
    row: int
    col: int
    rows: int
    cols: int
    header: bool


class TableText(NamedTuple):
    rows: int
    cols: int
    cells: tuple[CellText, ...]


class _Piece(NamedTuple):
    """Offsets of a part in the text of its cell."""

    start: int
    end: int
    part: GridPart


def table_text(
    lines: Sequence[TextLine], grid: Grid, vocabulary: Vocabulary
) -> tuple[JoinedText, TableText]:
    """The table's text with a line per run of parts, and its cells."""
    text = ""
    lines_placed: list[Line] = []
    cells: list[CellText] = []
    for row in range(grid.rows):
        joined: dict[int, tuple[str, list[_Piece]]] = {}
        for cell in (c for c in grid.cells if c.row == row):
            joined[cell.col] = _joined(cell, vocabulary)
            head = row < grid.header
            cell_text = joined[cell.col][0]
            cells.append(CellText(cell_text, row, cell.col, cell.rows, cell.cols, head))
        if not joined:
            continue
        text += "\n" if text else ""
        start = len(text)
        texts = [joined[c][0] if c in joined else "" for c in range(grid.cols)]
        lines_placed += _row_lines(
            lines, start, texts, {c: pieces for c, (_, pieces) in joined.items()}
        )
        text += row_of(texts)
        lines_placed[-1] = lines_placed[-1]._replace(end=len(text))
    return JoinedText(text, tuple(lines_placed)), TableText(grid.rows, grid.cols, tuple(cells))


def _joined(cell: Cell, vocabulary: Vocabulary) -> tuple[str, list[_Piece]]:
    text = ""
    pieces: list[_Piece] = []
    for part in cell.parts:
        if text:
            text, between = line_joint(text, part.text, vocabulary)
            if len(text) < pieces[-1].end:
                pieces[-1] = pieces[-1]._replace(end=len(text))
            text += between
        pieces.append(_Piece(len(text), len(text) + len(part.text), part))
        text += part.text
    return text, pieces


def _row_lines(
    lines: Sequence[TextLine],
    start: int,
    texts: Sequence[str],
    pieces_by_column: dict[int, list[_Piece]],
) -> list[Line]:
    """A line for each run of parts of one physical line; together they cover the whole row."""
    row_lines: list[Line] = []
    last: int | None = None
    at = start + len(ROW_BEGIN)
    for col, text in enumerate(texts):
        for piece in pieces_by_column.get(col, ()):
            line = lines[piece.part.line]
            box: BBox = (piece.part.x0, line.top, piece.part.x1, line.bottom)
            if row_lines and last == piece.part.line:
                row_lines[-1] = row_lines[-1]._replace(
                    end=at + piece.end, bbox=union([row_lines[-1].bbox, box])
                )
                continue
            begin = at + piece.start if row_lines else start
            if row_lines:
                row_lines[-1] = row_lines[-1]._replace(end=begin)
            row_lines.append(Line(begin, at + piece.end, line.page, box))
            last = piece.part.line
        at += len(text) + len(CELL_JOINT)
    return row_lines
