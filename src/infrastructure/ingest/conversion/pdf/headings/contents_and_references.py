"""Lines of tables of contents and of bibliographies."""

import re
from collections.abc import Sequence

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    CONTENTS_HEADINGS,
    REFERENCE_HEADINGS,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

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
        if apart and len(line.text) < 40 and _names_references(line.text):
            inside = True
        elif larger and line.text[:1].isalnum():
            inside = False
        elif inside:
            cited.add(i)
    return frozenset(cited)


def _names_references(text: str) -> bool:
    return squash(text.lstrip("0123456789. ")) in REFERENCE_HEADINGS
