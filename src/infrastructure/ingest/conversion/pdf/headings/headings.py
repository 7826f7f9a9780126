"""Headings of the document and their levels.

A line is a heading where one of these is certain: the PDF's outline names it, its number is in
the sequence of section numbers, its words are the usual name of a section, or it is set like
other headings. Other lines that stand out stay in the text.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.headings.candidates import (
    HeadingCandidate,
    candidate_of,
    find_candidates,
    in_order,
    is_above_title,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.inferred_headings import (
    LEAST_ALIKE,
    SAME_SIZE,
    first_section,
    inferred_headings,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.line_contrast import (
    Contrast,
    Type,
    type_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.numbering_sequence import (
    levels_by_number,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.outlines import OutlineMatch
from citeloom.infrastructure.ingest.conversion.pdf.headings.paragraph_heads import (
    find_paragraph_heads,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.run_in_headings import find_run_ins
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import TOP_SECTIONS
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

DEEPEST = 4  # level of a run-in head
LEAST_SECTIONS = 3  # with numbers, or twice as many with those below them: a numbered document
REPEATED = 3  # occurrences from which equal texts are labels, not headings


class HeadingMark(NamedTuple):
    """Lines ``first`` to ``last`` are a heading. ``run_in`` is its number of characters in the
    last line, which its paragraph continues; 0 for a heading on lines of its own."""

    first: int
    last: int
    level: int
    run_in: int = 0


def find_headings(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    outline: Sequence[OutlineMatch] = (),
    skip: frozenset[int] = frozenset(),
    title: str = "",
) -> list[HeadingMark]:
    """Headings in reading order. ``skip`` are lines of other blocks (title, tables, …);
    ``title`` is no heading where it is printed again above the first section."""
    outline_heads = [_with_number(match, flow) for match in outline if match.first not in skip]
    taken = skip | {i for match in outline_heads for i in range(match.first, match.last + 1)}
    run_ins = find_run_ins(flow, style, taken)
    run_in_lines = {i for r in run_ins for i in range(r.first, r.last + 1)}
    candidates = in_order([*run_ins, *find_candidates(flow, style, taken | run_in_lines)])
    outline_candidates = [candidate_of(m.first, m.last, flow, style) for m in outline_heads]
    numbered = levels_by_number(in_order([*candidates, *outline_candidates]))
    tops = sum(level == 1 for level in numbered.values())
    sections_numbered = tops >= LEAST_SECTIONS or len(numbered) >= 2 * LEAST_SECTIONS
    if outline_heads:
        accepted = _missing_from_outline(
            candidates, numbered, outline_heads, flow, style, sections_numbered
        )
    else:
        accepted = inferred_headings(candidates, numbered, sections_numbered, flow)
    repeats = Counter(squash(c.text) for c in accepted if c.numbering is None)
    accepted = [
        c for c in _without_title(accepted, squash(title)) if repeats[squash(c.text)] < REPEATED
    ]
    marks = [HeadingMark(m.first, m.last, m.level) for m in outline_heads]
    if not sections_numbered:
        run_in_firsts = {r.first for r in run_ins}
        numbered = {first: level for first, level in numbered.items() if first in run_in_firsts}
    marks += _with_levels(accepted, outline_heads, flow, style, numbered)
    if outline_heads:
        marks += _paragraph_marks(flow, style, taken, marks)
    return sorted(_without_overlap(marks))


def numbered_lines(flow: Sequence[PlacedLine], style: BodyStyle) -> frozenset[int]:
    """Lines of headings in the number sequence that stand out from the text: they are no rows
    of a table."""
    candidates = find_candidates(flow, style, frozenset())
    sequence = levels_by_number(candidates)
    return frozenset(
        i
        for c in candidates
        if c.first in sequence and c.contrast is Contrast.TYPE
        for i in range(c.first, c.last + 1)
    )


def _with_number(match: OutlineMatch, flow: Sequence[PlacedLine]) -> OutlineMatch:
    """The match, extended to a chapter number on the line above."""
    above = match.first - 1
    return match._replace(first=above) if above >= 0 and is_above_title(above, flow) else match


def _without_title(accepted: Sequence[HeadingCandidate], title: str) -> list[HeadingCandidate]:
    begin = first_section(accepted)
    last = begin.first if begin is not None else accepted[-1].first if accepted else 0
    return [c for c in accepted if c.first > last or squash(c.text) != title]


def _missing_from_outline(
    candidates: Sequence[HeadingCandidate],
    numbered: Mapping[int, int],
    outline_heads: Sequence[OutlineMatch],
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    sections_numbered: bool,
) -> list[HeadingCandidate]:
    """Headings that the outline leaves out: deeper ones, and those with usual names."""
    outline_numbered = sum(
        numbering_of(flow[m.first].line.text) is not None for m in outline_heads
    ) > 0.5 * len(outline_heads)
    types = {type_of(flow[m.first], style) for m in outline_heads}
    return [
        c
        for c in candidates
        if squash(c.text) in TOP_SECTIONS
        or (c.first in numbered and outline_numbered)
        or (c.type in types and c.type.ratio > 1.04 and not sections_numbered)
    ]


def _with_levels(
    accepted: Sequence[HeadingCandidate],
    outline_heads: Sequence[OutlineMatch],
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    numbered: Mapping[int, int],
) -> list[HeadingMark]:
    """Levels by number (``numbered``, by first line), else by outline headings of the same
    type, else by rank of the type."""
    by_type: dict[Type, Counter[int]] = {}
    for match in outline_heads:
        by_type.setdefault(type_of(flow[match.first], style), Counter())[match.level] += 1
    for c in accepted:
        if c.first in numbered:
            by_type.setdefault(c.type, Counter())[numbered[c.first]] += 1
    unnumbered = [c for c in accepted if c.first not in numbered]
    types = {c.type for c in unnumbered if squash(c.text) not in TOP_SECTIONS}
    ranks = _ranks([c for c in unnumbered if c.type in types])
    marks = []
    for c in accepted:
        type_levels = by_type.get(c.type)
        if c.first in numbered:
            level = numbered[c.first]
        elif c.numbering is not None and len(c.numbering.path) > 1 and not type_levels:
            level = len(c.numbering.path)
        elif squash(c.text) in TOP_SECTIONS:
            level = 1
        elif type_levels:
            level = type_levels.most_common(1)[0][0]
        elif numbered:
            level = 1
        else:
            level = ranks[c.type, _is_centred(c, accepted)]
        marks.append(HeadingMark(c.first, c.last, level, c.run_in))
    return marks


def _ranks(candidates: Sequence[HeadingCandidate]) -> dict[tuple[Type, bool], int]:
    """Levels by type and position: larger first; then capitals, bold, upright, centred."""
    kinds = sorted(
        {(c.type, _is_centred(c, candidates)) for c in candidates},
        key=lambda k: (-k[0].ratio, not k[0].capitals, not k[0].bold, k[0].italic, not k[1]),
    )
    ranks: dict[tuple[Type, bool], int] = {}
    level, before = 0, None
    for key in kinds:
        if before is None or not _is_about(before, key):
            level += 1
        ranks[key] = level
        before = key
    return ranks


def _is_about(one: tuple[Type, bool], other: tuple[Type, bool]) -> bool:
    """Whether two kinds of headings differ by little but their size."""
    (larger, _), (smaller, _) = one, other
    return (larger[1:], one[1]) == (smaller[1:], other[1]) and (
        larger.ratio - smaller.ratio < SAME_SIZE
    )


def _is_centred(candidate: HeadingCandidate, others: Sequence[HeadingCandidate]) -> bool:
    """Whether a heading is centred in a document that has headings of its type at the left, too.
    One that fills its line is taken for centred if others are."""
    alike = [c.centred for c in others if c.type == candidate.type]
    if min(alike.count(True), alike.count(False)) < LEAST_ALIKE:
        return False
    return candidate.centred is not False


def _paragraph_marks(
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    taken: AbstractSet[int],
    marks: Sequence[HeadingMark],
) -> list[HeadingMark]:
    """Run-in heads below the deepest heading, one face below another in order of appearance."""
    heads = find_paragraph_heads(
        flow, style, taken | {i for m in marks for i in range(m.first, m.last + 1)}
    )
    deepest = max((mark.level for mark in marks), default=1)
    faces = list(dict.fromkeys(head.face for head in heads))
    return [
        HeadingMark(h.first, h.last, min(deepest + 1 + faces.index(h.face), DEEPEST), h.length)
        for h in heads
    ]


def _without_overlap(marks: Sequence[HeadingMark]) -> list[HeadingMark]:
    without_overlap: list[HeadingMark] = []
    used: set[int] = set()
    for mark in marks:
        lines = set(range(mark.first, mark.last + 1))
        if not lines & used:
            without_overlap.append(mark)
            used |= lines
    return without_overlap
