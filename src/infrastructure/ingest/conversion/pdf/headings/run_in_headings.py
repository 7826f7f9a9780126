"""Run-in headings, at the beginning of their paragraph, as by LaTeX's ``\\paragraph``."""

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.headings.candidates import may_head
from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import CAPTION
from citeloom.infrastructure.ingest.conversion.pdf.lines.lead_in import (
    Face,
    LeadIn,
    is_deep_number,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import LONGEST_DEEP, first_part
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import (
    Numbering,
    letter_numbering,
    numbering_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    BULLET,
    SENTENCE_END,
    THEOREM,
    TOP_SECTIONS,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

LEAST_ITALIC = 2  # a single unnumbered italic heading in a document is none
LONGEST = 80  # characters of a heading in one line, and of one without a number
LONGEST_NUMBERED = 160
_MOST_ABOVE = 2  # lines of a heading before its last one
_WIDE = 0.95  # cell heights: the gap after a heading, about an em
_END = re.compile(r"[.:\u2014-]$")
_DASHED = re.compile(r"^\s*[\u2014\u2013]")
_BEGINS = re.compile(r"[^\W\d_a-z][^\W\d_]|A\s")  # a sentence, not the name of a variable
_STEP = re.compile(r"^(?:sub)?(?:case|step|part|stage|phase)s?\b[^a-z]*$", re.IGNORECASE)


class RunIn(NamedTuple):
    """A heading from line ``first`` to the first ``length`` characters of line ``line``.
    ``top_section``: its name (Abstract, …) makes it a section of level 1."""

    first: int
    line: int
    length: int
    top_section: bool
    face: Face
    numbering: Numbering | None = None

    @property
    def own_line(self) -> bool:
        """Whether it is a lettered heading whose paragraph begins on the next line."""
        return self.length == 0 and self.numbering is not None


def find_run_ins(
    flow: Sequence[PlacedLine], style: BodyStyle, skip: AbstractSet[int]
) -> list[RunIn]:
    """Headings in another face than the text after them that are numbered, or have a gap of
    about an em after them, or are a few words with much space above, or are in italics and end
    with a stop or colon. Unnumbered italic ones must occur twice. None in a bold document."""
    if style.bold:
        return []
    run_ins: list[RunIn] = []
    for i, placed in enumerate(flow):
        if i in skip or placed.aside:
            continue
        lead = placed.line.lead_in
        if lead is None:
            head = _lettered_head(i, placed, style) or _full_line_head(i, flow, style)
        else:
            head = _run_in(_first_line(i, lead, flow, style, skip), i, lead, flow, style, skip)
        if head is not None:
            run_ins.append(head)
    run_ins = _in_sequence(run_ins)
    plain = Counter(r.face for r in run_ins if r.length and not (r.top_section or r.numbering))
    least = {Face.ITALIC: LEAST_ITALIC, Face.BOLD: 1}
    return [
        r for r in run_ins if r.top_section or r.numbering or plain[r.face] >= least.get(r.face, 2)
    ]


def _lettered_head(i: int, placed: PlacedLine, style: BodyStyle) -> RunIn | None:
    """A lettered heading in italics whose paragraph begins on the next line."""
    line = placed.line
    number = letter_numbering(line.text)
    if number is None or not line.italic or line.bold or not may_head(number.title):
        return None
    if min(placed.above, placed.below) < 1.2 * style.pitch or placed.below == FAR:
        return None
    return RunIn(i, i, 0, False, Face.ITALIC, number)


def _full_line_head(i: int, flow: Sequence[PlacedLine], style: BodyStyle) -> RunIn | None:
    """A bold heading that fills its line, so that its paragraph begins on the next one."""
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
    return RunIn(i, i, 0, False, Face.BOLD)


def _in_sequence(heads: Sequence[RunIn]) -> list[RunIn]:
    """The headings, without those whose single number or letter is out of sequence."""
    in_sequence: list[RunIn] = []
    known_paths = {head.numbering.path for head in heads if head.numbering}
    open_at: dict[tuple[str, Face, bool], list[RunIn]] = {}
    for head in heads:
        number = head.numbering
        if number is None or len(number.path) > 1:
            if (
                head.face is not Face.NONE
                or number is None
                or _begins_or_follows(number, known_paths)
            ):
                in_sequence.append(head)
            continue
        kind = (number.scheme, head.face, head.own_line)
        before = open_at.setdefault(kind, [])
        last = before[-1].numbering if before else None
        if number.path == (1,):
            before[:] = [head]
        elif last is not None and number.path[0] == last.path[0] + 1:
            in_sequence += [*before, head] if len(before) == 1 else [head]
            before.append(head)
    return sorted(in_sequence)


def _begins_or_follows(number: Numbering, paths: AbstractSet[tuple[int, ...]]) -> bool:
    *section, last = number.path
    return last == 1 or (*section, last - 1) in paths


def _first_line(
    last: int, lead: LeadIn, flow: Sequence[PlacedLine], style: BodyStyle, skip: AbstractSet[int]
) -> int:
    """First line of a heading that ends in line ``last``: full lines of its face above."""
    first = last
    if lead.face is Face.NONE:
        above = range(last, max(last - LONGEST_DEEP, -1), -1)
        return next((i for i in above if is_deep_number(first_part(flow[i].line))), last)
    while first > 0 and last - first < _MOST_ABOVE and first - 1 not in skip:
        before, here = flow[first - 1], flow[first]
        if (
            not _is_in_face(before, lead.face)
            or before.aside
            or before.column != here.column
            or abs(before.line.size - flow[last].line.size) > 0.12 * style.size
            or here.above >= 1.15 * style.pitch
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
    first: int,
    last: int,
    lead: LeadIn,
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    skip: AbstractSet[int],
) -> RunIn | None:
    line, begin = flow[last].line, flow[first]
    lead_text, rest = line.text[: lead.length].strip(), line.text[lead.length :].strip()
    head = " ".join([*(flow[i].line.text for i in range(first, last)), lead_text])
    number = letter_numbering(head) or numbering_of(head)
    text = number.title if number else head
    top_section = squash(text) in TOP_SECTIONS
    wide = lead.gap > _WIDE * line.size
    dashed = _DASHED.match(rest) is not None
    closed = dashed or _END.search(head) is not None
    if not may_head(text.rstrip(".:")) or THEOREM.match(head) or CAPTION.match(head):
        return None
    if begin.line.begins_raised or BULLET.match(begin.line.text):
        return None
    apart = begin.above >= 1.1 * style.pitch
    indented = begin.indent > 0.5 * line.size
    if top_section:
        set_off = apart or (closed and indented)
        sound = (wide or closed) and set_off
        return RunIn(first, last, lead.length, True, lead.face) if sound else None
    plain = lead.face is Face.NONE and not (number and is_deep_number(first_part(begin.line)))
    if plain or lead.face is Face.CAPS or line.bold:
        return None
    if number is not None and _is_numbered_head(first, last, number, closed or wide, flow, style):
        return RunIn(first, last, lead.length, False, lead.face, number)
    if number is not None and _hangs(first, flow):
        return None
    if abs(style.ratio(line) - 1) > 0.12 or head[:1].islower():
        return None
    if len(head) > (LONGEST if first == last else LONGEST_NUMBERED):
        return None
    italic = lead.face is Face.ITALIC
    whole = first == last or (begin.line.bold and lead.face is Face.BOLD)
    title_like = whole and not line.italic and _is_title(head)
    far = title_like and begin.above >= 1.4 * style.pitch and _BEGINS.match(rest) is not None
    if begin.above == FAR and far and not _is_closed(first, flow, skip):
        return None
    if not (wide or (italic and closed) or far):
        return None
    fixed = italic and wide and title_like and _BEGINS.match(rest) is not None
    if not apart and not ((wide or italic) and (closed or fixed) and indented):
        return None
    if italic and (_STEP.match(head) or (not rest[:1].isupper() and not dashed)):
        return None
    return RunIn(first, last, lead.length, False, lead.face)


def _is_closed(at: int, flow: Sequence[PlacedLine], skip: AbstractSet[int]) -> bool:
    """Whether a sentence ends before line ``at``, the first of its column, tables skipped."""
    before = next((i for i in range(at - 1, -1, -1) if i not in skip), None)
    return before is not None and SENTENCE_END.search(flow[before].line.text) is not None


def _is_title(head: str) -> bool:
    """Whether a text may be the words of a heading, not a sentence or a single word."""
    words = head.split()
    return head[0].isupper() and 2 <= len(words) <= 14 and not re.search(r"[.;:,](?:\s|$)", head)


def _is_numbered_head(
    first: int,
    last: int,
    number: Numbering,
    closed: bool,
    flow: Sequence[PlacedLine],
    style: BodyStyle,
) -> bool:
    """Whether a section number below level 1 leads, not the label of a list item, whose text
    hangs beside it. After a letter, the face alone shows where the heading ends."""
    begin, line = flow[first], flow[last].line
    # a deep number may be in another font family with other cell heights
    deep = len(number.path) > 1
    if not deep and abs(style.ratio(line) - 1) > 0.15:
        return False
    set_off = begin.above >= 1.1 * style.pitch or begin.indent > 0.5 * line.size
    if not set_off or len(number.title) > LONGEST_NUMBERED or number.worded:
        return False
    if deep:
        return closed
    return number.stopped and not _hangs(first, flow) and (closed or number.scheme == "a")


def _hangs(i: int, flow: Sequence[PlacedLine]) -> bool:
    """Whether the next line begins farther right, as in a list item."""
    after = flow[i + 1] if i + 1 < len(flow) else None
    return (
        after is not None
        and after.column == flow[i].column
        and after.line.x0 > flow[i].line.x0 + 2.0
    )
