"""Text of blocks, table rows and whole pages, with the offsets of each line.

A grid is one line of Markdown per row. A cell that spans rows or columns is written in the first
place and left empty in the others, so that no word occurs more often than it is printed.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.domain.documents.fidelity import PageFidelity, compare_page, words_of
from citeloom.domain.documents.spans import BBox, Line, union
from citeloom.domain.text.scripts import MARKS, SUPER_DIGITS, scripts_apart
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import EQUATION_NUMBER
from citeloom.infrastructure.ingest.conversion.pdf.page_record import PageRecord
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import Cell, Grid, GridPart
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import (
    CELL_JOINT,
    ROW_BEGIN,
    row_of,
    row_text,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import (
    HYPHENS,
    SOFT_HYPHEN,
    is_cjk,
    is_hangul,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.unreadable_text import undecodable_share

from .line_ends import Vocabulary

_BROKEN = re.compile(rf"([^\W_]+(?:[-\u2010\u2011'\u2019][^\W_]+)*)[{HYPHENS}]$")
_BY_LINE = (BlockLabel.TABLE, BlockLabel.CODE, BlockLabel.FIGURE_TEXT, BlockLabel.FORMULA)
BEFORE_NUMBER = "\u2003"  # between a formula and its number
_LONGEST_WORD = 100  # characters searched: more makes long paragraphs slow
_NOTE_NUMBER = re.compile(rf"^(\d{{1,2}}|{MARKS}|[*\u2020\u2021\u00a7])(?=[A-Z][a-z])")
_LINKED = re.compile(r"(?:to|and|or|of|in|on|by|the|for|as|from|und|de|\u00e0)-[^\W\d_]")
_LAST_WORD = re.compile(r"[^\W_]+$")
_OPENING = re.compile(rf"^[^\W_{SUPER_DIGITS}]+")  # prob-|lem⁴


class JoinedText(NamedTuple):
    """A block's text, with the offsets, page and box of each line."""

    text: str
    lines: tuple[Line, ...]


def join_lines(lines: Sequence[TextLine], label: BlockLabel, vocabulary: Vocabulary) -> JoinedText:
    """The text of physical lines. Every character except white space belongs to one line."""
    separate = label in _BY_LINE
    text = ""
    spans: list[Line] = []
    for line in lines:
        line_text = _text_of(line, label)
        if not line_text:
            continue
        if text:
            text, between = (text, "\n") if separate else line_joint(text, line_text, vocabulary)
            if spans and len(text) < spans[-1].end:
                spans[-1] = spans[-1]._replace(end=len(text))
            text += between
        start = len(text)
        text += line_text
        spans.append(Line(start, len(text), line.page, line.box))
    if text.endswith(SOFT_HYPHEN):
        text = text[:-1] + "-"
    return JoinedText(text, tuple(spans))


def _text_of(line: TextLine, label: BlockLabel) -> str:
    text = line.text.strip()
    if label == BlockLabel.TABLE:
        return row_text(line)
    if label == BlockLabel.FOOTNOTE:
        return _NOTE_NUMBER.sub(r"\1 ", text)
    number = line.pieces[-1].text
    if label == BlockLabel.FORMULA and len(line.pieces) > 1 and EQUATION_NUMBER.match(number):
        return f"{text.removesuffix(number).rstrip()}{BEFORE_NUMBER}{number}"
    return text


