"""Words of a line in the order in which they are read, whichever way their script runs.

A decoder gives the words of a right-to-left script with their characters in reading order,
all others as they stand from left to right. In a line of Arabic or Hebrew the signs among
the others belong to the line, not to the words they touch: what looks like ``.]12[`` reads
``[12].`` (the rules for neutral characters and numbers of Unicode's UAX #9, turned round).
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

from citeloom.infrastructure.ingest.conversion.pdf.page_record import Word, overlap

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
    kinds = [unicodedata.bidirectional(char) for char in text]
    right, left = sum(k in ("R", "AL") for k in kinds), kinds.count("L")
    return "" if not right + left else "R" if right > left else "L"


def is_against(words: Sequence[Word]) -> bool:
    """Whether a line is read against the direction in which its words' boxes count."""
    if not any(word.rtl for word in words):
        return False
    whole = direction("".join(word.text for word in words))
    with_it = [word for word in words if direction(word.text) == whole]
    return bool(whole) and 2 * sum(word.rtl for word in with_it) > len(with_it)


def in_reading_order(words: Sequence[Word], against: bool) -> list[Word]:
    """The words as they are read; those cut in two that hold signs of a right-to-left line."""
    ordered = sorted(words, key=lambda w: -w.x1) if against else list(words)
    if all(word.rtl == against for word in ordered):
        return ordered
    line = direction("".join(word.text for word in ordered))
    ranged = not any(unicodedata.bidirectional(c) == "AL" for w in ordered for c in w.text)
    out: list[Word] = []
    for along, group in groupby(ordered, key=lambda w: w.rtl == against):
        if along:
            out.extend(group)
        elif line == "L":
            out.extend(reversed(list(group)))
        else:
            out.extend(_foreign(list(group), _RANGES if ranged else _NUMBER))
    return out if line == "L" else _facing(out)


def _foreign(group: Sequence[Word], number: re.Pattern[str]) -> Iterator[Word]:
    """Words in reading order of a right-to-left line that stand from left to right in it."""
    parts = [part for word in group for part in _cut(word)]
    letters = [at for at, part in enumerate(parts) if direction(part.text)]
    if not letters:
        yield from (_signs(part, number) for part in parts)
        return
    first, last = letters[0], letters[-1]
    # A number that is read after a foreign word runs on with it, as in GPT 4.
    while first > 0 and parts[first - 1].text[:1].isdigit():
        first -= 1
    core = list(reversed(parts[first : last + 1]))
    before = [_signs(part, number) for part in parts[:first]]
    after = [_signs(part, number) for part in parts[last + 1 :]]
    # Signs that touch the words stand at their other end once these are turned round.
    if before and _touch(before[-1], parts[first]):
        core[0] = core[0]._replace(text=before.pop().text + core[0].text)
    if after and _touch(after[0], parts[last]):
        core[-1] = core[-1]._replace(text=core[-1].text + after.pop(0).text)
    yield from [*before, *core, *after]


def _touch(one: Word, other: Word) -> bool:
    return overlap(one.x0, one.x1, other.x0, other.x1) > -TOUCHING * other.size


def _cut(word: Word) -> list[Word]:
    """A word of foreign letters parted from the signs around it, in the line's direction."""
    core = _CORE.search(word.text) if direction(word.text) else None
    if core is None or core[0] == word.text:
        return [word]
    step = (word.x1 - word.x0) / len(word.text)
    parts = []
    for start, end in ((core.end(), len(word.text)), core.span(), (0, core.start())):
        if start < end:
            x0, x1 = word.x0 + step * start, word.x0 + step * end
            if word.rtl:  # its box counts from the right
                x0, x1 = word.x1 - step * end, word.x1 - step * start
            parts.append(word._replace(text=word.text[start:end], x0=x0, x1=x1))
    return parts


def _signs(word: Word, number: re.Pattern[str]) -> Word:
    """Signs from right to left, the numbers among them from left to right."""
    if direction(word.text):
        return word
    parts: list[str] = []
    at = 0
    for match in number.finditer(word.text):
        parts += [*word.text[at : match.start()], match[0]]
        at = match.end()
    return word._replace(text="".join(reversed([*parts, *word.text[at:]])))


def _facing(words: list[Word]) -> list[Word]:
    """Brackets as they are meant, where a file has them as they are drawn."""
    if _unpaired("".join(w.text for w in words)) <= _unpaired(
        "".join(w.text for w in words).translate(_FACING)
    ):
        return words
    return [word._replace(text=word.text.translate(_FACING)) for word in words]


def _unpaired(text: str) -> int:
    """Brackets without their partner."""
    open_, alone = 0, 0
    for char in text:
        if char in _OPENING:
            open_ += 1
        elif char in ")]}":
            alone += not open_
            open_ = max(0, open_ - 1)
    return open_ + alone
