"""Segmentation of a document's reference list into entries.

Entries are found among the rows of the section (physical lines in paged documents): the
converter's blocks help, but may split an entry, join several, or be tables. Numbered and keyed
lists are split at labels; others at the hanging indent, else at blocks.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from pydantic import Field

from citeloom.domain.documents.conversion import ConversionResult
from citeloom.domain.documents.spans import CharSpan, PageSpan
from citeloom.domain.references.entries.entry import KEY, NUMBER, parse_entry
from citeloom.domain.references.entries.printed_rows import (
    BEGINS,
    COMPLETE,
    HAS_YEAR,
    PrintedRow,
    printed_rows,
)
from citeloom.domain.references.entries.sections import reference_sections, unmarked_list
from citeloom.domain.value import Value

# Starts of continuation rows.
_CONTINUATION = re.compile(
    r"[a-zß-öø-ÿ(,;:&]|\d+\s?[-–:(]|https?:|doi\b|10\.\d{4}|arXiv|URL\b|Retrieved|Available"
)
READER_VERSION = 1
"""Raised when other works are read of the same document: stored lists are then read anew."""
_LEAST_WORKS = 3
"""Number of works that make a list without a heading."""
_LOOKAHEAD_ROWS = 5
"""Number of rows from the first in which an entry's date may be."""
_ALIGNMENT_TOLERANCE = 2.0
"""Maximum difference of aligned left edges, in points."""


class CitedWork(Value):
    """An entry of the reference list.

    ``text`` is on one line, dehyphenated; ``span`` are offsets in the document's text.
    ``label`` is the number or key of in-text citations; ``author`` the first author's family
    name, or an organisation, ``authors`` all names as written; ``page`` are the work's pages in
    its container (``793-799``), ``pages`` those of the list. Fields that could not be parsed are
    None.
    """

    text: str
    span: CharSpan
    pages: PageSpan | None = None
    label: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    year: int | None = Field(default=None, ge=1500, le=2099)
    author: str | None = None
    authors: tuple[str, ...] = ()
    title: str | None = None
    container_title: str | None = None
    page: str | None = None


def cited_works(document: ConversionResult) -> tuple[CitedWork, ...]:
    """The cited works in the order of the reference list."""
    works: list[CitedWork] = []
    for section in reference_sections(document.blocks, document):
        works += _works(printed_rows(section, document))
    return tuple(works) or _unmarked_works(document)


def works_in_text(text: str) -> tuple[CitedWork, ...]:
    """The cited works of a reference list in plain text. Empty lines, labels and indented lines
    tell the entries apart; in a list without them each line that begins anew is one."""
    rows: list[PrintedRow] = []
    apart = bool(re.search(r"\n\s*\n", text.strip()))
    opens, before = True, ""
    for match in re.finditer(r"[^\n]+|\n[ \t]*(?=\n)", text):
        line = match[0].strip()
        if not line:
            opens = True
            continue
        indented = match[0][:1].isspace() and not opens
        labelled = bool(NUMBER.match(line) or KEY.match(line))
        opens |= labelled or (not apart and not indented and bool(COMPLETE.search(before)))
        rows.append(PrintedRow(match.start(), match.end(), line, opens, is_entry=True))
        opens, before = False, line
    return _works(rows)


def _unmarked_works(document: ConversionResult) -> tuple[CitedWork, ...]:
    """The works of a list without a heading, if most of it are entries with a date."""
    rows = unmarked_list(document)
    works = _works(rows)
    dated = sum(work.year is not None for work in works)
    return works if len(works) >= _LEAST_WORKS and 2 * dated >= len(works) else ()


def _works(rows: Sequence[PrintedRow]) -> tuple[CitedWork, ...]:
    return tuple(work for entry in _entries(rows) if (work := _parse_rows(entry)) is not None)


def _entries(rows: Sequence[PrintedRow]) -> Iterator[list[PrintedRow]]:
    """The rows of each entry."""
    begins = _beginnings(rows)
    entry: list[PrintedRow] = []
    for row, begin in zip(rows, begins, strict=True):
        if begin:
            if entry:
                yield entry
            entry = [row]
        elif entry and (begin is False or _continues(row, entry)):
            entry.append(row)
    if entry:
        yield entry


