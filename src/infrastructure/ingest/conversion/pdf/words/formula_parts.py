"""The parts of formulas: words, signs that are printed in several pieces as one of them."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from citeloom.domain.documents.spans import BBox, union
from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap

from .characters import ASCENT, DESCENT, is_mathematical
from .scripts import baseline_of
from .word_runs import SCRIPT_RATIO

LEVEL = 0.16  # ems by which parts of one line differ at most
_BRACKETS = {
    piece: bracket
    for bracket, pieces in zip("()[]{}|√", "⎛⎜⎝ ⎞⎟⎠ ⎡⎢⎣ ⎤⎥⎦ ⎧⎪⎨⎩ ⎫⎬⎭ ⏐∣ ⌜⎷".split(), strict=True)
    for piece in pieces
}
_STROKE = "\u0338"
_STROKES = {_STROKE: _STROKE, "/": _STROKE}
_ACCENTS = {
    **dict(zip("ˆ˜¯ˇ˙¨⃗", "\u0302\u0303\u0304\u030c\u0307\u0308\u20d7", strict=True)),
    "^": "\u0302",
    "~": "\u0303",
}
_OVERLAYS = frozenset((*_STROKES, *_ACCENTS))
_RINGS = "◯○"
_MOSTLY = 0.6  # of the width of a stroke or an accent that is on its letter
_TOP, _BOTTOM = 0.75, 0.22  # of a letter, above and below its baseline


class FormulaPart(NamedTuple):
    """A word, or several as one: ``last`` is the place of the last one in the content, ``extent``
    the box of what is printed."""

    word: Word
    last: int
    extent: BBox

    @property
    def em(self) -> float:
        return self.word.size / (ASCENT + DESCENT)

    @property
    def base(self) -> float:
        return baseline_of(self.word)


def part_of(word: Word) -> FormulaPart:
    em, base = word.size / (ASCENT + DESCENT), baseline_of(word)
    return FormulaPart(word, word.order, (word.x0, base - _TOP * em, word.x1, base + _BOTTOM * em))


def with_overlays(parts: Sequence[FormulaPart]) -> Iterator[FormulaPart]:
    """Signs that are struck out, and letters with an accent, as one character."""
    at = 0
    while at < len(parts):
        whole = _overlaid(parts[at], parts[at + 1]) if at + 1 < len(parts) else None
        yield whole or parts[at]
        at += 2 if whole else 1


def _overlaid(first: FormulaPart, second: FormulaPart) -> FormulaPart | None:
    """Two parts as one, if the first is a stroke through the second, or either an accent on the
    other, which is a letter of mathematics."""
    if first.word.text in _RINGS and second.word.text == "c":
        is_inside = first.word.x0 < second.word.x0 and second.word.x1 < first.word.x1
        size = first.word.size
        return joined([first, second], "©", second.base, size) if is_inside else None
    for mark, other in ((first, second), (second, first)):
        if mark.word.text not in _OVERLAYS:
            continue
        combining = _STROKES.get(mark.word.text) if mark is first else None
        if combining is None and len(other.word.text) == 1 and other.word.text.isalpha():
            is_letter = is_mathematical(other.word.font)
            combining = _ACCENTS.get(mark.word.text) if is_letter else None
        width = mark.word.x1 - mark.word.x0
        shared = overlap(mark.word.x0, mark.word.x1, other.word.x0, other.word.x1)
        if combining is None or shared < _MOSTLY * width or second.word.order != first.last + 1:
            continue
        if combining != _STROKE and not _is_over(mark, other):
            continue
        begin, rest = other.word.text[0], other.word.text[1:]
        text = unicodedata.normalize("NFC", begin + combining)
        if mark is first and combining == _STROKE and len(text) > 1:
            continue
        whole = joined([first, second], text + rest, other.base, other.word.size)
        word = whole.word._replace(font=other.word.font, x0=other.word.x0, x1=other.word.x1)
        return whole._replace(word=word)
    return None


def _is_over(accent: FormulaPart, letter: FormulaPart) -> bool:
    """Whether an accent is of the size of a letter, and on its line or above."""
    size = letter.word.size
    return (
        abs(accent.word.size - size) < (1 - SCRIPT_RATIO) * size
        and accent.base < letter.base + LEVEL * letter.em
    )


def with_brackets(parts: Sequence[FormulaPart]) -> Iterator[FormulaPart]:
    """The stacked pieces of a large bracket, as one bracket."""
    at = 0
    while at < len(parts):
        first = parts[at].word
        end = at + 1
        if all(char in _BRACKETS for char in first.text):
            while end < len(parts) and _is_below(parts[end - 1].word, parts[end].word):
                end += 1
        if end - at < 2:
            yield parts[at]
        else:
            text = "".join(_BRACKETS[char] for char in parts[end - 1].word.text)
            box = union([part.word.box for part in parts[at:end]])
            base = (parts[at].base + parts[end - 1].base) / 2
            yield joined(parts[at:end], text, base, first.size, box)
        at = end


def _is_below(above: Word, below: Word) -> bool:
    return (
        below.order == above.order + 1
        and abs(below.x0 - above.x0) < 0.5
        and below.top > above.top
        and all(char in _BRACKETS for char in below.text)
    )


def joined(
    parts: Sequence[FormulaPart], text: str, base: float, size: float, extent: BBox | None = None
) -> FormulaPart:
    """Parts as one, on the line with ``base`` and in its size."""
    box = extent or union([part.extent for part in parts])
    em = size / (ASCENT + DESCENT)
    first = min((part.word for part in parts), key=lambda word: word.order)
    maths = next((p.word.font for p in parts if is_mathematical(p.word.font)), first.font)
    whole = first._replace(
        text=text, x0=box[0], x1=box[2], top=base - ASCENT * em, bottom=base + DESCENT * em,
        font=maths, bold=all(p.word.bold for p in parts), italic=all(p.word.italic for p in parts),
    )  # fmt: skip
    return FormulaPart(whole, max(part.last for part in parts), box)
