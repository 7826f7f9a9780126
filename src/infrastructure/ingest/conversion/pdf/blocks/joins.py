"""What joins and orders blocks: paragraphs across columns, depth of lists, masthead, grids."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from citeloom.domain.documents.conversion import BlockLabel
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    REFERENCE_LABEL,
    SENTENCE_END,
    roman,
)
from citeloom.infrastructure.ingest.conversion.pdf.page_record import centre_inside
from citeloom.infrastructure.ingest.conversion.pdf.tables.grids import (
    Grid,
    Strokes,
    parts_of,
    ruled_grid,
)
from citeloom.infrastructure.ingest.conversion.pdf.tables.tables import TableRegion
from citeloom.infrastructure.ingest.conversion.pdf.tables.unruled_grid import unruled_grid
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import is_monospaced

from .blocks import BlockDraft, breaks_word, ends_broken

PICTURE = 4.0  # heights from line to line: less white space parts paragraphs and holds no picture
NEXT, FULL = 1.7, 3  # heights from a line to the next; words of a line of a sentence
LABEL_WORDS = 3  # most words in a line of a label, on average
NOTE = 0.93  # times the size of the text: a note that nothing else tells
FURTHEST = 12  # blocks between the two parts of a word, or a listing and its caption
_WORD = re.compile(r"[^\W\d_]{2}")  # what has none, as a bracket of a program, is not a paragraph
_JOINABLE = (BlockLabel.TEXT, BlockLabel.LIST_ITEM, BlockLabel.REFERENCE)


def join_paragraphs(drafts: Sequence[BlockDraft]) -> list[BlockDraft]:
    """Paragraphs joined with their continuation in the next column or page; floating blocks
    between (footnotes, captions, tables, listings with a caption, authors) follow the joined
    paragraph."""
    joined: list[BlockDraft] = []
    open_at: int | None = None
    for at, draft in enumerate(drafts):
        before = joined[open_at] if open_at is not None else None
        floats = draft.floating or draft.label == BlockLabel.AUTHORS or _has_caption(drafts, at)
        if floats or (before and _is_between(before, drafts[at : at + FURTHEST])):
            joined.append(draft)
            continue
        parted = open_at is not None and len(joined) - 1 > open_at
        if before is not None and open_at is not None and _continues(before, draft, parted):
            joined[open_at] = before._replace(
                lines=before.lines + draft.lines,
                column=draft.column,
                ends_short=draft.ends_short,
            )
            continue
        joined.append(draft)
        open_at = len(joined) - 1
    return joined


def _has_caption(drafts: Sequence[BlockDraft], at: int) -> bool:
    """Whether a block of code is above or below its caption, with code alone between."""
    code = drafts[at]
    if code.label != BlockLabel.CODE:
        return False
    sides = drafts[max(0, at - FURTHEST) : at][::-1], drafts[at + 1 : at + FURTHEST]
    ends = (next((one for one in side if one.label != code.label), code) for side in sides)
    return any(one.label == BlockLabel.CAPTION and one.column == code.column for one in ends)


def _is_between(before: BlockDraft, following: Sequence[BlockDraft]) -> bool:
    """Whether a later block than the next continues ``before``: it has the rest of its last word,
    and only labels of a figure, a listing or notes are between; or it is in another column, and
    only notes are between."""
    last = before.lines[-1]
    if before.label not in _JOINABLE or SENTENCE_END.search(last.text):
        return False
    notes = next((k for k, one in enumerate(following) if not _is_note(one, before)), 0)
    after = following[notes]
    if notes and after.column != before.column and after.lines[0].text[:1].islower():
        return after.label == BlockLabel.TEXT
    if not ends_broken(last):
        return False
    rest = next((at for at, one in enumerate(following) if _has_rest(last, one)), None)
    return bool(rest) and all(_is_label(one) or _is_note(one, before) for one in following[:rest])


def _is_note(draft: BlockDraft, before: BlockDraft) -> bool:
    """Whether a block stands in smaller type at the end of the column of another one."""
    size = NOTE * before.lines[-1].size
    return draft.column == before.column and all(line.size < size for line in draft.lines)


def _is_label(draft: BlockDraft) -> bool:
    words = sum(len(line.text.split()) for line in draft.lines)
    return draft.label not in _JOINABLE or words <= LABEL_WORDS * len(draft.lines)


def _has_rest(last: TextLine, draft: BlockDraft) -> bool:
    return draft.label == BlockLabel.TEXT and breaks_word(last, draft.lines[0])


def _continues(before: BlockDraft, after: BlockDraft, parted: bool) -> bool:
    """Whether ``after`` continues ``before``. ``parted``: a floating block is between them."""
    if before.label not in _JOINABLE or not any(_WORD.search(one.text) for one in before.lines):
        return False
    last, first = before.lines[-1], after.lines[0]
    if abs(last.size - first.size) > 0.1 * max(last.size, first.size):
        return False
    text = first.text.lstrip("\"'(\u201c\u2018[")
    lower = text[:1].islower()
    if breaks_word(last, first):
        return after.label in (before.label, BlockLabel.TEXT, BlockLabel.FORMULA)
    if ends_broken(last):
        return False
    pictured = first.base - last.base > PICTURE * last.size and before.label == after.label
    if before.column == after.column and not (parted or pictured):
        return lower and _WORD.match(text) is not None and _runs_on(before, after)
    if after.label != before.label and after.label != BlockLabel.TEXT:
        return False
    if before.column == after.column:
        return lower and not (before.ends_short or SENTENCE_END.search(last.text))
    if before.label == BlockLabel.REFERENCE:
        return not REFERENCE_LABEL.match(first.text) and (
            lower or not SENTENCE_END.search(last.text)
        )
    if before.label == BlockLabel.LIST_ITEM and _hangs_on(before, after):
        return True
    if SENTENCE_END.search(last.text):
        return (
            not before.ends_short
            and not after.begins_indented
            and (
                before.label == after.label == BlockLabel.TEXT
                and len(before.lines) > 1
                and len(after.lines) > 1
                and not last.text.endswith(":")
            )
        )
    return lower or not (before.ends_short and after.begins_indented)


def _runs_on(before: BlockDraft, after: BlockDraft) -> bool:
    """Whether the next line has the rest of a sentence that fills the line above."""
    last, first = before.lines[-1], after.lines[0]
    return (
        after.label == BlockLabel.TEXT
        and not (before.ends_short or SENTENCE_END.search(last.text))
        and 0 < first.base - last.base < NEXT * last.size
        and min(len(last.text.split()), len(first.text.split())) >= FULL
    )


def _hangs_on(item: BlockDraft, after: BlockDraft) -> bool:
    """Whether a paragraph at the top of a column has the hanging indent of a list item."""
    return (
        after.label == BlockLabel.TEXT
        and item.hang is not None
        and item.hang > item.indent + 3.0
        and abs(after.indent - item.hang) < 2.0
        and not item.ends_short
    )


STEP = 0.6  # least difference in indent between levels, in line heights
ALIGNED = 2.0  # greatest difference in indent of numbers set flush right, in line heights
DEEPEST = 6

_NUMBER = re.compile(r"^(?P<open>\(?)(?P<number>\d{1,2}|[A-Za-z]|[ivxIVX]{2,5})(?P<close>[.)])")


class _Mark(NamedTuple):
    """The label of an item: ``style`` is a bullet, or the form of its number."""

    style: str
    value: int = 0


class _Level(NamedTuple):
    indent: float
    marks: tuple[_Mark, ...]


def with_list_depths(drafts: Sequence[BlockDraft]) -> list[BlockDraft]:
    """The drafts with ``depth`` set on list items, 1 for the outermost, and on blocks between
    them that do not end the list: formulas, floating blocks, and paragraphs indented like an
    item's text."""
    open_: list[_Level] = []
    with_depths: list[BlockDraft] = []
    for draft in drafts:
        if draft.label == BlockLabel.LIST_ITEM:
            open_ = _open_levels(open_, draft)
            with_depths.append(draft._replace(depth=min(len(open_), DEEPEST)))
            continue
        inside = open_ and draft.indent > open_[0].indent + STEP * draft.lines[0].size
        if not (draft.floating or draft.label == BlockLabel.FORMULA or inside):
            open_ = []
        with_depths.append(draft._replace(depth=min(len(open_), DEEPEST)))
    return with_depths


