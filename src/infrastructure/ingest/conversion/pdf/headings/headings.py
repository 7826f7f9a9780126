"""Headings of the document and their levels.

Evidence: the PDF's outline, section numbers in sequence, type that stands out from the text.
In a numbered document an unnumbered line in bold is no heading, unless it is much larger than
the text or has a usual name (Abstract, References, …).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.headings.candidates import (
    LARGER,
    HeadingCandidate,
    Type,
    find_candidates,
    is_above_title,
    type_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.numbering_sequence import (
    headings_by_space,
    levels_by_number,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.outlines import OutlineMatch
from citeloom.infrastructure.ingest.conversion.pdf.headings.run_in_headings import (
    RunIn,
    find_run_ins,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.lead_in import Face
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    KNOWN_HEADINGS,
    TOP_SECTIONS,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

MUCH_LARGER = 1.16
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
) -> list[HeadingMark]:
    """Headings in reading order. ``skip`` are lines of other blocks (title, tables, …)."""
    outline_heads = [_with_number(match, flow) for match in outline if match.first not in skip]
    taken = skip | {i for match in outline_heads for i in range(match.first, match.last + 1)}
    run_ins = find_run_ins(flow, style, taken)
    taken |= {i for r in run_ins if r.numbering for i in range(r.first, r.line + 1)}
    taken |= {i for r in run_ins for i in range(r.first, r.line)}
    candidates = _confirmed(find_candidates(flow, style, taken))
    numbered = levels_by_number(
        sorted([*candidates, *_outline_candidates(outline_heads, flow, style)])
    )
    sections_numbered = sum(level == 1 for level in numbered.values()) >= 3
    if outline_heads:
        accepted = _missing_from_outline(
            candidates, numbered, outline_heads, flow, style, sections_numbered
        )
    else:
        accepted = [
            c
            for c in candidates
            if c.first in numbered or _is_unnumbered_head(c, sections_numbered)
        ]
    repeats = Counter(squash(c.text) for c in accepted if c.numbering is None)
    accepted = [c for c in accepted if repeats[squash(c.text)] < REPEATED]
    marks = [HeadingMark(m.first, m.last, m.level) for m in outline_heads]
    marks += _with_levels(
        accepted, outline_heads, flow, style, numbered if sections_numbered else {}
    )
    return sorted(_without_overlap(marks + _run_in_marks(run_ins, marks)))


def _with_number(match: OutlineMatch, flow: Sequence[PlacedLine]) -> OutlineMatch:
    """The match, extended to a chapter number on the line above."""
    above = match.first - 1
    return match._replace(first=above) if above >= 0 and is_above_title(above, flow) else match


def _outline_candidates(
    outline_heads: Sequence[OutlineMatch], flow: Sequence[PlacedLine], style: BodyStyle
) -> list[HeadingCandidate]:
    """The outline's headings as candidates, for the sequence of section numbers."""
    candidates = []
    for m in outline_heads:
        text = " ".join(placed.line.text for placed in flow[m.first : m.last + 1])
        begin = flow[m.first]
        ratio, kind = style.ratio(begin.line), type_of(begin, style)
        candidates.append(HeadingCandidate(m.first, m.last, text, numbering_of(text), ratio, kind))
    return candidates


def _confirmed(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """The candidates, without those set off by space that no numbering confirms."""
    by_space = headings_by_space(candidates)
    return [c for c in candidates if not c.by_space or c in by_space]


def _is_unnumbered_head(candidate: HeadingCandidate, sections_numbered: bool) -> bool:
    """Whether a candidate outside the number sequence is a heading."""
    if candidate.by_space:
        return True
    if sections_numbered:
        return squash(candidate.text) in KNOWN_HEADINGS or candidate.ratio >= MUCH_LARGER
    return candidate.numbering is None or candidate.ratio >= LARGER


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
        or (c.type in types and c.ratio > 1.04 and not sections_numbered)
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
    ranks = _ranks([c for c in accepted if c.first not in numbered])
    marks = []
    for c in accepted:
        type_levels = by_type.get(c.type)
        if c.first in numbered:
            level = numbered[c.first]
        elif c.numbering is not None and len(c.numbering.path) > 1 and not type_levels:
            level = len(c.numbering.path)
        elif squash(c.text) in TOP_SECTIONS or numbered:
            level = 1
        elif type_levels:
            level = type_levels.most_common(1)[0][0]
        else:
            level = ranks[c.type]
        marks.append(HeadingMark(c.first, c.last, level))
    return marks


def _ranks(candidates: Sequence[HeadingCandidate]) -> dict[Type, int]:
    """Levels by type: larger first; then capitals, bold, upright."""
    types = sorted({c.type for c in candidates}, key=lambda k: (-k[0], not k[3], not k[1], k[2]))
    ranks: dict[Type, int] = {}
    level, before = 0, None
    for key in types:
        near = before is not None and before[1:] == key[1:] and before[0] - key[0] < 0.06
        if not near:
            level += 1
        ranks[key] = level
        before = key
    return ranks


def _run_in_marks(run_ins: Sequence[RunIn], marks: Sequence[HeadingMark]) -> list[HeadingMark]:
    """Levels of run-in headings: by number, else below the deepest numbered heading, one kind
    below another in order of appearance. Unnumbered ones count only in a document with other
    headings."""
    if not marks and not any(r.numbering for r in run_ins):
        return []
    levels = {m.level for m in marks}
    paths = [r.numbering.path for r in run_ins if r.numbering and _is_deep(r)]
    levels |= {len(path) for path in paths if 0 not in path[1:-1]}
    depths = {path: _depth(path, levels) for path in paths}
    deepest = max([*levels, *depths.values()], default=1)
    unnumbered = [r for r in run_ins if not (r.top_section or r.own_line or _is_deep(r))]
    kinds = list(dict.fromkeys(map(_run_in_kind, unnumbered)))
    run_in_marks = []
    for r in run_ins:
        if r.top_section:
            level = 1
        elif r.numbering is not None and _is_deep(r):
            level = depths[r.numbering.path]
        elif r.own_line:
            above = [mark for mark in marks if mark.first < r.first]
            level = min(max(above).level + 1, 4) if above else 1
        else:
            level = min(deepest + 1 + kinds.index(_run_in_kind(r)), 4)
        run_in_marks.append(HeadingMark(r.first, r.line, level, r.length))
    return run_in_marks


def _is_deep(head: RunIn) -> bool:
    return head.numbering is not None and len(head.numbering.path) > 1


def _depth(path: tuple[int, ...], levels: AbstractSet[int]) -> int:
    """The level of a section number. 4.0.0.2 skips levels: it is one below the last level."""
    if 0 not in path[1:-1]:
        return len(path)
    return 1 + max((level for level in levels if level < len(path)), default=0)


def _run_in_kind(head: RunIn) -> tuple[str, Face]:
    return (head.numbering.scheme if head.numbering else "", head.face)


def _without_overlap(marks: Sequence[HeadingMark]) -> list[HeadingMark]:
    without_overlap: list[HeadingMark] = []
    used: set[int] = set()
    for mark in marks:
        lines = set(range(mark.first, mark.last + 1))
        if not lines & used:
            without_overlap.append(mark)
            used |= lines
    return without_overlap
