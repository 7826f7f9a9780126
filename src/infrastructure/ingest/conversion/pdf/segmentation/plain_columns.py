"""Columns of a page in the plain order of its words, without regard to what they form."""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from citeloom.domain.documents.spans import BBox
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import Column
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine, line_of
from citeloom.infrastructure.ingest.conversion.pdf.page_record import (
    PageRecord,
    Word,
    centre_inside,
    overlap,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.word_runs import runs_of

# In heights of a word: a gap wider than any space, and how far a word may begin before the end of
# the one before (kerning, accents).
_WIDE = 3.0
_BACK = 0.6


def plain_columns(record: PageRecord, without: Sequence[BBox] = ()) -> list[Column]:
    """The page's lines in the order of the words; ``without`` are the boxes of heads and feet.

    A line ends where the next word is not to the right of it, or far from it; a column where the
    next line is not below.
    """
    words = [w for w in record.words if not any(centre_inside(w.box, box) for box in without)]
    words.sort(key=attrgetter("order"))
    columns: list[list[TextLine]] = []
    for row in _rows(words):
        size = max(word.size for word in row)
        line = line_of(sorted(runs_of(row, size), key=lambda run: run.x0), record.page)
        if not line.text:
            continue
        if not columns or _begins_column(columns[-1][-1], line):
            columns.append([])
        columns[-1].append(line)
    return [Column(record.page, tuple(lines)) for lines in columns]


def _rows(words: Sequence[Word]) -> Iterator[list[Word]]:
    row: list[Word] = []
    for word in words:
        if row and not _continues(row[-1], word):
            yield row
            row = []
        row.append(word)
    if row:
        yield row


def _continues(before: Word, word: Word) -> bool:
    size = max(before.size, word.size)
    gap = word.x0 - before.x1
    level = overlap(before.top, before.bottom, word.top, word.bottom) > 0
    return level and -_BACK * size < gap < _WIDE * size


def _begins_column(above: TextLine, line: TextLine) -> bool:
    return line.base <= above.base or overlap(above.x0, above.x1, line.x0, line.x1) <= 0
