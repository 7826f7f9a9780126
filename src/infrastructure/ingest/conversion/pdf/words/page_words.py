"""Words of a page from its characters, in content order."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word
from citeloom.infrastructure.ingest.conversion.pdf.words.bidi import direction
from citeloom.infrastructure.ingest.conversion.pdf.words.font_heights import ASCENT, DESCENT
from citeloom.infrastructure.ingest.conversion.pdf.words.page_characters import (
    PageCharacters,
    TextStyle,
)

_LINE_ENDS = frozenset((0x0A, 0x0D))
_SPACES = frozenset((0x20, 0x09, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x3000))
# pdfium's own codes for a hyphen at the end of a line.
_HYPHENS = frozenset((0x02, 0xFFFE))
# pdfium's codes are those of UTF-16: mathematical letters take two.
_SURROGATES = range(0xD800, 0xE000)
# Of the em. A word ends where the next character is raised or lowered by more than _SHIFT, or
# further away than _SPACE_GAP; a space that pdfium generated in a gap below _KERN is none.
_SHIFT, _SPACE_GAP, _BACK, _KERN = 0.12, 0.2, 0.5, 0.06


class DirectedWord(NamedTuple):
    """A word in the frame of its own direction, its direction on the displayed page in
    degrees, and the index of its first character."""

    word: Word
    turn: int
    style: TextStyle
    first: int


def page_words(
    characters: PageCharacters,
    width: float,
    height: float,
    shared: Callable[[str], str],
    rounded: Callable[[float], float],
) -> list[DirectedWord]:
    """The words of a page of ``width`` and ``height`` points as displayed.

    ``Word.order`` counts from 0 in content order; ``Word.spaced`` tells whether the content
    has a space or a line's end before the word. ``shared`` and ``rounded`` give texts and
    coordinates, each equal one as one object.
    """
    words: list[DirectedWord] = []
    columns = _Columns.of(characters, width, height)
    for first, last, spaced in _spans(characters, columns):
        text = shared(_text(characters, first, last))
        if not text or text.isspace():
            continue
        style = characters.table[characters.styles[first]]
        x0 = min(columns.x0[first : last + 1])
        x1 = max(columns.x1[first : last + 1])
        base = columns.base[first]
        word = Word(
            text,
            rounded(x0),
            rounded(base - ASCENT * style.em),
            rounded(x1),
            rounded(base + DESCENT * style.em),
            style.font,
            style.bold,
            style.italic,
            not text.isascii() and direction(text) == "R",
            len(words),
            spaced or not words,
        )
        words.append(DirectedWord(word, style.turn, style, first))
    return words


class _Columns(NamedTuple):
    """Left and right edge and baseline of each character, in the frame of its direction."""

    x0: list[float]
    x1: list[float]
    base: list[float]

    @classmethod
    def of(cls, characters: PageCharacters, width: float, height: float) -> "_Columns":
        boxes, origins = characters.boxes, characters.origins
        columns = cls(boxes[:, 0].tolist(), boxes[:, 2].tolist(), origins[:, 1].tolist())
        turned = {i for i, style in enumerate(characters.table) if style.turn}
        if not turned:
            return columns
        for i, style in enumerate(characters.styles):
            if style in turned:
                turn = characters.table[style].turn
                left, top, right, bottom = boxes[i].tolist()
                x, y = origins[i].tolist()
                columns.x0[i], columns.x1[i], columns.base[i] = {
                    90: (height - bottom, height - top, x),
                    180: (width - right, width - left, height - y),
                    270: (top, bottom, width - x),
                }[turn]
        return columns


def _spans(characters: PageCharacters, columns: _Columns) -> Iterator[tuple[int, int, bool]]:
    """First and last character of each word, and whether a space precedes it."""
    codes, styles = characters.codes, characters.styles
    x0, x1, base = columns
    first = last = -1
    spaced = gap_ahead = True
    for i, code in enumerate(codes):
        if code in _LINE_ENDS or code in _SPACES or (styles[i] < 0 and code not in _HYPHENS):
            if last >= 0 and not _is_kern(characters, columns, i, last):
                gap_ahead = True
                if first >= 0:
                    yield first, last, spaced
                    first = -1
            continue
        if styles[i] < 0:  # a hyphen that pdfium generated
            styles[i] = styles[last] if last >= 0 else -1
            if styles[i] < 0:
                continue
        style = characters.table[styles[i]]
        if first >= 0:
            gap = x0[i] - x1[last]
            if style.em and gap > _SPACE_GAP * style.em:
                yield first, last, spaced
                first, gap_ahead = -1, True
            elif (
                styles[i] != styles[last]
                or abs(base[i] - base[last]) > _SHIFT * style.em
                or (
                    gap < -_BACK * style.em
                    and x0[i] != x0[last]  # part of a ligature
                    and not _reads_leftwards(codes[i])
                )
            ):
                yield first, last, spaced
                first, gap_ahead = -1, False
        if first < 0:
            first, spaced, gap_ahead = i, gap_ahead, False
        last = i
    if first >= 0:
        yield first, last, spaced


def _is_kern(characters: PageCharacters, columns: _Columns, at: int, last: int) -> bool:
    """Whether a space that pdfium generated stands for no gap."""
    styles = characters.styles
    following = at + 1
    if (
        characters.codes[at] != 0x20
        or following >= len(styles)
        or styles[following] < 0
        or styles[following] != styles[last]
    ):
        return False
    kern = _KERN * characters.table[styles[last]].em
    if not -kern < columns.x0[following] - columns.x1[last] < kern:
        return False
    level = abs(columns.base[following] - columns.base[last]) < kern / _KERN * _SHIFT
    return level and characters.is_generated(at)


def _reads_leftwards(code: int) -> bool:
    return direction(chr(code)) == "R"


def _text(characters: PageCharacters, first: int, last: int) -> str:
    codes = characters.codes[first : last + 1]
    if min(codes) > 0x20 and max(codes) < 0x7F:
        return "".join(map(chr, codes))
    text = "".join("-" if code in _HYPHENS else chr(code) for code in codes).strip()
    if any(code in _SURROGATES for code in codes):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
