"""The PDF's outline, lines of tables of contents, and lines of bibliographies."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    CONTENTS_HEADINGS,
    REFERENCE_HEADINGS,
    numbering_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

SOUND = 0.5  # share of the entries that must be found for the outline to be believed
LONGEST = 4  # lines of a heading


class OutlineEntry(NamedTuple):
    """A bookmark: level from 1; page from 1, None without a target."""

    title: str
    level: int
    page: int | None


class OutlineMatch(NamedTuple):
    """The lines ``first`` to ``last`` (included) are the heading of an outline entry."""

    first: int
    last: int
    level: int


def match_outline(
    entries: Sequence[OutlineEntry], flow: Sequence[PlacedLine]
) -> tuple[list[OutlineMatch], bool]:
    """Matches in document order, and whether enough entries match to trust the outline. Where all
    other entries are below the first, it is the title: their levels begin with 1, too."""
    deeper = min(entry.level for entry in entries[1:]) - 1 if len(entries) > LEAST else 0
    by_page: dict[int, list[int]] = {}
    for i, placed in enumerate(flow):
        by_page.setdefault(placed.line.page, []).append(i)
    used: set[int] = set()
    matches: list[OutlineMatch] = []
    for entry in entries:
        lines = _match_entry(entry, flow, by_page, used)
        if lines is not None:
            used.update(range(lines[0], lines[1] + 1))
            matches.append(OutlineMatch(*lines, max(1, entry.level - deeper)))
    sound = bool(entries) and len(matches) >= SOUND * len(entries)
    return sorted(matches), sound


def _match_entry(
    entry: OutlineEntry,
    flow: Sequence[PlacedLine],
    by_page: dict[int, list[int]],
    used: set[int],
) -> tuple[int, int] | None:
    spellings = _spellings(entry.title)
    if not spellings:
        return None
    pages = [entry.page, entry.page + 1, entry.page - 1] if entry.page else sorted(by_page)
    candidates: list[tuple[float, int, int]] = []
    for page in pages:
        for i in by_page.get(page, ()):
            last = _last_line(i, flow, spellings)
            if last is not None and not used & set(range(i, last + 1)):
                line = flow[i].line
                candidates.append((-(line.size + (3.0 if line.bold else 0.0)), i, last))
        if candidates:
            _, first, last = min(candidates)
            return first, last
    return None


def _spellings(title: str) -> set[str]:
    numbered = numbering_of(title)
    forms = {squash(title)}
    if numbered is not None:
        forms.add(squash(numbered.title))
    return {form for form in forms if len(form) >= 2}


def _last_line(first: int, flow: Sequence[PlacedLine], spellings: set[str]) -> int | None:
    """Last line of a heading from ``first`` on that is one of ``spellings``; None without one."""
    longest = max(map(len, spellings)) + 8
    text = ""
    for last in range(first, min(first + LONGEST, len(flow))):
        if flow[last].column != flow[first].column:
            break
        text = f"{text} {flow[last].line.text}".strip()
        if len(squash(text)) > longest:
            break
        if _spellings(text) & spellings:
            return last
    return None


LEAST = 3  # entries
_LONGEST = 3  # lines of an entry
LARGER_TYPE = 1.08  # times the text's size
_LEADER = re.compile(r"(?:[.\u00b7\u2026]\s*){4,}(?:\d{1,4}|[ivxl]{1,6})?$")
_PAGED = re.compile(r"\s(?P<page>\d{1,4}|[ivxl]{1,6})$")


def contents_lines(flow: Sequence[PlacedLine]) -> frozenset[int]:
    """Lines of contents entries: with leaders, or with page numbers below a heading
    *Contents*."""
    contents: set[int] = set()
    i = 0
    while i < len(flow):
        titled = squash(flow[i].line.text) in CONTENTS_HEADINGS
        begin = i + 1 if titled else i
        if not titled and not _LEADER.search(flow[i].line.text):
            i += 1
            continue
        entries, end = _entries(flow, begin)
        with_leaders = sum(_LEADER.search(flow[k].line.text) is not None for k in entries)
        sound = len(entries) >= LEAST and (titled or 2 * with_leaders >= len(entries))
        if sound:
            contents.update(range(begin, end))
        i = max(end if sound else begin, i + 1)
    return frozenset(contents)


def _entries(flow: Sequence[PlacedLine], begin: int) -> tuple[list[int], int]:
    """Last line of each entry from ``begin`` on, as long as page numbers do not decrease; and
    the line after the last entry."""
    entries: list[int] = []
    end = at = begin
    before = 0
    while at < len(flow) and at - end < _LONGEST:
        text = flow[at].line.text
        match = _PAGED.search(text)
        page = int(match["page"]) if match and match["page"].isdigit() else before
        if page < before:
            break
        if match or _LEADER.search(text):
            entries.append(at)
            end, before = at + 1, page
        at += 1
    return entries, end


def bibliography_lines(flow: Sequence[PlacedLine], style: BodyStyle) -> frozenset[int]:
    """Lines of the list of references, up to the next line in heading type."""
    cited: set[int] = set()
    inside = False
    for i, placed in enumerate(flow):
        line = placed.line
        larger = style.ratio(line) > LARGER_TYPE or (line.bold and not style.bold)
        apart = larger or placed.above > style.pitch
        name = squash(line.text.lstrip("0123456789. "))
        if apart and len(line.text) < 40 and name in REFERENCE_HEADINGS:
            inside = True
        elif larger and line.text[:1].isalnum():
            inside = False
        elif inside:
            cited.add(i)
    return frozenset(cited)
