"""Footnotes: small type at the end of a column, from the first line with a note mark."""

import re
from collections.abc import Sequence

from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import CAPTION
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine

_NOTE_MARK = re.compile(
    r"^\s*(?:\d{1,2}\)?|[^\w\s\"'(\[{\u201c\u2018\u2013\u2014=+<>.,;:-]{1,2})\s?(?=[^\W\d]|https?:)"
)


def footnote_lines(flow: Sequence[PlacedLine], style: BodyStyle, skip: frozenset[int]) -> set[int]:
    """Lines in smaller type at the end of a column, from the first with a note mark on."""
    notes: set[int] = set()
    ends = [i for i, p in enumerate(flow) if p.below == FAR and not p.aside]
    for end in ends:
        i = end
        while (
            i >= 0
            and flow[i].column == flow[end].column
            and style.ratio(flow[i].line) < 0.94
            and i not in skip
            and not CAPTION.match(flow[i].line.text)
        ):
            i -= 1
        tail = range(i + 1, end + 1)
        start = next((k for k in tail if has_note_mark(flow[k])), None)
        if start is not None and _is_lowest(end, flow):
            notes.update(range(start, end + 1))
    return notes


def _is_lowest(at: int, flow: Sequence[PlacedLine]) -> bool:
    """Whether the line ``at`` is the lowest in its part of the page."""
    line = flow[at].line
    for step in (-1, 1):
        i = at + step
        while 0 <= i < len(flow) and flow[i].line.page == line.page:
            other = flow[i].line
            if other.top > line.bottom and other.x0 < line.x1 and line.x0 < other.x1:
                return False
            i += step
    return True


def has_note_mark(placed: PlacedLine) -> bool:
    return placed.line.begins_raised or (
        _NOTE_MARK.match(placed.line.text) is not None and placed.indent > -2
    )
