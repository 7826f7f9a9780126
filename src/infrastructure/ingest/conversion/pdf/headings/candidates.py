"""Heading candidates: lines in type that stands out, or set off by white space or a number."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.headings.heading_words import may_head
from citeloom.infrastructure.ingest.conversion.pdf.headings.line_contrast import (
    LARGER,
    Contrast,
    Type,
    is_bare,
    is_capitals,
    is_in_other_font,
    is_numbered_line,
    is_set_off_by_space,
    stands_out,
    type_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import CAPTION
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import Numbering, numbering_of
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import BULLET, KNOWN_HEADINGS
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

LONGEST = 6  # lines, in a narrow column
_UNDER_NUMBER = 4.0  # greatest distance from Chapter 3 to the title below it, in cell heights


class HeadingCandidate(NamedTuple):
    """Lines ``first`` to ``last``, which may be a heading. ``run_in`` is its number of characters
    in the last line, which its paragraph continues; 0 for one on lines of its own. ``above``
    and ``below`` are the baseline distances to the lines before and after, in points. ``centred``
    is None where it fills its line."""

    first: int
    last: int
    text: str
    numbering: Numbering | None
    type: Type
    contrast: Contrast = Contrast.TYPE
    font: str = ""
    above: float = FAR
    below: float = FAR
    centred: bool | None = None
    run_in: int = 0


def in_order(candidates: Iterable[HeadingCandidate]) -> list[HeadingCandidate]:
    return sorted(candidates, key=lambda candidate: candidate.first)


def find_candidates(
    flow: Sequence[PlacedLine], style: BodyStyle, taken: AbstractSet[int]
) -> list[HeadingCandidate]:
    """Candidates in reading order, without the lines in ``taken``."""
    candidates: list[HeadingCandidate] = []
    i = 0
    while i < len(flow):
        found = _contrast(i, flow, style, taken) if i not in taken else None
        if found is None:
            i += 1
            continue
        last, contrast = found
        candidate = candidate_of(i, last, flow, style, contrast)
        goes_on = candidate.numbering is None and _goes_on(last, flow)
        if may_head(candidate.text) and not goes_on:
            candidates.append(candidate)
        i = last + 1
    return candidates


def candidate_of(
    first: int,
    last: int,
    flow: Sequence[PlacedLine],
    style: BodyStyle,
    contrast: Contrast = Contrast.TYPE,
) -> HeadingCandidate:
    """The lines ``first`` to ``last`` as a heading. Below *Chapter 3* its type is the title's."""
    text = " ".join(placed.line.text for placed in flow[first : last + 1])
    titled = flow[first + 1] if last > first and is_bare(flow[first].line.text) else flow[first]
    kind = type_of(titled, style)
    return HeadingCandidate(
        first,
        last,
        text,
        numbering_of(text),
        kind,
        contrast,
        titled.line.font,
        flow[first].above,
        flow[last].below,
        _is_centred(titled),
    )


def _is_centred(placed: PlacedLine) -> bool | None:
    width = placed.right - placed.left
    if max(placed.indent, placed.short_by) < 0.1 * width:
        return None
    return placed.indent > 0.05 * width and abs(placed.indent - placed.short_by) < 0.1 * width


def _goes_on(i: int, flow: Sequence[PlacedLine]) -> bool:
    """Whether a sentence goes on from a full line to the next one."""
    here, after = flow[i], flow[i + 1] if i + 1 < len(flow) else None
    return (
        after is not None
        and after.column == here.column
        and after.line.text[:1].islower()
        and after.above < 1.75 * here.line.size
        and here.short_by < 0.05 * (here.right - here.left)
    )


def _contrast(
    i: int, flow: Sequence[PlacedLine], style: BodyStyle, taken: AbstractSet[int]
) -> tuple[int, Contrast] | None:
    """The last line of a candidate that begins at line ``i``, and its contrast."""
    last = _last_line(i, flow, style, taken)
    if last is not None:
        return last, Contrast.TYPE
    if is_in_other_font(flow[i], style):
        return i, Contrast.FONT
    if is_set_off_by_space(flow[i], style):
        return i, Contrast.SPACE
    return (i, Contrast.NONE) if is_numbered_line(flow[i], style) else None


def _last_line(
    first: int, flow: Sequence[PlacedLine], style: BodyStyle, taken: AbstractSet[int]
) -> int | None:
    """The last line of a heading that may begin at ``first``; None if none begins there."""
    placed = flow[first]
    if placed.aside or not stands_out(placed, style):
        return None
    if CAPTION.match(placed.line.text) or BULLET.match(placed.line.text):
        return None
    if is_above_title(first, flow) and first + 1 not in taken:
        return _last_line(first + 1, flow, style, taken)
    last = first
    while last + 1 < len(flow) and last - first < LONGEST and last + 1 not in taken:
        after = flow[last + 1]
        gap = _distance(flow[last], after)
        if gap is None or not _same_type(placed, after, style):
            break
        spread = 1.1 * style.pitch * min(max(style.ratio(placed.line), 1.0), 1.6)
        if gap > max(1.75 * placed.line.size, spread):
            break
        if numbering_of(after.line.text) is not None:
            break
        last += 1
    if last - first >= LONGEST:
        return None
    space = placed.above
    usual = style.pitch * max(1.0, style.ratio(placed.line))
    ratio = style.ratio(placed.line)
    isolated = space == FAR or space > 1.12 * usual or ratio > LARGER
    if not isolated and squash(placed.line.text) not in KNOWN_HEADINGS:
        numbered = numbering_of(placed.line.text)
        if numbered is None or not (placed.line.bold or ratio > 1.05):
            return None
    return last


def _distance(before: PlacedLine, after: PlacedLine) -> float | None:
    """The baseline distance to the next line, also where a column ends between a line and that
    below it; None for a line elsewhere on the page."""
    if before.column == after.column:
        return after.above
    a, b = before.line, after.line
    below = a.page == b.page and a.base < b.base and not (before.aside or after.aside)
    return b.base - a.base if below and a.box[0] < b.box[2] and b.box[0] < a.box[2] else None


def is_above_title(i: int, flow: Sequence[PlacedLine]) -> bool:
    """Whether a line is the number of a chapter whose title stands below it."""
    if i + 1 >= len(flow) or not is_bare(flow[i].line.text):
        return False
    number, title = flow[i], flow[i + 1]
    near = title.column == number.column and title.above < _UNDER_NUMBER * title.line.size
    return near and title.line.size > 0.95 * number.line.size


def _same_type(first: PlacedLine, second: PlacedLine, style: BodyStyle) -> bool:
    a, b = first.line, second.line
    if a.bold != b.bold or a.italic != b.italic:
        return False
    capitals = is_capitals(a.text)
    alike = a.font == b.font and capitals == is_capitals(b.text)
    if abs(a.size - b.size) < 0.06 * a.size:
        return alike or a.bold or a.italic or style.ratio(a) >= LARGER
    # small capitals made of large ones have the size of either
    return capitals and alike and abs(a.size - b.size) < 0.25 * a.size
