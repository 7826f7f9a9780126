"""The row of a table that has an asked number: found by the words of the row and of the column's
head, as *accuracy for augmented chords* in the column *accuracy* of the row *augmented*."""

import re
from collections.abc import Callable, Iterator, Set
from typing import Final, NamedTuple

from citeloom.domain.documents.spans import CharSpan, Chunk
from citeloom.domain.text.tables import VALUE

from .wants import stems_of_asking

# Row and head have so much of the question.
_LEAST: Final = 0.55
_NUMBER: Final = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w,])")


class TableRow(NamedTuple):
    """A row of a passage. ``share`` of the question is in it and in the heads of the columns,
    0..1; ``is_cell``: that is enough, some of it stands in the row and some in the heads alone."""

    span: CharSpan
    share: float
    is_cell: bool


class _Labelled(NamedTuple):
    start: int
    text: str
    label: str

    @property
    def span(self) -> CharSpan:
        return CharSpan(start=self.start, end=self.start + len(self.text))


def best_row(
    question: str, chunk: Chunk, stems: Set[str], stems_in: Callable[[str], Set[str]]
) -> TableRow | None:
    """The row with most of the question; None where none has a word of it. Rows below the first
    count without a number only in tables of words."""
    asked = set(stems) - stems_of_asking(question)
    numbers = set(_NUMBER.findall(question))
    size = len(asked) + len(numbers) or 1
    heads = [chunk.table_header or ""]
    best: TableRow | None = None
    of_words: TableRow | None = None
    for row in _rows(chunk.text):
        cells = [cell.strip() for cell in row.text.split("|") if cell.strip()]
        if not any(map(VALUE.match, cells[1:])):
            share = len(stems_in(row.text) & asked) / size
            below = len(heads) > 1 or bool(heads[0])
            if below and share > (of_words.share if of_words else 0.0):
                of_words = TableRow(row.span, share, False)
            if best is None:
                heads.append(row.text)
            continue
        label = f"{row.label} | {row.text}"
        own = stems_in(label) & asked
        found = numbers & set(_NUMBER.findall(label))
        above = (stems_in(" ".join(heads)) & asked) - own
        if not own | found:
            continue
        share = (len(own) + len(above) + len(found)) / size
        if best is None or share > best.share:
            best = TableRow(row.span, share, bool(above) and share >= _LEAST)
    return best or of_words


def _rows(text: str) -> Iterator[_Labelled]:
    """The lines of cells, each with the label of the rows that it belongs to."""
    at, label = 0, ""
    for line in text.split("\n"):
        if "|" in line:
            first = line.strip().removeprefix("|").partition("|")[0].strip()
            label = first or label
            yield _Labelled(at, line, label)
        at += len(line) + 1
