"""Heading candidates: lines in type that stands out, or set off by white space or a number."""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import Face, TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    BULLET,
    CAPTION,
    FRONT_MATTER,
    KNOWN_HEADINGS,
    OPENING_SECTIONS,
    THEOREM,
    TOP_SECTIONS,
    Numbering,
    numbering_candidates,
    numbering_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.characters import is_small_caps, squash

MOST_CHARACTERS = 220  # characters
_SENTENCE = re.compile(r"[.;,]$")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}")  # what has none is a formula
_RUN_ON = re.compile(r"[a-z]{3}\. [A-Z][a-z]*,? (?:[a-z]+ ){2}")  # a head with its sentence
_PROOF = re.compile(r"proofs?\s+(?:of|that|for)\b", re.IGNORECASE)
_OPERATOR = re.compile(
    "[=<>\u2264\u2265\u2211\u222b\u220f\u221a\u2208\u2192\u2282\u222a\u2229\u2248\u2202\u221e]"
)
_JOINTS = re.compile("[-.,:;!?()+&/\"'\u2010-\u201f\u2026]")
_OPENING = "\"'\u2018\u201c\u201e\u00ab\u00bf\u00a1\u00a7"

# A shell's or an interpreter's prompt, an option, a call: lines of code, not of prose.
_COMMAND = re.compile(
    r"^(?:[$%>\u276f]|>>>)\s|\s(?:--[a-z][\w-]*|-[a-zA-Z])(?:[\s=]|$)|^[\w.]+\(.*\)$|\w_\w+\("
)


def may_head(text: str) -> bool:
    """Whether a text may be a heading by its words."""
    number = numbering_of(text)
    words = number.title if number is not None and number.title else text
    letters = sum(c.isalpha() for c in words)
    if letters < (1 if number else 2) or letters < 0.45 * len(words.replace(" ", "")):
        return False
    if len(text) > MOST_CHARACTERS:
        return False
    if _COMMAND.search(text) or "@" in text or "://" in text or squash(text) in FRONT_MATTER:
        return False
    if THEOREM.match(text) and not (number and _PROOF.match(number.title)):
        return False
    if number is None and (text[:1].islower() or _OPERATOR.search(text) or _unbalanced(text)):
        return False
    if number is None and not _has_words(text):
        return False
    if len(words.split()) > 1 and not _TWO_LETTERS.search(words):
        return False
    if _RUN_ON.search(words):
        return False
    if not text[0].isalnum() and text[0] not in _OPENING:
        return False
    return not (
        _SENTENCE.search(text)
        and not re.search(r"\b[A-Z]\.$|etc\.$", text)
        and not (number and len(text) < 60)
        and squash(text) not in KNOWN_HEADINGS
    )


def _has_words(text: str) -> bool:
    """Whether at least half of the parts of a text are words or numbers, not symbols or bits of
    misread ones."""
    parts = text.split()
    words = [_JOINTS.sub("", part) for part in parts]
    sound = sum((word.isalpha() and len(word) > 1) or word.isdigit() for word in words)
    single = sum(len(word) == 1 and word.isalpha() for word in words)
    return sound > 0 and 2 * sound + single >= len(parts)


def _unbalanced(text: str) -> bool:
    return any(text.count(opening) != text.count(closing) for opening, closing in ("()", "[]"))


LARGER = 1.1  # times the text's size: stands out by size alone
CHAPTER = 1.5  # times the text's size
STRETCHED = 2.2  # greatest gap between words of a numbered heading, in cell heights
VERY_STRETCHED = 6.0  # the same, of one in larger bold type
FONT_ALONE = 0.93  # times the text's size, for a line that stands out by its font
SMALLEST = 0.85  # times the text's size; bold headings may be a point smaller than the text
SMALLEST_NAMED = 0.7  # of a usual section name
SMALL_CAPITALS = 0.75  # times the text's size: small capitals made of large ones


class Type(NamedTuple):
    """The look of a line. ``ratio`` is its size as a share of the text's."""

    ratio: float
    bold: bool
    italic: bool
    capitals: bool


class Contrast(Enum):
    """The features that distinguish a candidate from the text."""

    TYPE = auto()  # size, weight, capitals; for a numbered line also italics or the font
    FONT = auto()  # another font, without a number
    SPACE = auto()  # white space above and below
    NONE = auto()  # a number alone, on a line of its own


def type_of(placed: PlacedLine, style: BodyStyle) -> Type:
    line = placed.line
    small_caps = is_small_caps(line.font)  # whose cells may be as low as small letters
    capitals = small_caps or is_capitals(line.text)
    ratio = style.ratio(line)
    if small_caps or (capitals and ratio >= SMALL_CAPITALS and line.font == style.font):
        ratio = max(ratio, 1.0)
    return Type(round(ratio * 20) / 20, line.bold, line.italic, capitals)


