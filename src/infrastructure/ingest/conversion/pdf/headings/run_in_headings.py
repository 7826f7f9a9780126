"""Run-in headings, at the beginning of their paragraph: section numbers, names of sections.

Run-in headings without a number, which are the lowest level of a document with an outline. Where
the sections themselves are inferred, such words may be an emphasis, and stay in their paragraph.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import (
    LONGEST_DEEP,
    Face,
    LeadIn,
    first_part,
    is_deep_number,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    BULLET,
    CAPTION,
    SENTENCE_END,
    THEOREM,
    TOP_SECTIONS,
    Numbering,
    letter_numbering,
    numbering_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

from .candidates import LARGER, HeadingCandidate, may_head, type_of

LONGEST = 160  # characters of a heading
_MOST_ABOVE = 2  # lines of a heading before its last one
WIDE = 0.95  # cell heights: the gap after a heading, about an em
END = re.compile(r"[.:\u2014-]$")
_STOP = re.compile(r"[.:]\s")  # in the face of the text after a name
DASHED = re.compile(r"^\s*[\u2014\u2013]")


def find_run_ins(
    flow: Sequence[PlacedLine], style: BodyStyle, skip: AbstractSet[int]
) -> list[HeadingCandidate]:
    """Section numbers and names of sections in another face than the text after them. None in a
    bold document."""
    heads = (
        _lettered_head(i, flow[i], style) if lead is None else _run_in(first, i, lead, flow, style)
        for first, i, lead in lead_ins(flow, style, skip)
    )
    return [head for head in heads if head is not None]


def lead_ins(
    flow: Sequence[PlacedLine], style: BodyStyle, skip: AbstractSet[int]
) -> Iterator[tuple[int, int, LeadIn | None]]:
    """Each line of the text but for those to ``skip``: the first line of a heading that would end
    in it, its own index, its lead-in. None in a bold document."""
    if style.bold:
        return
    for i, placed in enumerate(flow):
        if i not in skip and not placed.aside:
            lead = placed.line.lead_in
            yield i if lead is None else _first_line(i, lead, flow, style, skip), i, lead


def _lettered_head(i: int, placed: PlacedLine, style: BodyStyle) -> HeadingCandidate | None:
    """A lettered heading in italics whose paragraph begins on the next line."""
    line = placed.line
    number = letter_numbering(line.text)
    if number is None or not line.italic or line.bold or not may_head(number.title):
        return None
    if min(placed.above, placed.below) < 1.2 * style.pitch or placed.below == FAR:
        return None
    return HeadingCandidate(i, i, line.text, number, type_of(placed, style))


def _first_line(
    last: int, lead: LeadIn, flow: Sequence[PlacedLine], style: BodyStyle, skip: AbstractSet[int]
) -> int:
    """First line of a heading that ends in line ``last``: full lines of its face above."""
    first = last
    if lead.face is Face.NONE:
        above = range(last, max(last - LONGEST_DEEP, -1), -1)
        return next((i for i in above if is_deep_number(first_part(flow[i].line))), last)
    size = lead.size or flow[last].line.size
    pitch = style.pitch * max(1.0, lead.size / style.size)
    while first > 0 and last - first < _MOST_ABOVE and first - 1 not in skip:
        before, here = flow[first - 1], flow[first]
        if (
            not _is_in_face(before, lead.face)
            or before.aside
            or before.column != here.column
            or abs(before.line.size - size) > 0.12 * style.size
            or here.above >= 1.15 * pitch
            or before.short_by >= 0.15 * (before.right - before.left)
        ):
            break
        first -= 1
        if numbering_of(before.line.text) or letter_numbering(before.line.text):
            break
    return first


def _is_in_face(placed: PlacedLine, face: Face) -> bool:
    line = placed.line
    if face is Face.BOLD:
        return line.bold
    return face is Face.ITALIC and line.italic and not line.bold


def _run_in(
    first: int, last: int, lead: LeadIn, flow: Sequence[PlacedLine], style: BodyStyle
) -> HeadingCandidate | None:
    line, begin = flow[last].line, flow[first]
    lead_text, rest = line.text[: lead.length].strip(), line.text[lead.length :].strip()
    if not END.search(lead_text) and _STOP.match(rest) and squash(lead_text) in TOP_SECTIONS:
        lead = lead._replace(length=line.text.index(rest[0], lead.length) + 1)
        lead_text, rest = f"{lead_text}{rest[0]}", rest[1:].strip()
    head = " ".join([*(flow[i].line.text for i in range(first, last)), lead_text])
    number = letter_numbering(head) or numbering_of(head)
    text = number.title if number else head
    closed = lead.gap > WIDE * line.size or DASHED.match(rest) or END.search(head) or lead.size
    if not may_head(text.rstrip(".:")) or THEOREM.match(head) or CAPTION.match(head):
        return None
    if begin.line.begins_raised or BULLET.match(begin.line.text):
        return None
    found = HeadingCandidate(first, last, head, number, type_of(begin, style), run_in=lead.length)
    if squash(text) in TOP_SECTIONS:
        set_off = begin.above >= 1.1 * style.pitch or END.search(head) or DASHED.match(rest)
        return found if closed and set_off else None
    plain = lead.face is Face.NONE and not (number and is_deep_number(first_part(begin.line)))
    if number is None or plain or lead.face is Face.CAPS or line.bold:
        return None
    return found if _is_numbered_head(first, number, bool(closed), flow, style) else None


def _is_numbered_head(
    first: int, number: Numbering, closed: bool, flow: Sequence[PlacedLine], style: BodyStyle
) -> bool:
    """Whether a section number leads, not the label of a list item, whose text hangs beside it.
    After a letter, or in larger type, the face alone shows where the heading ends."""
    begin = flow[first]
    set_off = begin.above >= 1.1 * style.pitch or begin.indent > 0.5 * begin.line.size
    if not set_off or len(number.title) > LONGEST or number.worded:
        return False
    known = closed or style.ratio(begin.line) >= LARGER
    if len(number.path) > 1:
        return known
    known = known or number.scheme == "a"
    return number.stopped and not _hangs(first, flow) and known


def _hangs(i: int, flow: Sequence[PlacedLine]) -> bool:
    """Whether the next line begins farther right, as in a list item."""
    after = flow[i + 1] if i + 1 < len(flow) else None
    return (
        after is not None
        and after.column == flow[i].column
        and after.line.x0 > flow[i].line.x0 + 2.0
    )


LEAST_ITALIC = 2  # a single italic head in a document is none
LONGEST_HEAD = 80  # characters of a head in one line
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
    if len(head) > (LONGEST_HEAD if first == last else LONGEST_BROKEN) or numbering_of(head):
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
