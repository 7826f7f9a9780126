"""Words of a page from its characters, in content order.

Reading order of the words in a line of mixed directions. The decoder gives words of a right-to-left
script in reading order of their characters, all others from left to right. In a line of Arabic or
Hebrew, punctuation belongs to the line, not to the words it touches: what looks like ``.]12[``
reads ``[12].`` (the rules of Unicode's UAX #9 for neutral characters and numbers, inverted).
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import groupby
from typing import NamedTuple

import numpy as np

from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap

from .characters import (
    ACCENTS,
    ASCENT,
    DESCENT,
    UNNAMED,
    PageCharacters,
    TextStyle,
    is_mathematical,
)

_NUMBER = re.compile(r"[$\u20ac\u00a3+]?\d+(?:[.,:/]\d+)*[%\u2030\u00b0]?")
_RANGES = re.compile(r"[$\u20ac\u00a3+]?\d+(?:[.,:/\u2013-]\d+)*[%\u2030\u00b0]?")
_CORE = re.compile(r"[^\W_](?:.*[^\W_])?")
TOUCHING = 0.13  # of the height: no space is set below this
_FACING = str.maketrans("()[]{}\u00ab\u00bb", ")(][}{\u00bb\u00ab")
_OPENING = "([{"


def direction(text: str) -> str:
    """``R`` for mostly right-to-left letters, ``L`` for others, empty without letters."""
    if text.isascii():
        return "L" if text.lower() != text.upper() else ""
    return _direction(text)


@lru_cache(maxsize=16384)
def _direction(text: str) -> str:
    classes = [unicodedata.bidirectional(char) for char in text]
    right, left = sum(k in ("R", "AL") for k in classes), classes.count("L")
    return "" if not right + left else "R" if right > left else "L"


def is_reversed(words: Sequence[Word]) -> bool:
    """Whether most words of the line's main script run against the x axis."""
    if not any(word.rtl for word in words):
        return False
    line = direction("".join(word.text for word in words))
    same_direction = [word for word in words if direction(word.text) == line]
    return bool(line) and 2 * sum(word.rtl for word in same_direction) > len(same_direction)


def in_reading_order(words: Sequence[Word], line_reversed: bool) -> list[Word]:
    """The words in reading order, split from the punctuation of a right-to-left line."""
    ordered = sorted(words, key=lambda w: -w.x1) if line_reversed else list(words)
    if all(word.rtl == line_reversed for word in ordered):
        return ordered
    line = direction("".join(word.text for word in ordered))
    ranged = not any(unicodedata.bidirectional(c) == "AL" for w in ordered for c in w.text)
    reordered: list[Word] = []
    for with_line, group in groupby(ordered, key=lambda w: w.rtl == line_reversed):
        if with_line:
            reordered.extend(group)
        elif line == "L":
            reordered.extend(reversed(list(group)))
        else:
            reordered.extend(_left_to_right_words(list(group), _RANGES if ranged else _NUMBER))
    return reordered if line == "L" else _with_paired_brackets(reordered)


def _left_to_right_words(group: Sequence[Word], number: re.Pattern[str]) -> Iterator[Word]:
    """Reading order of left-to-right words within a right-to-left line."""
    parts = [part for word in group for part in _split_core(word)]
    letters = [at for at, part in enumerate(parts) if direction(part.text)]
    if not letters:
        yield from (_reversed_signs(part, number) for part in parts)
        return
    first, last = letters[0], letters[-1]
    # A number after a foreign word belongs to it, as in GPT 4.
    while first > 0 and parts[first - 1].text[:1].isdigit():
        first -= 1
    core = list(reversed(parts[first : last + 1]))
    before = [_reversed_signs(part, number) for part in parts[:first]]
    after = [_reversed_signs(part, number) for part in parts[last + 1 :]]
    # Punctuation that touches the words moves to their other end when they are reversed.
    if before and _touch(before[-1], parts[first]):
        core[0] = core[0]._replace(text=before.pop().text + core[0].text)
    if after and _touch(after[0], parts[last]):
        core[-1] = core[-1]._replace(text=core[-1].text + after.pop(0).text)
    yield from [*before, *core, *after]