def _beginnings(rows: Sequence[PrintedRow]) -> list[bool | None]:
    """For each row whether it begins an entry (True), continues one (False), or None: it begins
    none and may belong to none."""
    opening = [row for row in rows if row.opens and row.is_entry]
    numbers = [row for row in opening if NUMBER.match(row.text)]
    keys = [row for row in opening if KEY.match(row.text)]
    if opening and 2 * len(numbers) >= len(opening) and len(numbers) >= len(keys):
        return list(_at_numbers(rows))
    if opening and 2 * len(keys) >= len(opening):
        return [bool(KEY.match(row.text)) or None for row in rows]
    indent = _hanging_indent(rows)
    return list(_at_margin(rows, indent) if indent else _at_blocks(rows))


def _at_numbers(rows: Sequence[PrintedRow]) -> Iterator[bool | None]:
    """A row begins an entry if its number is the next one; at the start of a block a few numbers
    may be missing."""
    last: int | None = None
    for row in rows:
        match = NUMBER.match(row.text)
        number = int(next(g for g in match.groups() if g)) if match else None
        begins = number is not None and (
            number == (last or 0) + 1
            or (row.opens and row.is_entry and (last is None or last < number <= last + 5))
        )
        if begins:
            last = number
        yield begins or None


def _hanging_indent(rows: Sequence[PrintedRow]) -> float | None:
    """Hanging indent in points; None if most entries have none."""
    shifts = [
        second.left - first.left
        for first, second in pairwise(rows)
        if first.opens and first.is_entry and not second.opens and first.page == second.page
        and first.page is not None and abs(second.left - first.left) < 60
    ]  # fmt: skip
    indented = [shift for shift in shifts if shift > _ALIGNMENT_TOLERANCE]
    return median(indented) if indented and 2 * len(indented) > len(shifts) else None


def _at_margin(rows: Sequence[PrintedRow], indent: float) -> Iterator[bool | None]:
    margins: dict[int | None, list[float]] = {}
    for first, second in pairwise(rows):
        shift = second.left - first.left
        if (
            first.is_entry
            and first.opens
            and first.page == second.page
            and abs(shift - indent) < _ALIGNMENT_TOLERANCE
        ):
            margins.setdefault(first.page, []).append(first.left)
    before = ""
    begins: bool | None
    for row in rows:
        edges = margins.get(row.page, [])
        if any(abs(row.left - edge) <= _ALIGNMENT_TOLERANCE for edge in edges):
            begins = True
        elif any(abs(row.left - edge - indent) <= _ALIGNMENT_TOLERANCE for edge in edges):
            begins = False
        else:
            begins = (row.is_entry and row.opens and _begins_anew(row.text, before)) or None
        before = row.text if begins else f"{before} {row.text}"
        yield begins


def _at_blocks(rows: Sequence[PrintedRow]) -> Iterator[bool | None]:
    before = ""
    for at, row in enumerate(rows):
        ahead = " ".join(following.text for following in rows[at : at + _LOOKAHEAD_ROWS])
        if row.opens and row.is_entry:
            begins = _begins_anew(ahead, before)
        else:
            over = bool(HAS_YEAR.search(before) and COMPLETE.search(before))
            begins = over and bool(BEGINS.match(ahead))
        before = row.text if begins else f"{before} {row.text}"
        yield begins or None


def _begins_anew(text: str, before: str) -> bool:
    return not before or not _CONTINUATION.match(text) or bool(BEGINS.match(text))


def _continues(row: PrintedRow, entry: Sequence[PrintedRow]) -> bool:
    """Whether a row continues ``entry``; a row of a block that is no entry only if the entry is
    incomplete or the row is a continuation."""
    if row.is_entry or not row.opens:
        return row.is_entry or entry[-1].end <= row.start <= entry[-1].end + 2 or row.page is None
    return not COMPLETE.search(entry[-1].text) or bool(_CONTINUATION.match(row.text))


def _parse_rows(entry: Sequence[PrintedRow]) -> CitedWork | None:
    text = entry[0].text
    for before, row in pairwise(entry):
        if before.end == row.start:
            text += row.text
        elif (
            row.start > before.end + 1 and re.search(r"[^\W\d_]-$", text) and row.text[:1].islower()
        ):
            text = text[:-1] + row.text
        else:
            text += f"\n{row.text}"
    facts = parse_entry(text)
    if not (facts.dated or facts.doi or facts.arxiv_id or facts.label):
        return None
    return CitedWork(
        text=" ".join(text.split()),
        span=CharSpan(start=entry[0].start, end=entry[-1].end),
        pages=PageSpan.covering(row.page for row in entry if row.page is not None),
        **facts.model_dump(exclude={"dated"}),
    )
