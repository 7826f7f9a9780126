"""Pages with a table and its caption between two paragraphs."""

import random
from pathlib import Path
from typing import NamedTuple

import pikepdf
from support.pdf.written_pdf import WORDS, Text, paragraph, write_pdf

from citeloom.infrastructure.ingest.conversion.pdf.fonts.data.font_files import character_metrics

_WIDTHS = {chr(m.code): m.width / 100 for m in character_metrics("Helvetica") if m.code > 0}
_ROW, _COLUMN, _LEFT, _TOP = 13.0, 90.0, 110.0, 640.0


class TablePage(NamedTuple):
    """A page and the rows of its table."""

    path: Path
    rows: list[list[str]]


def boxed_page(path: Path, seed: int) -> TablePage:
    """A table in a grid, its head and its total each parted from the rows by a double rule."""
    rng = random.Random(seed)
    columns, count = rng.randint(3, 5), rng.randint(3, 6)
    body = [
        [WORDS[k], *(str(rng.randint(10, 99)) for _ in range(columns - 1))] for k in range(count)
    ]
    head = ["Kind", *(f"Run {k}" for k in range(1, columns))]
    total = ["Total", *(str(rng.randint(100, 999)) for _ in range(columns - 1))]
    texts, rules, y = [Text(_LEFT, _TOP + 8, "Table 1: What was run")], [], _TOP
    for group in ([head], body, [total]):
        rules += [(_LEFT, y - _ROW * k, columns * _COLUMN, 0.4) for k in range(len(group) + 1)]
        height = _ROW * len(group)
        rules += [(_LEFT + _COLUMN * k, y - height, 0.4, height) for k in range(columns + 1)]
        for row in group:
            texts += [Text(_LEFT + 6 + _COLUMN * k, y - 10, cell) for k, cell in enumerate(row)]
            y -= _ROW
        y -= rng.uniform(1.6, 2.6)
    return TablePage(_written(path, texts, rules, y, seed), [head, *body, total])


def numbers_page(path: Path, seed: int) -> TablePage:
    """A table without rules, two columns of numbers as close as words."""
    rng = random.Random(seed)
    rows = [[WORDS[k], *(f"{rng.uniform(0, 100):.1f}" for _ in range(3))] for k in range(6)]
    head = ["Kind", "A", "B", "C"]
    ends = (0.0, 250.0, 274.0 + rng.uniform(0, 1.5), 340.0)
    texts = [Text(_LEFT, _TOP + 20, "Table 1: What was run")]
    for at, row in enumerate([head, *rows]):
        for end, cell in zip(ends, row, strict=True):
            x = end - sum(_WIDTHS[char] for char in cell) if end else _LEFT
            texts.append(Text(round(x, 2), _TOP - 12 * at, cell))
    return TablePage(_written(path, texts, [], _TOP - 84, seed), [head, *rows])


def _written(
    path: Path,
    table: list[Text],
    rules: list[tuple[float, float, float, float]],
    bottom: float,
    seed: int,
) -> Path:
    around = [*paragraph(3, 720, seed=seed), *paragraph(3, bottom - 30, seed=seed + 3)]
    write_pdf(path, [[*around[:3], *table, *around[3:]]])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        drawn = " ".join(f"{x:.2f} {y:.2f} {w:.2f} {h:.2f} re f" for x, y, w, h in rules)
        pdf.pages[0].contents_add(drawn.encode())
        pdf.save(path)
    return path
