"""Run-in headings without a number, which are the lowest level of a document with an outline.

Where the sections themselves are inferred, such words are not told from an emphasis with
certainty: they stay the beginning of their paragraph.
"""

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.headings.heading_words import may_head
from citeloom.infrastructure.ingest.conversion.pdf.headings.run_in_headings import (
    DASHED,
    END,
    WIDE,
    lead_ins,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import CAPTION
from citeloom.infrastructure.ingest.conversion.pdf.lines.lead_in import Face, LeadIn
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    BULLET,
    SENTENCE_END,
    THEOREM,
)

LEAST_ITALIC = 2  # a single italic head in a document is none
LONGEST = 80  # characters of a head in one line
LONGEST_BROKEN = 160
_BEGINS = re.compile(r"[^\W\d_a-z][^\W\d_]|A\s")  # a sentence, not the name of a variable
_STEP = re.compile(r"^(?:sub)?(?:case|step|part|stage|phase)s?\b[^a-z]*$", re.IGNORECASE)


class ParagraphHead(NamedTuple):
    """A head from line ``first`` to the first ``length`` characters of line ``last``, which its
    paragraph continues; 0 if it fills the line."""

    first: int
    last: int
    length: int
    face: Face


def find_paragraph_heads(
    flow: Sequence[PlacedLine], style: BodyStyle, skip: AbstractSet[int]
) -> list[ParagraphHead]:
    """Heads in another face than the text after them that have a gap of about an em after them,
    or are a few words with much space above, or are in italics and end with a stop or colon.
    Italic ones must occur twice. None in a bold document."""
    found = (
        _full_line_head(i, flow, style)
        if lead is None
        else _head(first, i, lead, flow, style, skip)
        for first, i, lead in lead_ins(flow, style, skip)
    )
    heads = [head for head in found if head is not None]
    counts = Counter(head.face for head in heads if head.length)
    least = {Face.ITALIC: LEAST_ITALIC, Face.BOLD: 1}
    return [head for head in heads if counts[head.face] >= least.get(head.face, 2)]


def _full_line_head(i: int, flow: Sequence[PlacedLine], style: BodyStyle) -> ParagraphHead | None:
    """A bold head that fills its line, so that its paragraph begins on the next one."""
    placed, line = flow[i], flow[i].line
    after = flow[i + 1] if i + 1 < len(flow) else None
    if after is None or after.column != placed.column or after.line.bold or not line.bold:
        return None
    full = placed.short_by < 0.1 * (placed.right - placed.left)
    close = 1.4 * style.pitch <= placed.above < FAR and placed.below < 1.15 * style.pitch
    alike = abs(style.ratio(line) - 1) <= 0.12 and abs(style.ratio(after.line) - 1) <= 0.12
    if not (full and close and alike and _BEGINS.match(after.line.text)):
        return None
    if numbering_of(line.text) or not may_head(line.text) or not _is_title(line.text):
        return None
    return ParagraphHead(i, i, 0, Face.BOLD)


def _head(
    first: int,
    last: int,
    lead: LeadIn,
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    skip: AbstractSet[int],
) -> ParagraphHead | None:
    line, begin = flow[last].line, flow[first]
    lead_text, rest = line.text[: lead.length].strip(), line.text[lead.length :].strip()
    head = " ".join([*(flow[i].line.text for i in range(first, last)), lead_text])
    wide = lead.gap > WIDE * line.size
    dashed = DASHED.match(rest) is not None
    closed = dashed or END.search(head) is not None
    if lead.face in (Face.NONE, Face.CAPS) or line.bold or not may_head(head.rstrip(".:")):
        return None
    if THEOREM.match(head) or CAPTION.match(head) or BULLET.match(begin.line.text):
        return None
    if begin.line.begins_raised or abs(style.ratio(line) - 1) > 0.12 or head[:1].islower():
        return None
    if len(head) > (LONGEST if first == last else LONGEST_BROKEN) or numbering_of(head):
        return None
    apart = begin.above >= 1.1 * style.pitch
    italic = lead.face is Face.ITALIC
    whole = first == last or (begin.line.bold and lead.face is Face.BOLD)
    title_like = whole and not line.italic and _is_title(head)
    far = title_like and begin.above >= 1.4 * style.pitch and _BEGINS.match(rest) is not None
    if begin.above == FAR and far and not _is_closed(first, flow, skip):
        return None
    if not (wide or (italic and closed) or far):
        return None
    fixed = italic and wide and title_like and _BEGINS.match(rest) is not None
    indented = begin.indent > 0.5 * line.size
    if not apart and not ((wide or italic) and (closed or fixed) and indented):
        return None
    if italic and (_STEP.match(head) or (not rest[:1].isupper() and not dashed)):
        return None
    return ParagraphHead(first, last, lead.length, lead.face)


def _is_closed(at: int, flow: Sequence[PlacedLine], skip: AbstractSet[int]) -> bool:
    """Whether a sentence ends before line ``at``, the first of its column, tables skipped."""
    before = next((i for i in range(at - 1, -1, -1) if i not in skip), None)
    return before is not None and SENTENCE_END.search(flow[before].line.text) is not None


def _is_title(head: str) -> bool:
    """Whether a text may be the words of a heading, not a sentence or a single word."""
    words = head.split()
    return head[0].isupper() and 2 <= len(words) <= 14 and not re.search(r"[.;:,](?:\s|$)", head)