def line_joint(text: str, following: str, vocabulary: Vocabulary) -> tuple[str, str]:
    """``text`` without the hyphen of a line break, and the separator before ``following``."""
    is_hyphened = text[-1] in HYPHENS
    broken = _BROKEN.search(text, max(0, len(text) - _LONGEST_WORD)) if is_hyphened else None
    opening = _OPENING.match(following)
    if broken and opening:
        lower = opening[0][:1].islower()
        first = broken[1].replace("\u2010", "-").replace("\u2011", "-")
        if _LINKED.match(following):  # English-|to-German
            return (text[:-1] + "-" if text.endswith(SOFT_HYPHEN) else text), ""
        if lower and (text.endswith(SOFT_HYPHEN) or vocabulary.is_one_word(first, opening[0])):
            return text[:-1], ""
        if vocabulary.has(f"{first}{opening[0]}") and vocabulary.is_one_word(first, opening[0]):
            return text[:-1], ""  # PubTab-|Net, CALIBRA-|TION
        hyphenated = text[:-1] + "-" if text.endswith(SOFT_HYPHEN) else text
        return hyphenated, ""
    if text.endswith(("/", "\u2014")) and opening and "/" in text.rsplit(" ", 1)[-1][-1:]:
        return text, "" if "://" in text.rsplit(" ", 1)[-1] else " "
    return text, "" if _is_unspaced(text, following, vocabulary) else " "


def _is_unspaced(text: str, following: str, vocabulary: Vocabulary) -> bool:
    """Whether a line break stands for no space, in a script that breaks lines within words."""
    ends, begins = text[-1], following[0]
    if is_cjk(ends) or is_cjk(begins):
        return (is_cjk(ends) or ends.isalnum()) and (is_cjk(begins) or begins.isalnum())
    if not (is_hangul(ends) and is_hangul(begins)):
        return False
    first = _LAST_WORD.search(text, max(0, len(text) - _LONGEST_WORD))
    second = _OPENING.match(following)
    return bool(first and second and first[0] + second[0] in vocabulary.words)


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


_WITHOUT_ORDER = (BlockLabel.TABLE, BlockLabel.FORMULA)


class LaidText(NamedTuple):
    """Text on a page: running text, text in another order than other readers' (tables, formulas),
    and text that is not quoted (figures, heads and feet)."""

    prose: list[str]
    tables: list[str]
    besides: list[str]


def page_texts(
    blocks: Iterable[tuple[BlockLabel, JoinedText]], besides: Iterable[tuple[int, str]]
) -> dict[int, LaidText]:
    """Text by page. ``besides`` are page and text of figures, heads and feet."""
    texts: dict[int, LaidText] = defaultdict(lambda: LaidText([], [], []))
    for label, joined in blocks:
        for page, part in _parts(joined):
            text = texts[page]
            (text.tables if label in _WITHOUT_ORDER else text.prose).append(part)
    for page, part in besides:
        texts[page].besides.append(part)
    return texts


def compare_pages(
    records: Sequence[PageRecord], texts: dict[int, LaidText], rebuilt: frozenset[int]
) -> tuple[PageFidelity, ...]:
    """Fidelity of each page that has an independent reading. Words in other directions than the
    text count as stored: they are labels of figures or stand in the margin."""
    compared = []
    for record in records:
        readings = [r for r in (record.plain_text, record.turned_text) if r.strip()]
        if not readings:
            continue
        text = texts.get(record.page) or LaidText([], [], [])
        text = text._replace(besides=[*text.besides, *(w.text for w in record.rotated_words)])
        fidelity = max(
            (compare_page(record.page, r, *_as_read(text, r)) for r in readings),
            key=attrgetter("least"),
        )
        compared.append(
            fidelity.model_copy(
                update={
                    "undecodable": undecodable_share([*text.prose, *text.tables]),
                    "rebuilt": record.page in rebuilt,
                }
            )
        )
    return tuple(compared)


def _as_read(text: LaidText, reading: str) -> LaidText:
    """The text with its scripts at their words or apart from them, as the ``reading`` has them."""
    known = frozenset(words_of(reading))

    def apart(part: str) -> str:
        return scripts_apart(part, lambda word: not known.isdisjoint(words_of(word)))

    return LaidText(*([*map(apart, parts)] for parts in text))


def _parts(joined: JoinedText) -> Iterator[tuple[int, str]]:
    """Page and text of each run of lines on one page."""
    for page, lines in groupby(joined.lines, key=attrgetter("page")):
        first, *rest = lines
        yield page, joined.text[first.start : (rest or [first])[-1].end]
