"""What sets a line off from the text: its type, its font, the white space around it."""

from enum import Enum, auto
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.lines.captions import CAPTION
from citeloom.infrastructure.ingest.conversion.pdf.lines.lead_in import Face
from citeloom.infrastructure.ingest.conversion.pdf.lines.line_flow import FAR, BodyStyle, PlacedLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.lines import TextLine
from citeloom.infrastructure.ingest.conversion.pdf.lines.numbering import (
    numbering_candidates,
    numbering_of,
)
from citeloom.infrastructure.ingest.conversion.pdf.lines.vocabulary import (
    BULLET,
    OPENING_SECTIONS,
    TOP_SECTIONS,
)
from citeloom.infrastructure.ingest.conversion.pdf.words.font_faces import is_small_caps
from citeloom.infrastructure.ingest.conversion.pdf.words.glyphs import squash

LARGER = 1.1  # times the text's size: stands out by size alone
CHAPTER = 1.5  # times the text's size
STRETCHED = 2.2  # greatest gap between words of a numbered heading, in cell heights
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
    """What sets a candidate off from the text."""

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
    if len(line.pieces) > 2 and not (numbering_of(line.text) and _is_stretched(line)):
        return False
    if len(line.pieces) == 2 and not _is_number_beside(line, ratio):
        return False
    small_caps = is_small_caps(line.font) and not is_small_caps(style.font)
    numbered = numbering_of(line.text) is not None
    capitals = is_capitals(line.text)
    smallest = (
        SMALL_CAPITALS if (numbered and capitals) or _is_bold_section_name(line) else SMALLEST
    )
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


def _is_stretched(line: TextLine) -> bool:
    """Whether the pieces of a line are as close as the words of a justified line."""
    return all(b.x0 - a.x1 < STRETCHED * line.size for a, b in pairwise(line.pieces))


def _is_bold_section_name(line: TextLine) -> bool:
    """Whether a line is a section name in bold; above an abstract it is as small as that."""
    return line.bold and squash(line.text) in TOP_SECTIONS


def is_set_off_by_space(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a short line in about the text's size is set off by space, as headings in small
    capitals are: their type is not recognisable."""
    line = placed.line
    return (
        not placed.aside
        and len(line.pieces) == 1
        and style.ratio(line) >= 0.88
        and line.maths <= 0.3
        and (line.lead_in is None or line.lead_in.face is not Face.BOLD)
        and placed.above >= 1.5 * style.pitch
        and 1.12 * style.pitch <= placed.below < FAR
        and (placed.above == FAR or placed.above > 1.12 * placed.below)
        and placed.short_by > 0.15 * (placed.right - placed.left)
        and CAPTION.match(line.text) is None
        and BULLET.match(line.text) is None
    )


def is_in_other_font(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a short line without a number is set off by its font, in about the text's size."""
    line = placed.line
    return (
        not placed.aside
        and numbering_of(line.text) is None
        and len(line.pieces) == 1
        and line.font != style.font
        and style.ratio(line) >= FONT_ALONE
        and line.maths <= 0.3
        and line.lead_in is None
        and placed.above >= 1.2 * style.pitch
        and placed.above > placed.below
        and placed.short_by > 0.15 * (placed.right - placed.left)
        and CAPTION.match(line.text) is None
        and BULLET.match(line.text) is None
    )


def is_numbered_line(placed: PlacedLine, style: BodyStyle) -> bool:
    """Whether a line is a number and a few words in the text's own type."""
    line = placed.line
    number = next(iter(numbering_candidates(line.text)), None)
    return (
        number is not None
        and number.scheme == "1"
        and number.title[:1].isupper()
        and not placed.aside
        and len(line.pieces) <= 2
        and line.maths <= 0.3
        and style.ratio(line) >= SMALLEST
        and placed.above >= 1.1 * style.pitch
        and placed.short_by > 0.15 * (placed.right - placed.left)
        and CAPTION.match(line.text) is None
    )