def _open_levels(open_: list[_Level], item: BlockDraft) -> list[_Level]:
    size = item.lines[0].size
    marks = tuple(_marks(item.lines[0].text))
    level = _Level(item.indent, marks)
    for depth in range(len(open_), 0, -1):
        open_level = open_[depth - 1]
        shift = item.indent - open_level.indent
        if _follows(marks, open_level.marks) and abs(shift) < ALIGNED * size:
            nested = depth < len(open_) and shift > STEP * size
            if not nested:
                return [
                    *open_[: depth - 1],
                    level._replace(indent=min(open_level.indent, item.indent)),
                ]
    while open_ and item.indent < open_[-1].indent - STEP * size:
        open_ = open_[:-1]
    if open_ and item.indent < open_[-1].indent + STEP * size:
        return [*open_[:-1], level]
    return [*open_, level]


def _marks(text: str) -> Iterator[_Mark]:
    """Every reading of an item's label: ``i.`` may be a letter or one."""
    match = _NUMBER.match(text)
    if match is None:
        yield _Mark(text[:1])
        return
    shape = f"{match['open']}%s{match['close']}"
    number = match["number"]
    if number.isdigit():
        yield _Mark(shape % "1", int(number))
        return
    case = "a" if number.islower() else "A"
    if len(number) == 1:
        yield _Mark(shape % case, ord(number.lower()) - ord("a") + 1)
    value = roman(number.upper())
    if value is not None:
        yield _Mark(shape % ("i" if case == "a" else "I"), value)


