"""Tables as lines of text: in columns where they fit, else one block of lines a row.

Words and paths are not torn: a line ends at a blank, or after a slash of a path. Without a width
no line is wrapped. No line ends with blanks.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from citeloom.infrastructure.cli.shared.terminal import cell_len, chop_cells

_GAP: Final = "  "
# A column of running text is not made narrower, in characters.
_NARROWEST: Final = 24
_UNIT: Final = re.compile(r"\s+|[^\s/]*/+|[^\s/]+")


def table_lines(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> Iterator[str]:
    """``rows`` below their headings, at most ``width`` cells wide. Where columns are too narrow
    for that, each row is a block of lines, one for each value but ``-`` and nothing."""
    widths = _widths([columns, *rows], width)
    if widths is None:
        yield from _blocks(columns, rows, width)
        return
    yield _row(columns, widths)
    yield _GAP.join("─" * one for one in widths)
    for row in rows:
        cells = [wrapped(cell, one) for cell, one in zip(row, widths, strict=True)]
        yield from (_row(line, widths) for line in zip_longest(*cells, fillvalue=""))


def pair_lines(pairs: Iterable[Sequence[str]], width: int | None) -> Iterator[str]:
    """Names and values in two columns, the values wrapped."""
    rows = list(pairs)
    names = max((cell_len(name) for name, _ in rows), default=0)
    rest = None if width is None else max(width - names - len(_GAP), _NARROWEST)
    for name, value in rows:
        for number, line in enumerate(wrapped(value, rest) or [""]):
            yield _row(["" if number else name, line], [names, 0])


def wrapped(text: str, width: int | None) -> list[str]:
    """Lines of at most ``width`` cells; a longer word is cut. At least one line."""
    if width is None or cell_len(text) <= width:
        return [text]
    lines = [""]
    for unit in _UNIT.findall(text):
        if cell_len(lines[-1] + unit.rstrip()) <= width:
            lines[-1] += unit
            continue
        if unit.isspace():
            continue
        if not lines[-1].strip():
            lines.pop()
        lines += chop_cells(unit, width)
    return [line.rstrip() for line in lines]


def _widths(rows: Sequence[Sequence[str]], width: int | None) -> list[int] | None:
    """Widths of the columns; None where they do not fit."""
    natural = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    if width is None:
        return natural
    least = [
        max(min(full, _NARROWEST), *(_longest_word(cell) for cell in column))
        for full, column in zip(natural, zip(*rows, strict=True), strict=True)
    ]
    room = width - len(_GAP) * (len(natural) - 1)
    if sum(least) > room:
        return None
    widths = list(natural)
    while (excess := sum(widths) - room) > 0:
        number = max(range(len(widths)), key=lambda n: widths[n] - least[n])
        widths[number] -= min(excess, max(1, (widths[number] - least[number]) // 2))
    return widths


def _longest_word(text: str) -> int:
    return max((cell_len(word) for word in text.split()), default=0)


def _blocks(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int | None
) -> Iterator[str]:
    for number, row in enumerate(rows):
        if number:
            yield ""
        told = [
            (name, value)
            for name, value in zip(columns, row, strict=True)
            if value not in ("", "-")
        ]
        yield from pair_lines(told, width)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)
    )
    return _GAP.join(padded).rstrip()
