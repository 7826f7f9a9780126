"""Disputed sentences: neighbouring words that no independent reading of the page has side by side.

A layout may run on from one column into the next, or from a paragraph into a caption: each word is
on the page, the sentence is not. An independent reading seldom errs at the same place. What it
cannot decide is judged by the lines: a sentence that leaps over white space, or over the end of a
column or page, goes on in lower case.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from .fidelity import FIRST_UNSPACED, words_of
from .spans import CharSpan, Line

# Letters before and after a place that are looked for together. Of 19,206 sentences of 61 papers
# 54 have a place that a reading of the page lacks; half of these hold formulas.
_REACH = 8
_SHORTEST = 3  # letters of a word: readers order the signs of formulas as they like
_CERTAIN = 7  # letters of two words that are seldom neighbours by chance
# Letters that a reading may have more between two words: around a formula, around a number.
_SLACK, _SLACK_OF_NUMBER = 12, 3
_NUMBER_BETWEEN = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{3,}[-\u00ad\u2010]?)[^\w\n]{0,3}([0-9]{1,4})[^\w\n]{1,3}(?=([^\W\d_]{3,}))"
)
# A caption that begins within a sentence; not a reference to a figure before a colon.
_CAPTION_WITHIN = re.compile(
    r"(?<!\bin)(?<![sS]ee)(?<!\bof)(?<!\band)(?<!\bfrom)(?<!\bto)(?<!\bby)"
    r"\s(?:Figure|Fig\.|Table) \d{1,2}[:.] \S"
)
# A piece of a large bracket, the bar of a fraction: the rows of a formula are within the sentence.
_FORMULA_WITHIN = re.compile(r"[\u239b-\u23ae]|(?<!-)-{4,}(?=[^\W_]|\s)")
_LEAP = 1.9  # heights of a line from one baseline to the next: white space is between them
_INDENT = 8.0  # points: below white space, code or a box is set in, the rest of a sentence is not
_SHORT = 0.7  # of the line above: so are the lines of code
_UP = 2.0  # points by which the next line is higher: it is in another column
_CUT_WORD = re.compile(r"[^\W\d_]+[-\u00ad\u2010]\Z")  # at the end of a column
_WORD_REST = re.compile(r"[^\W\d_]+")
_SENTENCE_OPENERS = "\"'“‘«([{"


class _Strand(NamedTuple):
    """A part of a sentence in one column: what another reading has in one piece."""

    page: int
    start: int
    end: int


def page_letters(readings: Sequence[str]) -> tuple[str, ...]:
    """The letters and digits of each reading of a page that has any."""
    return tuple(letters for reading in readings if (letters := "".join(words_of(reading))))


def disputed_sentences(
    text: str,
    sentences: Iterable[tuple[int, int]],
    lines: Sequence[Line],
    readings: Mapping[int, Sequence[str]],
) -> Iterator[CharSpan]:
    """The disputed ones of the ``sentences`` of a block's ``text``; offsets of them and of its
    ``lines`` are into it.

    ``readings`` are ``page_letters`` by page (from 1). A sentence is not judged on other pages.
    """
    document = [letters for page in readings.values() for letters in page]
    close = any(_is_below(a, b) and not _is_far_below(a, b) for a, b in pairwise(lines))
    for start, end in sentences:
        inside = [line for line in lines if line.start < end and start < line.end]
        strands = [*_strands(start, end, inside)]
        if (
            _CAPTION_WITHIN.search(text, start, end)
            or _FORMULA_WITHIN.search(text, start, end)
            or any(_is_torn(text, strand, readings.get(strand.page, ())) for strand in strands)
            or any(
                _goes_astray(text, before, after, readings.get(after.page, ()), document)
                for before, after in pairwise(strands)
            )
            or any(
                _is_far_below(before, line)
                and (text[line.start].isupper() or (close and _is_apart(before, line, inside[-1])))
                for before, line in pairwise(inside)
            )
        ):
            yield CharSpan(start=start, end=end)


def _strands(start: int, end: int, lines: Sequence[Line]) -> Iterator[_Strand]:
    """The parts of a sentence: one ends where the next line is on another page, or higher."""
    strand: _Strand | None = None
    before: Line | None = None
    for line in lines:
        stop = min(end, line.end)
        if strand is not None and before is not None and _is_below(before, line):
            strand = strand._replace(end=stop)
        else:
            if strand is not None:
                yield strand
            strand = _Strand(line.page, max(start, line.start), stop)
        before = line
    if strand is not None:
        yield strand


def _is_below(before: Line, line: Line) -> bool:
    return line.page == before.page and line.bbox[3] > before.bbox[3] - _UP


def _is_far_below(before: Line, line: Line) -> bool:
    height = max(before.bbox[3] - before.bbox[1], line.bbox[3] - line.bbox[1])
    return line.page == before.page and line.bbox[3] - before.bbox[3] > _LEAP * height


def _is_apart(before: Line, line: Line, last: Line) -> bool:
    """Whether a line below white space is set in, or short though the sentence goes on."""
    short = line is not last and line.bbox[2] - line.bbox[0] < _SHORT * (
        before.bbox[2] - before.bbox[0]
    )
    return short or line.bbox[0] > before.bbox[0] + _INDENT


def _is_torn(text: str, strand: _Strand, readings: Sequence[str]) -> bool:
    """Whether two words that follow each other do so in none of ``readings``, if there are any.
    The first letter of a block may be a drop cap, which is read somewhere else."""
    words = words_of(text[strand.start : strand.end])
    letters = "".join(words)
    dropped = 1 if strand.start == 0 else 0
    if not readings or _stands(letters[dropped:], readings):
        return False
    if _has_foreign_number(text[strand.start : strand.end], readings):
        return True
    ends = [0, *accumulate(map(len, words))]
    for at, after in pairwise(at for at, word in enumerate(words) if _is_word(word)):
        first = words[at][dropped if at == 0 else 0 :]
        around = letters[max(dropped, ends[after] - _REACH) : ends[after] + _REACH]
        if after == at + 1 and _stands(around, readings):
            continue
        if not _are_neighbours(first, letters[ends[at + 1] : ends[after]], words[after], readings):
            return True
    return False


def _has_foreign_number(text: str, readings: Sequence[str]) -> bool:
    """Whether a number, such as a page number or label, is between two words that another reading
    has side by side. Raised numbers are notes, which readings place freely."""
    return any(
        len(first) + len(second) >= _CERTAIN
        and _stands(first + second, readings)
        and not (_stands(first + number, readings) or _stands(number + second, readings))
        for match in _NUMBER_BETWEEN.finditer(text)
        for first, number, second in [("".join(words_of(part)) for part in match.groups())]
    )


def _are_neighbours(first: str, between: str, second: str, readings: Sequence[str]) -> bool:
    if not between:
        return len(first) + len(second) >= _CERTAIN and _stands(first + second, readings)
    if _stands(first + between + second, readings):
        return True
    slack = _SLACK_OF_NUMBER if between.isdecimal() else _SLACK
    gap = f".{{0,{len(between) + slack}}}"
    near = re.compile(re.escape(first) + gap + re.escape(second), re.DOTALL)
    return any(near.search(letters) for letters in readings)


def _stands(letters: str, readings: Sequence[str]) -> bool:
    return any(letters in reading for reading in readings)


def _is_word(word: str) -> bool:
    return word.isalpha() and (len(word) >= _SHORTEST or word >= FIRST_UNSPACED)


def _goes_astray(
    text: str,
    before: _Strand,
    after: _Strand,
    readings: Sequence[str],
    document: Sequence[str],
) -> bool:
    """Whether a sentence continues in another column or page with text that looks like the
    beginning of another sentence, and none of ``readings`` has both together. The rest of a word,
    such as that of a name in two parts, is not a beginning if a reading has the whole word
    somewhere."""
    begins = text[after.start : after.end].lstrip(_SENTENCE_OPENERS)[:1]
    if not readings or begins.islower() or begins >= FIRST_UNSPACED:
        return False
    cut = _CUT_WORD.search(text, before.start, after.start)
    rest = _WORD_REST.match(text, after.start)
    if cut and rest and _stands("".join(words_of(cut[0] + rest[0])), document):
        return False
    end, start = (words_of(text[part.start : part.end]) for part in (before, after))
    return not _stands("".join(end)[-_REACH:] + "".join(start)[:_REACH], readings)