def _touch(first: Word, second: Word) -> bool:
    return overlap(first.x0, first.x1, second.x0, second.x1) > -TOUCHING * second.size


def _split_core(word: Word) -> list[Word]:
    """A word of foreign letters, split from the punctuation around it, in the line's direction."""
    core = _CORE.search(word.text) if direction(word.text) else None
    if core is None or core[0] == word.text:
        return [word]
    step = (word.x1 - word.x0) / len(word.text)
    parts = []
    for start, end in ((core.end(), len(word.text)), core.span(), (0, core.start())):
        if start < end:
            x0, x1 = word.x0 + step * start, word.x0 + step * end
            if word.rtl:  # its characters start at the right edge of the box
                x0, x1 = word.x1 - step * end, word.x1 - step * start
            parts.append(word._replace(text=word.text[start:end], x0=x0, x1=x1))
    return parts


def _reversed_signs(word: Word, number: re.Pattern[str]) -> Word:
    """Punctuation from right to left, the numbers in it from left to right."""
    if direction(word.text):
        return word
    parts: list[str] = []
    at = 0
    for match in number.finditer(word.text):
        parts += [*word.text[at : match.start()], match[0]]
        at = match.end()
    return word._replace(text="".join(reversed([*parts, *word.text[at:]])))


def _with_paired_brackets(words: list[Word]) -> list[Word]:
    """Mirrored brackets, if that pairs more of them."""
    if _unpaired("".join(w.text for w in words)) <= _unpaired(
        "".join(w.text for w in words).translate(_FACING)
    ):
        return words
    return [word._replace(text=word.text.translate(_FACING)) for word in words]


def _unpaired(text: str) -> int:
    """How many brackets have no partner."""
    open_, unmatched = 0, 0
    for char in text:
        if char in _OPENING:
            open_ += 1
        elif char in ")]}":
            unmatched += not open_
            open_ = max(0, open_ - 1)
    return open_ + unmatched


_LINE_ENDS = frozenset((0x0A, 0x0D))
_SPACES = frozenset((0x20, 0x09, 0xA0, *range(0x2000, 0x200B), 0x202F, 0x2423, 0x3000))
_BLANKS = _LINE_ENDS | _SPACES
# pdfium's own codes for a hyphen at the end of a line.
_HYPHENS = frozenset((0x02, 0xFFFE))
_DOTTED = {0x131: "i", 0x237: "j"}  # dotless letters, below an accent
# pdfium's codes are those of UTF-16: mathematical letters take two.
_SURROGATES = range(0xD800, 0xE000)
# Of the em. A word ends where the next character is raised or lowered by more than _SHIFT, or
# farther than _SPACE_GAP (letters: _LETTER_GAP); pdfium's space in a gap below _KERN is none.
_SHIFT, _SPACE_GAP, _LETTER_GAP, _BACK, _KERN = 0.12, 0.2, 0.185, 0.5, 0.08
#: Names that TeX parts from letters and numbers by a sixth of an em.
FUNCTIONS = frozenset("log ln lg exp sin cos tan max min sup inf lim det gcd arg".split())


