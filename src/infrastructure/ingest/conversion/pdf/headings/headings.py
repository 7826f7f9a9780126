"""Headings of the document and their levels.

A line is a heading if one of these is certain: the PDF's outline names it, its number is in the
sequence of section numbers, its words are the usual name of a section, or it is set like other
headings. Other lines that stand out stay in the text.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    KNOWN_HEADINGS,
    OPENING_SECTIONS,
    TOP_SECTIONS,
    numbering_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import squash

from .candidates import (
    LARGER,
    Contrast,
    HeadingCandidate,
    Type,
    candidate_of,
    find_candidates,
    in_order,
    is_above_title,
    type_of,
)
from .numbering_sequence import levels_by_number
from .outlines import OutlineMatch
from .run_in_headings import find_paragraph_heads, find_run_ins

MUCH_LARGER = 1.16
SAME_SPACE = 1.15  # greatest ratio of the spaces above headings of one kind
SAME_SIZE = 0.06  # greatest difference of the sizes of one type, in the text's
LEAST_ALIKE = 2  # certain headings that make a type
LEAST_IN_FONT = 3  # headings that make a font


def inferred_headings(
    candidates: Sequence[HeadingCandidate],
    numbered: Mapping[int, int],
    sections_numbered: bool,
    flow: Sequence[PlacedLine],
) -> list[HeadingCandidate]:
    """Headings of a document without an outline: those in the number sequence, with usual
    names, or set like them; in a document without numbers all that stand out."""
    certain = [c for c in candidates if c.first in numbered or _is_named(c)]
    others = [c for c in candidates if c not in certain and not c.run_in]
    if sections_numbered:
        bold = _in_repeated_bold(others, certain, flow)
        others = [
            c
            for c in others
            if c in bold
            or (
                _is_set_like(c, certain)
                and (c.type.ratio >= MUCH_LARGER or _has_wide_line_below(c, flow))
            )
        ]
    else:
        spaced = [c for c in others if _is_spaced_like(c, certain)]
        typed = [
            c
            for c in others
            if c.contrast is Contrast.TYPE and (_is_unnumbered(c) or c.type.ratio >= LARGER)
        ]
        others = [*typed, *_in_repeated_font(others, flow), *spaced]
    return in_order([*certain, *(c for c in others if not _is_above_first(c, certain, flow))])


def _is_named(candidate: HeadingCandidate) -> bool:
    """Whether a candidate has the usual name of a section, or is a bare Appendix B."""
    number = candidate.numbering
    if number is not None and number.worded and not number.title:
        return candidate.contrast is not Contrast.NONE
    names = TOP_SECTIONS if candidate.run_in else KNOWN_HEADINGS
    return squash(candidate.text) in names


def _is_set_like(candidate: HeadingCandidate, certain: Sequence[HeadingCandidate]) -> bool:
    """Whether a candidate is in the type of certain headings with about their space above, or
    much larger than the text in their font."""
    if candidate.contrast is Contrast.NONE:
        return False
    if candidate.contrast is Contrast.SPACE:
        return _is_spaced_like(candidate, certain)
    if _is_unnumbered(candidate) and candidate.type.ratio >= MUCH_LARGER:
        return any(c.font == candidate.font and c.type.bold == candidate.type.bold for c in certain)
    same = [c for c in certain if c.font == candidate.font and _is_alike(c, candidate)]
    return (
        _is_unnumbered(candidate)
        and len(same) >= LEAST_ALIKE
        and candidate.above > min(c.above for c in same) / SAME_SPACE
    )


def _is_alike(one: HeadingCandidate, other: HeadingCandidate) -> bool:
    same_size = abs(one.type.ratio - other.type.ratio) < SAME_SIZE
    return same_size and one.type[1:] == other.type[1:]


def _is_unnumbered(candidate: HeadingCandidate) -> bool:
    """Whether a candidate has no number, or begins with A, which may be the article."""
    number = candidate.numbering
    return number is None or (number.path == (1,) and candidate.text[:2] == "A ")


def _has_wide_line_below(candidate: HeadingCandidate, flow: Sequence[PlacedLine]) -> bool:
    """Whether the line below a candidate is about as wide as its column, as that below the head
    of a table's column is not."""
    if candidate.last + 1 == len(flow):
        return False
    here, below = flow[candidate.last], flow[candidate.last + 1]
    return below.column != here.column or (below.line.width > 0.5 * (below.right - below.left))


