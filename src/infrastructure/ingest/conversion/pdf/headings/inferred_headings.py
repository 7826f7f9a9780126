"""Headings of a document without an outline."""

from collections import Counter
from collections.abc import Mapping, Sequence

from citeloom.infrastructure.ingest.conversion.pdf.headings.candidates import (
    HeadingCandidate,
    in_order,
)
from citeloom.infrastructure.ingest.conversion.pdf.headings.line_contrast import LARGER, Contrast
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    KNOWN_HEADINGS,
    OPENING_SECTIONS,
    TOP_SECTIONS,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

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
        others = [c for c in others if _is_set_like(c, certain) and _has_text_below(c, flow)]
    else:
        spaced = [c for c in others if _is_spaced_like(c, certain)]
        others = [*_in_heading_type(others), *_in_repeated_font(others, flow), *spaced]
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
    same = [
        c
        for c in certain
        if c.font == candidate.font
        and c.type[1:] == candidate.type[1:]
        and abs(c.type.ratio - candidate.type.ratio) < SAME_SIZE
    ]
    return (
        _is_unnumbered(candidate)
        and len(same) >= LEAST_ALIKE
        and candidate.above > min(c.above for c in same) / SAME_SPACE
    )


def _is_unnumbered(candidate: HeadingCandidate) -> bool:
    """Whether a candidate has no number, or begins with A, which may be the article."""
    number = candidate.numbering
    return number is None or (number.path == (1,) and candidate.text[:2] == "A ")


def _has_text_below(candidate: HeadingCandidate, flow: Sequence[PlacedLine]) -> bool:
    """Whether the line below a candidate is about as wide as its column, as that below the head
    of a table's column is not. Type much larger than the text needs none."""
    return candidate.type.ratio >= MUCH_LARGER or _has_wide_line_below(candidate, flow)


def _has_wide_line_below(candidate: HeadingCandidate, flow: Sequence[PlacedLine]) -> bool:
    if candidate.last + 1 == len(flow):
        return False
    here, below = flow[candidate.last], flow[candidate.last + 1]
    return below.column != here.column or (below.line.width > 0.5 * (below.right - below.left))


def _is_spaced_like(candidate: HeadingCandidate, certain: Sequence[HeadingCandidate]) -> bool:
    """Whether a line without a number has the type of sections set off by space, and the same
    space above; at the top of a column, below."""
    if candidate.contrast is not Contrast.SPACE or not _is_unnumbered(candidate):
        return False
    alike = [
        c
        for c in certain
        if c.contrast is Contrast.SPACE
        and c.type[1:] == candidate.type[1:]
        and abs(c.type.ratio - candidate.type.ratio) < SAME_SIZE
    ]
    at_top = candidate.above == FAR
    spaces = sorted(c.below if at_top else c.above for c in alike)
    spaces = [space for space in spaces if space != FAR]
    space = candidate.below if at_top else candidate.above
    usual = spaces[len(spaces) // 2] if spaces else 0.0
    return usual / SAME_SPACE < space < usual * SAME_SPACE


def _in_heading_type(candidates: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    return [
        c
        for c in candidates
        if c.contrast is Contrast.TYPE and (_is_unnumbered(c) or c.type.ratio >= LARGER)
    ]


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
