"""Rows and cells of a table in the text of a document: a row a line, bars between cells."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_CELL: Final = " | "
#: A cell of a number, not a head with one: mAP(0.75), 99th percentile.
VALUE: Final = re.compile(r"[^\w|]{0,3}\d(?!\d*(?:st|nd|rd|th)\b)")


def cells_of(row: str) -> list[str]:
    """Cells of a row of a table, with or without outer bars; one for a line that is not a row."""
    bare = row.strip()
    if len(bare) > 1 and bare[0] == bare[-1] == "|":
        bare = f" {bare[1:-1].strip()} "
    return [cell.strip() for cell in bare.split(_CELL)]


def head_rows(rows: Sequence[str]) -> int:
    """How many rows of a table are heads, 1 to 3: those above the first row with a number, if each
    has a cell below an empty one, as *mean* and *max* below *latency*; else one."""
    cells = [cells_of(row) for row in rows[:4]]
    numbers = [any(map(VALUE.match, row[1:])) for row in cells]
    heads = numbers.index(True) if True in numbers else 1
    pairs = pairwise(row[1:] for row in cells[:heads])
    fills = all(any(b and not a for a, b in zip(*pair, strict=False)) for pair in pairs)
    return max(1, heads) if fills else 1
