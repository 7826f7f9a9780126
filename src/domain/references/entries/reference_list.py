"""Where a document's reference list is, and its segmentation into entries.

Entries are found among the rows of the section (physical lines in paged documents): the converter's
blocks help, but may split an entry, join several, or be tables. Numbered and keyed lists are split
at labels; others at the hanging indent, else at blocks.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from pydantic import Field

from citeloom.domain.documents.conversion import Block, BlockLabel, ConversionResult
from citeloom.domain.documents.spans import CharSpan, PageSpan
from citeloom.domain.value import Value

from .entry import KEY, NUMBER, parse_entry

PROSE = frozenset({BlockLabel.TEXT, BlockLabel.LIST_ITEM})
_CELL = " | "
COMPLETE = re.compile(r"(?:[.)\]]|\d|https?://\S+|10\.\d{4,9}/\S+)$")
HAS_YEAR = re.compile(r"\b(?:1[5-9]|20)\d{2}[a-z]?\b|n\.\s?d\.")
BEGINS = re.compile(
    r"(?:(?:v[ao]n|den|der|de|del|della|di|da|dos|du|la|le|el|al|ter|ten)\s){0,2}"
    r"(?:[^\W\d_a-z][\w’'‘-]*[ -]){0,3}[^\W\d_a-z][\w’'‘-]*,\s(?:[^\W\d_a-z]\.[\s-]?)+"
    r"[^()]{0,400}?\((?:1[5-9]|20)\d{2}"
    r"|[\w&-]+(?:\s[\w&-]+){0,5}\.\s\((?:1[5-9]|20)\d{2}"
)
_FUSED_AUTHORS = re.compile(rf"(?<=[.\w/])\s+(?={BEGINS.pattern})")
_FUSED_NUMBERS = re.compile(r"\s+(?=\[(\d{1,4})\]\s)")


class PrintedRow(NamedTuple):
    """A line of the section. ``opens`` a block; ``own``: of a block that is an entry."""

    start: int
    end: int
    text: str
    opens: bool
    is_entry: bool
    page: int | None = None
    left: float = 0.0


def printed_rows(section: Sequence[Block], document: ConversionResult) -> list[PrintedRow]:
    labelled = any(block.label == BlockLabel.REFERENCE for block in section)
    rows: list[PrintedRow] = []
    for block in section:
        is_entry = block.label == BlockLabel.REFERENCE or (not labelled and block.label in PROSE)
        places: list[tuple[int, int, int | None, float]] = [
            (line.start, line.end, line.page, line.bbox[0]) for line in block.lines
        ] or [(start, end, None, 0.0) for start, end in _unpaged(block, document)]
        for at, (start, end, page, left) in enumerate(places):
            text = document.plain_text[start:end].replace(_CELL, " ")
            opens = at == 0 or page is None
            rows.append(PrintedRow(start, end, text, opens, is_entry, page, left))
    return rows


def _unpaged(block: Block, document: ConversionResult) -> Iterator[tuple[int, int]]:
    """Offsets of the entries of a block without lines."""
    start, text = block.span.start, document.text_of(block.span)
    cuts = {match.end() for match in re.finditer(r"\n\s*", text)}
    expected: int | None = None
    if first := NUMBER.match(text):
        expected = int(next(g for g in first.groups() if g)) + 1
    for match in _FUSED_NUMBERS.finditer(text):
        if int(match[1]) == expected:
            cuts.add(match.end())
            expected += 1
    if first is None:
        for match in _FUSED_AUTHORS.finditer(text):
            last = max((cut for cut in cuts if cut < match.end()), default=0)
            before = text[last : match.start()]
            if HAS_YEAR.search(before) and COMPLETE.search(before):
                cuts.add(match.end())
    for begin, end in pairwise([0, *sorted(cuts), len(text)]):
        piece = text[begin:end]
        if piece.strip():
            yield start + begin, start + begin + len(piece.rstrip())


_TITLES = frozenset(
    """
    references|reference|bibliography|literature|literature cited|works cited|cited works
    |references cited|references and notes|notes and references|notes & references
    |references & notes|sources|reference list
    |cited literature|selected bibliography|literatur|literaturverzeichnis|quellen
    |quellenverzeichnis|bibliographie|références|références bibliographiques|referencias
    |referencias bibliográficas|bibliografía|referências|referências bibliográficas
    |bibliografia|riferimenti bibliografici|riferimenti|literatuur|referenties|referenser
    |referanser|litteratur|kirjallisuus|lähteet|литература|список литературы|参考文献|文献|참고문헌
