"""Made-up tables with known cells, typeset with typst; the same seed gives the same table.

How a table is set (rules, column types, wrapped cells, spanning cells, alignment, caption,
note, one or two columns of running text around it) is drawn from the seed.
"""

import random
from typing import NamedTuple

import typst
from generated.typeset.papers import nonsense

KINDS = ("ruled", "booktabs", "unruled", "wrapped", "ruled wrapped", "spanning", "numeric")
_BODY_SIZE = 10


class TableCell(NamedTuple):
    """A cell: row and column from 0, and how many of either it spans."""

    text: str
    row: int
    col: int
    rows: int = 1
    cols: int = 1


class MadeTable(NamedTuple):
    seed: int
    kind: str
    pdf: bytes
    cells: tuple[TableCell, ...]
    prose: tuple[str, ...]
    caption: str
    note: str


class _Draw(random.Random):
    def word(self) -> str:
        return nonsense(self)

    def words(self, least: int, most: int) -> str:
        words = [self.word() for _ in range(self.randint(least, most))]
        return " ".join([words[0].capitalize(), *words[1:]])

    def value(self, style: str) -> str:
        match style:
            case "whole":
                return str(self.randint(1, 9999))
            case "percent":
                return f"{self.uniform(1, 100):.1f}%"
            case "spread":
                return f"{self.uniform(0, 120):.2f} ± {self.uniform(0, 3):.2f}"
            case _:
                return f"{self.uniform(-20, 999):.{self.randint(1, 3)}f}"


def typeset_table(seed: int) -> MadeTable:
    """The table of a seed; its kind is ``KINDS[seed % len(KINDS)]``."""
    draw = _Draw(seed * 11 + 3)
    kind = KINDS[seed % len(KINDS)]
    two = draw.random() < 0.4
    wrapped = "wrapped" in kind
    columns = draw.randint(2, 3) if two and wrapped else draw.randint(3, 4 if two else 6)
    if kind == "spanning":
        columns = 5
    rows = draw.randint(4, 9)
    cells = _cells(draw, kind, rows, columns)
    caption, note = draw.words(4, 18) + ".", "Note: " + draw.words(5, 9) + "."
    prose = tuple(" ".join(draw.words(8, 16) + "." for _ in range(5)) for _ in range(6))
    source = _source(draw, kind, columns, cells, caption, note, prose, two)
    pdf = typst.compile(source.encode(), ignore_system_fonts=True)
    return MadeTable(seed, kind, pdf, tuple(cells), prose, caption, note)


def _cells(draw: _Draw, kind: str, rows: int, columns: int) -> list[TableCell]:
    wrapped = "wrapped" in kind
    styles = [draw.choice(["whole", "percent", "spread", "decimal"]) for _ in range(columns)]
    cells: list[TableCell] = []
    top = 0
    if kind == "spanning":
        cells = [
            TableCell("", 0, 0, rows=1),
            TableCell(draw.words(1, 2), 0, 1, cols=2),
            TableCell(draw.words(1, 2), 0, 3, cols=2),
        ]
        top = 1
    cells += [TableCell(draw.words(1, 1), top, c) for c in range(columns)]
    for r in range(top + 1, top + 1 + rows):
        cells.append(TableCell(draw.words(1, 3 if wrapped else 2), r, 0))
        for c in range(1, columns):
            if wrapped and (c == columns - 1 or draw.random() < 0.5):
                text = draw.words(4, 14)
            elif kind == "numeric" or draw.random() < 0.75:
                text = draw.value(styles[c])
            else:
                text = draw.words(1, 1)
            if kind in ("ruled", "booktabs", "numeric") and draw.random() < 0.06:
                text = ""
            cells.append(TableCell(text, r, c))
    if kind == "spanning":
        return _with_row_span(cells, top + 1)
    return cells


def _with_row_span(cells: list[TableCell], row: int) -> list[TableCell]:
    """The first cell of a row made one with the cell below it."""
    return [
        cell._replace(rows=2) if (cell.row, cell.col) == (row, 0) else cell
        for cell in cells
        if (cell.row, cell.col) != (row + 1, 0)
    ]


def _source(
    draw: _Draw,
    kind: str,
    columns: int,
    cells: list[TableCell],
    caption: str,
    note: str,
    prose: tuple[str, ...],
    two: bool,
) -> str:
    wrapped, ruled = "wrapped" in kind, kind.startswith("ruled")
    spanning_grid = kind == "spanning" and draw.random() < 0.5
    widths = ["auto"] * columns
    if wrapped:
        widths = ["1fr"] * columns
    number = draw.choice(["right", "center", "left"])
    align = ", ".join(["left"] + ["left" if wrapped else number] * (columns - 1))
    middle = " + horizon" if wrapped and ruled and draw.random() < 0.4 else ""
    inset = draw.choice([4, 5, 6]) if ruled or not wrapped else draw.choice([5, 6])
    lines, header = [], 1 + (kind == "spanning")
    for cell in cells:
        spans = f"rowspan: {cell.rows}, colspan: {cell.cols}, "
        place = ", align: center + horizon" if cell.rows > 1 or cell.cols > 1 else ""
        text = cell.text.replace("%", "\\%")
        lines.append(f"table.cell({spans}x: {cell.col}, y: {cell.row}{place})[{text}]")
    rows = max(cell.row + cell.rows for cell in cells)
    if not ruled and not spanning_grid and kind != "unruled":
        lines += [f"table.hline(y: {y})" for y in (0, header, rows)]
        if kind == "spanning":
            lines += [
                "table.hline(y: 1, start: 1, end: 3, stroke: 0.4pt)",
                "table.hline(y: 1, start: 3, end: 5, stroke: 0.4pt)",
            ]
    stroke = "0.5pt" if ruled or spanning_grid else "none"
    cell_text = "\n  ".join(f"{line}," for line in lines)
    width = "100%" if wrapped else "auto"
    table = (
        f"#block(width: {width}, table(columns: ({', '.join(widths)}), stroke: {stroke}, "
        f"inset: {inset}pt, align: (x, y) => ({align}).at(x){middle},\n  {cell_text}\n))"
    )
    position = draw.choice(["top", "bottom"])
    size = draw.choice([0.85, 0.9, 1.0])
    paragraphs = [*prose[:3], "FIGURE", *prose[3:]]
    figure = (
        f"#figure(kind: table, supplement: [Table], caption: figure.caption(position: {position})"
        f"[{caption}], [#set text(size: {size}em)\n#set par(justify: false)\n{table}\n"
        f"#align(left, text(size: 0.85em)[{note}])])"
    )
    body = "\n\n".join(figure if part == "FIGURE" else part for part in paragraphs)
    return f"""
#set page(paper: "a4", margin: 20mm, columns: {2 if two else 1})
#set text(font: "{draw.choice(["Libertinus Serif", "New Computer Modern"])}",
  size: {_BODY_SIZE}pt, lang: "en", hyphenate: true)
#set par(justify: true, leading: 0.6em, spacing: 0.9em)
#show figure: set block(breakable: false)
{body}
"""