@lru_cache(maxsize=16384)
def is_capitals(text: str) -> bool:
    """Whether a line is in capitals, large or small."""
    letters = [c for c in text if c.isalpha()]
    return len(letters) > 3 and sum(c.isupper() for c in letters) > 0.9 * len(letters)


def is_bare(text: str) -> bool:
    """Whether a line is only Chapter 3 or Appendix B, with its title below."""
    number = numbering_of(text)
    return number is not None and number.worded and not number.title


def stands_out(placed: PlacedLine, style: BodyStyle) -> bool:
    line = placed.line
    ratio = style.ratio(line)
    numbered = numbering_of(line.text) is not None
    if len(line.pieces) > 2 and not (numbered and _is_stretched(line, ratio >= LARGER)):
        return False
    small_caps = is_small_caps(line.font) and not is_small_caps(style.font)
    capitals = is_capitals(line.text)
    apart = numbered and (capitals or line.bold) and _is_stretched(line, ratio >= LARGER)
    if len(line.pieces) == 2 and not (apart or _is_number_beside(line, ratio)):
        return False
    named = line.bold and squash(line.text) in TOP_SECTIONS  # above an abstract as small as that
    smallest = SMALL_CAPITALS if (numbered and capitals) or named else SMALLEST
    names = TOP_SECTIONS | OPENING_SECTIONS if capitals else TOP_SECTIONS
    if placed.above > 1.1 * style.pitch and squash(line.text) in names:
        return ratio >= SMALLEST_NAMED or small_caps
    if (ratio < smallest and not small_caps) or line.maths > 0.3:
        return False
    if (line.bold and not style.bold) or ratio >= LARGER:
        return True
    if placed.above <= 1.2 * style.pitch:
        return False
    whole = line.lead_in is None or placed.short_by > 0.15 * (placed.right - placed.left)
    other_font = line.font != style.font and ratio >= FONT_ALONE and whole
    return numbered if small_caps or capitals else numbered and other_font


def _is_number_beside(line: TextLine, ratio: float) -> bool:
    """Whether the two pieces of a line are a number or a short label and a title, or the title
    of a chapter with its number at the edge."""
    first, second = (piece.text for piece in line.pieces)
    at_edge = ratio >= CHAPTER and second.isdigit()
    return len(first) <= 9 or is_bare(first) or at_edge


def _is_stretched(line: TextLine, larger: bool) -> bool:
    """Whether the pieces of a line are as close as the words of a justified line. No row of a
    table is in bold type ``larger`` than the text: its words may be far apart."""
    widest = VERY_STRETCHED if line.bold and larger else STRETCHED
    return all(b.x0 - a.x1 < widest * line.size for a, b in pairwise(line.pieces))


def _is_short(placed: PlacedLine) -> bool:
    """Whether a line of words ends well before its column does; no caption, item or note."""
    line = placed.line
    short = placed.short_by > 0.15 * (placed.right - placed.left)
    words = line.maths <= 0.3 and not placed.aside
    return short and words and not (CAPTION.match(line.text) or BULLET.match(line.text))


def is_set_off_by_space(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a short line in about the text's size is set off by space, as headings in small
    capitals are: their type is not recognisable."""
    line = placed.line
    return (
        _is_short(placed)
        and len(line.pieces) == 1
        and style.ratio(line) >= 0.88
        and (line.lead_in is None or line.lead_in.face is not Face.BOLD)
        and placed.above >= 1.5 * style.pitch
        and 1.12 * style.pitch <= placed.below < FAR
        and (placed.above == FAR or placed.above > 1.12 * placed.below)
    )


def is_in_other_font(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a short line without a number is set off by its font, in about the text's size."""
    line = placed.line
    return (
        _is_short(placed)
        and numbering_of(line.text) is None
        and len(line.pieces) == 1
        and line.font != style.font
        and style.ratio(line) >= FONT_ALONE
        and line.lead_in is None
        and placed.above >= 1.2 * style.pitch
        and placed.above > placed.below
    )


def is_numbered_line(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a line is a number and a few words in the text's own type."""
    line = placed.line
    number = next(iter(numbering_candidates(line.text)), None)
    return (
        number is not None
        and number.scheme == "1"
        and number.title[:1].isupper()
        and _is_short(placed)
        and len(line.pieces) <= 2
        and style.ratio(line) >= SMALLEST
        and placed.above >= 1.1 * style.pitch
    )


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
        is_sure = candidate.numbering is not None and contrast is Contrast.TYPE
        goes_on = not is_sure and _goes_on(last, flow)
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
    """Whether a sentence continues from a full line to the next one."""
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
    """Whether a line is the number of a chapter whose title is below it."""
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