def _follows(marks: Sequence[_Mark], before: Sequence[_Mark]) -> bool:
    """Whether a numbered item directly follows another."""
    return any(m.style == b.style and m.value == b.value + 1 for m in marks for b in before)


_DETAIL = re.compile(
    r"\d|\b(?:journal|proceedings|volume|issue|issn|open access|copyright)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"[a-z]{3,}[.!?](?:\s|$)")
LONGEST = 30  # words


def without_masthead(drafts: Sequence[BlockDraft]) -> tuple[list[BlockDraft], list[TextLine]]:
    """The drafts without the masthead, and the lines of the masthead."""
    at = next((i for i, draft in enumerate(drafts) if draft.label == BlockLabel.TITLE), 0)
    size = max((line.size for line in drafts[at].lines), default=0.0) if drafts else 0.0
    masthead = [draft for draft in drafts[:at] if _is_masthead(draft, size)]
    without = [draft for draft in drafts if not any(draft is other for other in masthead)]
    return without, [line for draft in masthead for line in draft.lines]


def _is_masthead(draft: BlockDraft, title_size: float) -> bool:
    text = " ".join(line.text for line in draft.lines)
    return (
        draft.label == BlockLabel.TEXT
        and all(line.size < title_size for line in draft.lines)
        and len(text.split()) <= LONGEST
        and _DETAIL.search(text) is not None
        and _SENTENCE.search(text) is None
    )


FORMULAS = 0.4  # share of the characters in fonts for mathematics above which there is no table
MATHS = 0.3  # share of the characters in fonts for mathematics above which it is a matrix
RELATED = 0.9  # share of a derivation's lines that have a relation
NUMBERS = 0.2  # share of a table's cells that are numbers, formulas beside them or not
NUMBERED, LEAST_NUMBERED = 0.6, 3  # share and number of a listing's lines with their number
_RELATION = re.compile(r"(?:^|(?<=\S ))[=<>≤≥≡≈∼≃≅⊆⊂∈→⇒⊢](?= \S)")
_OPEN = re.compile(r"(?:^|[\s=])[(\[{]$")  # a bracket before the rows that it holds
_AMOUNT = re.compile(r"[-+−]?\d[\d.,]*%?")
_SIGNS = re.compile(r"[.·⋮…⏞⏟ ]{1,6}")  # above the line of a derivation, below a term; no leader
SKIPPED, PROGRAM = 3, 0.3  # between its numbers; share of its lines with a word of a program
TYPED = 0.8  # share of the lines of a listing in typewriter type
_LINE_NUMBER = re.compile(r"(\d{1,3})(:?)(?:\s|$)")
_PROGRAM = re.compile(r"\b(?:if|then|else|while|for|do|return|end|function)\b|←|:=|//")


def with_table_grids(
    drafts: Sequence[BlockDraft], regions: Sequence[TableRegion]
) -> list[BlockDraft]:
    """The blocks, with the grid of each table with certain cells. A listing or formulas that
    looked like a table without certain cells become a block of their own kind, formulas unless the
    caption of a table is beside them."""
    above, below = [None, None, *drafts], [*drafts, None, None]
    return [
        _as_read(draft, regions, _names(*above[i : i + 2]) or _names(*below[i + 2 : i : -1]))
        if draft.label == BlockLabel.TABLE
        else draft
        for i, draft in enumerate(drafts)
    ]


def _names(beyond: BlockDraft | None, caption: BlockDraft | None) -> bool:
    """Whether a caption is that of a table, and not of the one beyond it."""
    return (
        caption is not None
        and caption.label == BlockLabel.CAPTION
        and caption.lines[0].text[:3].lower() == "tab"
        and (beyond is None or beyond.label != BlockLabel.TABLE)
    )


def _as_read(draft: BlockDraft, regions: Sequence[TableRegion], captioned: bool) -> BlockDraft:
    if _is_listing(draft.lines):
        return draft._replace(label=BlockLabel.CODE)
    if any(_OPEN.search(piece.text) for line in draft.lines for piece in line.pieces):
        return draft._replace(label=BlockLabel.FORMULA)  # a matrix, cases
    if not any(char.isalnum() for line in draft.lines for char in line.text):
        return draft._replace(label=BlockLabel.FORMULA)  # the points of a plot
    strokes = _strokes_at(draft.lines, regions)
    grid = grid_of(draft.lines, strokes)
    typed = sum(is_monospaced(line.font) for line in draft.lines) >= TYPED * len(draft.lines)
    if grid is None and typed and not strokes.horizontal:
        return draft._replace(label=BlockLabel.CODE)
    if grid is None and not captioned and _are_formulas(draft.lines):
        return draft._replace(label=BlockLabel.FORMULA)
    return draft._replace(grid=grid)


def _is_listing(lines: Sequence[TextLine]) -> bool:
    """Whether most lines begin with their number, as an algorithm's do, with a colon behind it or
    words of programs in the lines. Comments and empty lines are not numbered or not printed."""
    found = [match for line in lines if (match := _LINE_NUMBER.match(line.text))]
    rises = sum(0 < int(b[1]) - int(a[1]) <= SKIPPED for a, b in pairwise(found))
    words = sum(_PROGRAM.search(line.text) is not None for line in lines)
    return rises + 1 >= max(LEAST_NUMBERED, NUMBERED * len(lines)) and (
        all(match[2] for match in found) or words >= PROGRAM * len(lines)
    )


def _are_formulas(lines: Sequence[TextLine]) -> bool:
    """Whether lines are mathematics with few cells of numbers, or each has a relation: a proof, a
    derivation with its reasons, cases; or several begin and end with dots or braces: premises."""
    ends = [{line.pieces[0].text, line.pieces[-1].text} for line in lines]
    signs = sum(all(map(_SIGNS.fullmatch, of_line)) for of_line in ends)
    cells = [piece.text for line in lines for piece in line.pieces]
    numbers = sum(_AMOUNT.fullmatch(cell) is not None for cell in cells)
    if numbers > NUMBERS * len(cells):
        return False
    if signs > 1:
        return True
    related = sum(_RELATION.search(line.text) is not None for line in lines)
    return _maths(lines) > FORMULAS or related >= RELATED * len(lines)


def _strokes_at(lines: Sequence[TextLine], regions: Sequence[TableRegion]) -> Strokes:
    for region in regions:
        inside = [ln for ln in lines if centre_inside(ln.box, region.box, 1.0)]
        if region.page == lines[0].page and 2 * len(inside) > len(lines):
            return region.strokes
    return Strokes()


def grid_of(lines: Sequence[TextLine], strokes: Strokes) -> Grid | None:
    """The grid of a table; None where its cells are uncertain."""
    parts = [line for line in parts_of(lines) if line]
    if len(parts) < 2 or (_maths(lines) > MATHS and not strokes.horizontal):
        return None
    return ruled_grid(parts, strokes) or unruled_grid(parts, strokes)


def _maths(lines: Sequence[TextLine]) -> float:
    """The share of the characters of lines in fonts for mathematics."""
    return sum(len(line.text) * line.maths for line in lines) / sum(len(ln.text) for ln in lines)