""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)
_NUMBERING = re.compile(r"^\W*(?:(?:appendix\s+)?(?:\d+(?:\.\d+)*|[a-z]|[ivxlc]+)[.:)]?\s+)?")
_ENTRY_LABELS = frozenset(
    {
        BlockLabel.REFERENCE,
        BlockLabel.TEXT,
        BlockLabel.LIST_ITEM,
        BlockLabel.TABLE,
        BlockLabel.CODE,
        BlockLabel.FOOTNOTE,
        BlockLabel.FORMULA,
    }
)
_BRACKETED = re.compile(r"\[(\d{1,4})\]\s*(?=\S)")
_LEAST_LABELS = 3
_LONGEST_ENTRY = 4_000  # characters
_SKIPPED = 3
"""Number of labels in a row that may have been lost."""


def is_reference_section(title: str) -> bool:
    plain = " ".join(title.casefold().split()).rstrip(" .:")
    return plain in _TITLES or _NUMBERING.sub("", plain, count=1) in _TITLES


def reference_sections(
    blocks: Sequence[Block], document: ConversionResult
) -> Iterator[list[Block]]:
    """Blocks of each reference section, and entries outside of any."""
    section: list[Block] = []
    inside: int | None = None
    for block in blocks:
        if block.level is not None:
            if inside is None or block.level <= inside:
                inside = block.level if is_reference_section(document.text_of(block.span)) else None
                if section:
                    yield section
                section = []
        elif block.label == BlockLabel.REFERENCE or (
            inside is not None and block.label in _ENTRY_LABELS
        ):
            section.append(block)
    if section:
        yield section


def unmarked_list(document: ConversionResult) -> list[PrintedRow]:
    """The rows of the last list without a heading block: below a line of text that is such a
    heading, or with bracketed labels from ``[1]`` on. Empty without one."""
    for prose in reversed(list(_between_headings(document.blocks))):
        rows = [
            row._replace(opens=row.opens or bool(_BRACKETED.match(row.text) or KEY.match(row.text)))
            for row in printed_rows(prose, document)
        ]
        titles = [at for at, row in enumerate(rows) if is_reference_section(row.text)]
        if begin := (titles[-1] + 1 if titles else 0) or _first_label(rows):
            return rows[begin - 1 if not titles else begin :]
    return []


def _between_headings(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    prose: list[Block] = []
    for block in blocks:
        if block.level is not None:
            yield prose
            prose = []
        elif block.label in PROSE:
            prose.append(block)
    yield prose


def _first_label(rows: Sequence[PrintedRow]) -> int:
    """The position from 1 of the last row ``[1]`` that increasing labels follow; else 0."""
    labels = [
        (at, int(match[1])) for at, row in enumerate(rows) if (match := _BRACKETED.match(row.text))
    ]
    for begin in range(len(labels) - 1, -1, -1):
        at, number = labels[begin]
        count = 1
        for _, following in labels[begin + 1 :]:
            if number < following <= number + _SKIPPED:
                number, count = following, count + 1
        if labels[begin][1] == 1 and count >= _LEAST_LABELS:
            return at + 1
    return 0


# Starts of continuation rows.
_CONTINUATION = re.compile(
    r"[a-zß-öø-ÿ(,;:&]|\d+\s?[-–:(]|https?:|doi\b|10\.\d{4}|arXiv|URL\b|Retrieved|Available"
)
READER_VERSION = 1
"""Raised when other works are read of the same document: stored lists are then read again."""
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
    tell the entries apart; in a list without them each unindented line is one."""
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
    """For each row whether it begins an entry (True), continues one (False), or is undecided
    (None)."""
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
        before = row.text if begins else f"{before} {row.text}"[-_LONGEST_ENTRY:]
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
        before = row.text if begins else f"{before} {row.text}"[-_LONGEST_ENTRY:]
        yield begins or None


def _begins_anew(text: str, before: str) -> bool:
    return not before or not _CONTINUATION.match(text) or bool(BEGINS.match(text))


def _continues(row: PrintedRow, entry: Sequence[PrintedRow]) -> bool:
    """Whether a row continues ``entry``; a row of a block that is not an entry only if the entry is
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