# Adobe's characters of private use for signs that Unicode has had since (Adobe Glyph List).
_ADOBE = dict(zip(range(0xF8E8, 0xF8FF), "®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭", strict=True))


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

    ``Word.order`` counts from 0 in content order; ``Word.spaced`` says whether the content has a
    space or a line's end before the word. ``shared`` and ``rounded`` give texts and coordinates,
    each equal one as one object.
    """
    words: list[DirectedWord] = []
    columns = _Columns.of(characters, width, height)
    spans, marks = _with_marks(characters, columns, [*_parted(characters, columns)])
    content = "".join(map(chr, characters.codes))
    ends = [end for first, last, _ in spans for end in (first, last + 1)]
    lefts = np.minimum.reduceat([*columns.x0, 0.0], ends)[::2].tolist() if ends else []
    rights = np.maximum.reduceat([*columns.x1, 0.0], ends)[::2].tolist() if ends else []
    heights: dict[tuple[float, float], tuple[float, float]] = {}
    for (first, last, spaced), x0, x1 in zip(spans, lefts, rights, strict=True):
        text = content[first : last + 1]
        if marks or not (text.isascii() and text.isprintable()) or " " in text:
            text = _text(characters, first, last, marks)
        text = shared(text)
        if not text or text.isspace():
            continue
        style = characters.table[characters.styles[first]]
        base = columns.base[first]
        if text[0] in _HANGING:
            base += _hang(text, characters, first)
        if (base, style.em) not in heights:
            top, bottom = base - ASCENT * style.em, base + DESCENT * style.em
            heights[base, style.em] = rounded(top), rounded(bottom)
        top, bottom = heights[base, style.em]
        word = Word(
            text,
            rounded(x0),
            top,
            rounded(x1),
            bottom,
            style.font,
            style.bold,
            style.italic,
            not text.isascii() and direction(text) == "R",
            len(words),
            spaced or not words,
        )
        words.append(DirectedWord(word, style.turn, style, first))
    return words


# Signs that TeX's fonts draw below their origin, centred on the axis of the formula. The second
# group is that of text fonts too.
_OPERATORS = frozenset("√∑∏∐∫∮⋃⋂⋁⋀⨁⨂⨀⨄⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎪⎨⎩⎫⎬⎭")
_BRACKETS = frozenset("()[]{}|‖⟨⟩⌊⌋⌈⌉/")
_HANGING = _OPERATORS | _BRACKETS
_HANGS = 0.1  # of the em: signs of text have their centre above the baseline
AXIS = 0.25  # of the em: height of the axis of a formula above its baseline


def _hang(text: str, characters: PageCharacters, at: int) -> float:
    """How far below the origin of a sign the baseline of its formula is, in points."""
    style = characters.table[characters.styles[at]]
    signs = _OPERATORS
    if is_mathematical(style.font) or style.font.startswith(UNNAMED):
        signs |= _BRACKETS
    if text[0] not in signs or style.turn or not characters.upright:
        return 0.0
    low, high = characters.edges(at)
    centre = (low + high) / 2
    return AXIS * style.em - centre if centre < -_HANGS * style.em else 0.0


class _Columns(NamedTuple):
    """Left and right edge and baseline of each character, and the x of its origin, in the frame of
    its direction. A letter may begin left of its origin."""

    x0: list[float]
    x1: list[float]
    base: list[float]
    origin: list[float]

    @classmethod
    def of(cls, characters: PageCharacters, width: float, height: float) -> "_Columns":
        boxes, origins = characters.boxes, characters.origins
        edges = (boxes[:, 0], boxes[:, 2], origins[:, 1], origins[:, 0])
        columns = cls(*(edge.tolist() for edge in edges))
        turned = {i for i, style in enumerate(characters.table) if style.turn}
        if not turned:
            return columns
        for i, style in enumerate(characters.styles):
            if style in turned:
                turn = characters.table[style].turn
                left, top, right, bottom = boxes[i].tolist()
                x, y = origins[i].tolist()
                columns.x0[i], columns.x1[i], columns.base[i], columns.origin[i] = {
                    90: (height - bottom, height - top, x, height - y),
                    180: (width - right, width - left, height - y, width - x),
                    270: (top, bottom, width - x, y),
                }[turn]
        return columns


_Span = tuple[int, int, bool]
# Of the em: the least space of a compressed line, and the most between letters that touch; how many
# touch for each such space in what looks like one word.
_TIGHT, _TOUCH, _TOUCHING_LETTERS = 0.075, 0.03, 2


def _parted(characters: PageCharacters, columns: _Columns) -> Iterator[_Span]:
    """The words, also those of compressed lines: where letters touch, a small gap is a space."""
    styles, codes = np.array(characters.styles, dtype=int), characters.codes
    ems = np.array([style.em for style in characters.table] or [1.0])[styles]
    gaps = (np.array(columns.x0[1:]) - np.array(columns.x1[:-1])) / ems[:-1]
    wide = np.flatnonzero(gaps > _TIGHT).tolist()
    usual = cache(partial(_advances, characters, columns))
    for first, last, spaced in _spans(characters, columns):
        ends = wide[bisect_left(wide, first) : bisect_left(wide, last)]
        inner = gaps[first:last]
        touching = np.count_nonzero(inner < _TOUCH) if ends else 0
        if (
            touching >= _TOUCHING_LETTERS * len(ends)
            and touching + len(ends) == len(inner)
            and all(chr(codes[at]).islower() and chr(codes[at + 1]).isalpha() for at in ends)
            and all(_pen_gap(columns, at, usual(), characters) > _TIGHT for at in ends)
        ):
            for end in ends:
                yield first, end, spaced
                first, spaced = end + 1, True
        yield first, last, spaced


def _pen_gap(
    columns: _Columns, at: int, usual: Mapping[tuple[int, int], float], characters: PageCharacters
) -> float:
    """How much farther than usual the next character is, in em."""
    style = characters.styles[at]
    step = columns.origin[at + 1] - columns.origin[at]
    return (step - usual.get((style, characters.codes[at]), step)) / characters.table[style].em


_NEAR = 12  # words from an accent to that of its letter: some programs write accents before a line


def _with_marks(
    characters: PageCharacters, columns: _Columns, spans: list[_Span]
) -> tuple[list[_Span], dict[int, str]]:
    """The words without accents that are words of their own, drawn over a letter of a word near
    them in the content, and the combining mark of each such letter."""
    marks: dict[int, str] = {}
    kept: list[_Span] = []
    moved: bool | None = None  # whether a space precedes an accent over the next word
    for at, (first, last, spaced) in enumerate(spans):
        mark = _mark(chr(characters.codes[first])) if first == last else ""
        near = [*spans[max(0, at - _NEAR) : at], *spans[at + 1 : at + 1 + _NEAR]] if mark else []
        letter = _letter_below(first, near, characters, columns) if mark else None
        if letter is not None:
            marks[letter] = mark
            moved = spaced if at + 1 < len(spans) and first < letter <= spans[at + 1][1] else moved
            continue
        kept.append((first, last, spaced if moved is None else moved))
        moved = None
    return kept, marks


@lru_cache(maxsize=4096)
def _mark(char: str) -> str:
    """The combining mark that a character is, or looks like; empty for others."""
    return ACCENTS.get(char, char if unicodedata.combining(char) else "")


def _letter_below(
    mark: int, near: Sequence[_Span], characters: PageCharacters, columns: _Columns
) -> int | None:
    """The letter of the words ``near`` below an accent: of a letter and its index the letter, whose
    baseline is nearer."""
    x, base = (columns.x0[mark] + columns.x1[mark]) / 2, columns.base[mark]
    em = characters.table[characters.styles[mark]].em
    over = [
        (abs(columns.base[at] - base), abs(columns.x0[at] + columns.x1[at] - 2 * x), at)
        for first, last, _ in near
        for at in range(first, last + 1)
        if columns.x0[at] <= x <= columns.x1[at]
        and abs(columns.base[at] - base) < em
        and chr(characters.codes[at]).isalpha()
    ]
    return min(over)[-1] if over else None


def _spans(characters: PageCharacters, columns: _Columns) -> Iterator[_Span]:
    """First and last character of each word, and whether a space precedes it."""
    codes, styles = characters.codes, characters.styles
    x0, x1, base, _ = columns
    ems = [style.em for style in characters.table]
    advances = cache(partial(_advances, characters, columns))
    first = last = -1
    spaced = gap_ahead = True
    for i, code in enumerate(codes):
        if code in _BLANKS or (styles[i] < 0 and code not in _HYPHENS):
            if last >= 0 and not _is_kern(characters, columns, i, last, advances):
                gap_ahead = True
                if first >= 0:
                    yield first, last, spaced
                    first = -1
            continue
        if styles[i] < 0:  # a hyphen that pdfium generated
            styles[i] = styles[last] if last >= 0 else -1
            if styles[i] < 0:
                continue
        if first >= 0:
            em, gap = ems[styles[i]], x0[i] - x1[last]
            if gap > _SPACE_GAP * em or (
                gap > _LETTER_GAP * em and chr(codes[last]).islower() and chr(code).isalpha()
            ):
                yield first, last, spaced
                first, gap_ahead = -1, True
            elif (
                styles[i] != styles[last]
                or abs(base[i] - base[last]) > _SHIFT * em
                or (
                    gap < -_BACK * em
                    and x0[i] != x0[last]  # part of a ligature
                    and direction(chr(codes[i])) != "R"
                    and chr(codes[last]) not in ACCENTS  # a wide ring over the next letter
                )
            ):
                yield first, last, spaced
                first, gap_ahead = -1, False
        if first < 0:
            first, spaced, gap_ahead = i, gap_ahead, False
        last = i
    if first >= 0:
        yield first, last, spaced


def _is_kern(
    characters: PageCharacters,
    columns: _Columns,
    at: int,
    last: int,
    advances: Callable[[], Mapping[tuple[int, int], float]],
) -> bool:
    """Whether a space that pdfium generated does not represent a gap."""
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
    usual, style = advances(), styles[last]
    advance = usual.get((style, characters.codes[last]))
    if advance is not None:
        end = columns.origin[last] + advance
    else:
        end = columns.x1[last] - max(0.0, usual.get((style, _ANY), 0.0))
    if not -kern < columns.origin[following] - end < kern:
        return False
    level = abs(columns.base[following] - columns.base[last]) < kern / _KERN * _SHIFT
    return level and characters.is_generated(at)


_ANY = -1  # in place of a code


def _advances(characters: PageCharacters, columns: _Columns) -> dict[tuple[int, int], float]:
    """The usual distance from the origin of a character to that of the next, by style and code, and
    by style the usual distance from there to the right edge: letters of an italic face
    reach beyond it."""
    origin, right = np.array(columns.origin), np.array(columns.x1)
    codes, styles = np.array(characters.codes), np.array(characters.styles)
    blank = np.isin(codes, [*_SPACES])
    at = np.flatnonzero((styles[:-1] == styles[1:]) & (styles[1:] >= 0) & ~(blank[:-1] | blank[1:]))
    style = np.concatenate([styles[at], styles[at]])
    code = np.concatenate([codes[at], np.full(len(at), _ANY)])
    steps = np.concatenate([origin[at + 1] - origin[at], right[at] - origin[at + 1]])
    order = np.lexsort((steps, code, style))
    style, code, steps = style[order], code[order], steps[order]
    begins = np.flatnonzero(np.diff(style, prepend=_ANY) | np.diff(code, prepend=_ANY - 1))
    sizes = np.diff(begins, append=len(steps))
    medians = (steps[begins + (sizes - 1) // 2] + steps[begins + sizes // 2]) / 2
    keys = zip(style[begins].tolist(), code[begins].tolist(), strict=True)
    return dict(zip(keys, medians.tolist(), strict=True))


def _text(characters: PageCharacters, first: int, last: int, marks: Mapping[int, str]) -> str:
    """The text of a word; a space in it is a kern."""
    codes = characters.codes[first : last + 1]
    text = "".join(
        _DOTTED.get(code, chr(code)) + marks[at]
        if at in marks
        else "-"
        if code in _HYPHENS
        else chr(code)
        for at, code in enumerate(codes, first)
        if code not in _SPACES
    )
    if any(code in _SURROGATES for code in codes):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = text.translate(_ADOBE)
    return unicodedata.normalize("NFC", text) if marks else text