def _is_spaced_like(candidate: HeadingCandidate, certain: Sequence[HeadingCandidate]) -> bool:
    """Whether a line without a number has the type of sections set off by space, and the same
    space above; at the top of a column, below."""
    if candidate.contrast is not Contrast.SPACE or not _is_unnumbered(candidate):
        return False
    alike = [c for c in certain if c.contrast is Contrast.SPACE and _is_alike(c, candidate)]
    at_top = candidate.above == FAR
    spaces = sorted(c.below if at_top else c.above for c in alike)
    spaces = [space for space in spaces if space != FAR]
    space = candidate.below if at_top else candidate.above
    usual = spaces[len(spaces) // 2] if spaces else 0.0
    return usual / SAME_SPACE < space < usual * SAME_SPACE


def _in_repeated_font(
    candidates: Sequence[HeadingCandidate], flow: Sequence[PlacedLine]
) -> list[HeadingCandidate]:
    """Candidates in a font of some headings and little else."""
    by_font = [c for c in candidates if c.contrast is Contrast.FONT]
    counts = Counter((c.font, c.type) for c in by_font)
    lines = Counter(placed.line.font for placed in flow)
    return [
        c
        for c in by_font
        if counts[c.font, c.type] >= LEAST_IN_FONT
        and lines[c.font] < 2 * sum(n for (font, _), n in counts.items() if font == c.font)
    ]


def _in_repeated_bold(
    candidates: Sequence[HeadingCandidate],
    certain: Sequence[HeadingCandidate],
    flow: Sequence[PlacedLine],
) -> list[HeadingCandidate]:
    """Bold lines over text, without a number, of one type, in a font of headings and little else:
    they divide numbered sections."""
    bold = [
        c
        for c in candidates
        if c.contrast is Contrast.TYPE
        and c.type.bold
        and c.numbering is None
        and _has_wide_line_below(c, flow)
    ]
    alike = Counter((c.font, c.type) for c in bold)
    heads = Counter(c.font for c in (*bold, *certain))
    lines = Counter(placed.line.font for placed in flow)
    return [
        c
        for c in bold
        if alike[c.font, c.type] >= LEAST_IN_FONT and lines[c.font] < 2 * heads[c.font]
    ]


def first_section(headings: Sequence[HeadingCandidate]) -> HeadingCandidate | None:
    """The heading that begins the text: number 1, or an abstract or introduction by its name."""
    return next(
        (
            c
            for c in headings
            if squash(c.text) in OPENING_SECTIONS
            or (c.numbering is not None and c.numbering.path in ((0,), (1,)))
        ),
        None,
    )


def _is_above_first(
    candidate: HeadingCandidate, certain: Sequence[HeadingCandidate], flow: Sequence[PlacedLine]
) -> bool:
    """Whether a candidate on the first page is above the first heading, beside the authors."""
    begin = first_section(certain)
    if begin is None:
        return False
    here, first = flow[candidate.first].line, flow[begin.first].line
    if here.page != flow[0].line.page:
        return False
    beside = here.page == first.page and here.base < first.base
    return candidate.first < begin.first or (beside and not _has_wide_line_below(candidate, flow))


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
    """Headings in reading order. ``skip`` are lines of other blocks (title, tables, …); ``title``
    is not a heading where it is printed again above the first section."""
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
    """Lines of headings in the number sequence that stand out from the text and are not rows of a
    table."""
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
            above = [
                numbered[o.first] for o in accepted if o.first in numbered and o.type != c.type
            ]
            level = 1 + max(above) if c.type.bold and c.type.ratio <= 1.0 and above else 1
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
