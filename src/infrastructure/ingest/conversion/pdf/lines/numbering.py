"""Section numbers as printed: 2.1, IV., II.a, A.2, Appendix B, 第3章."""

import re
import unicodedata
from itertools import pairwise
from typing import NamedTuple

_WORD = (
    r"appendix|annex|annexe|anhang|ap\u00e9ndice|chapter|chapitre|kapitel|cap\u00edtulo|part|"
    r"partie|teil|section|abschnitt|secci\u00f3n|\ubd80\ub85d|\u9644\u5f55|\u4ed8\u9332|\u00a7"
)
_NUMBERED = re.compile(
    rf"^(?P<word>(?:{_WORD})\s*)?"
    r"(?P<number>\d{1,2}(?:\.{1,2}(?:\d{1,3}|[a-z](?![^\W\d_]))){0,4}"
    r"|[IVX]{1,5}(?![^\W\d_])(?:\.{1,2}(?:\d{1,2}|[a-z])(?![^\W_]))*"
    r"|[A-Z]\d{1,2}(?:\.\d{1,2}){0,2}(?=\s)"
    r"|[A-Z](?:\.{1,2}(?:\d{1,2}|[a-z])(?![^\W_])){0,3})"
    r"(?P<stop>[.:)]?)(?:\s+|(?=[^\W\d_])|$)(?P<title>.*\S)?$",
    re.IGNORECASE,
)
_GLUED = re.compile(r"^([A-Z])(?=\d)")
_MISREAD_ONE = re.compile(r"^[Il](?=(?:\.\d{1,2})*\.?\s+[^\W\d_a-z])")  # by OCR
_LETTERED = re.compile(r"^\(?(?P<letter>[a-z])[.)]\s+(?P<title>[^\W\d_a-z].*\S)$")
_HAN = re.compile(
    r"^[\u7b2c\uc81c]?\s*(?P<number>\d{1,2}|[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b"
    r"\u4e5d\u5341]{1,3})\s*(?P<unit>[\u7ae0\u7bc0\u8282\uc7a5\uc808\u3001])\s*(?P<title>.*\S)$"
)
_HAN_DIGITS = {
    char: n
    for n, char in enumerate("\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341", 1)
}


class Numbering(NamedTuple):
    """A section number. ``path`` holds its parts, letters counted from 1. ``scheme`` is how the
    first part is written: ``1``, ``I``, ``A``, or the Han word for chapter or section.
    ``worded``: a word such as *Appendix* precedes it; ``stopped``: a stop follows it."""

    path: tuple[int, ...]
    scheme: str
    title: str
    stopped: bool = False
    worded: bool = False


def numbering_of(text: str) -> Numbering | None:
    """The section number at the beginning of ``text``, if it begins like a heading."""
    return next(iter(numbering_candidates(text)), None)


def numbering_candidates(text: str) -> tuple[Numbering, ...]:
    """Every reading of the number at the beginning of ``text``: I may be 1 or a letter, or a 1
    that OCR has misread, as may l."""
    misread = _MISREAD_ONE.match(text)
    ones = _readings(f"1{text[1:]}") if misread else ()
    return (*_readings(text), *ones)


def _readings(text: str) -> tuple[Numbering, ...]:
    match = _NUMBERED.match(text)
    if match is None:
        return _han(text)
    number, title = match["number"], (match["title"] or "").strip()
    worded, stopped = bool(match["word"]), bool(match["stop"])
    if _GLUED.match(number) and not title[:1].isupper():
        return ()
    head, *rest = re.split(r"\.+", _GLUED.sub(r"\1.", number))
    glued = not re.match(r"\s", text[match.end("stop") : match.end("stop") + 1] or " ")
    if (glued and not (head.isdigit() and stopped)) or not (title or worded):
        return ()
    path = tuple(_value(part) for part in rest)
    if head.isdigit():
        return (Numbering((int(head), *path), "1", title, stopped, worded),)
    plain = not (rest or stopped or worded)
    if not head.isupper() or (plain and len(head) == 1 and not title[:1].isupper()):
        return ()
    numberings = []
    value = roman(head)
    if value is not None:
        numberings.append(Numbering((value, *path), "I", title, stopped, worded))
    if len(head) == 1:
        letter = Numbering((_value(head), *path), "A", title, stopped, worded)
        numberings.insert(0 if plain or (rest and rest[0].isdigit()) else 1, letter)
    return tuple(numberings)


def letter_numbering(text: str) -> Numbering | None:
    """A small letter before a low-level heading: a. Sampling, b) Coding. Scheme ``a``."""
    match = _LETTERED.match(text)
    if match is None:
        return None
    return Numbering((_value(match["letter"]),), "a", match["title"], stopped=True)


def _value(part: str) -> int:
    return int(part) if part.isdigit() else ord(part.upper()) - ord("A") + 1


def roman(text: str) -> int | None:
    """The value of a Roman number in capitals up to 39; None for other text."""
    values = {"I": 1, "V": 5, "X": 10}
    total = 0
    for here, after in zip(text, [*text[1:], ""], strict=True):
        if here not in values:
            return None
        value = values[here]
        total += -value if values.get(after, 0) > value else value
    return total


def _han(text: str) -> tuple[Numbering, ...]:
    match = _HAN.match(unicodedata.normalize("NFKC", text))
    if match is None:
        return ()
    digits = match["number"]
    if digits.isdigit():
        value = int(digits)
    else:
        tens, _, ones = digits.rpartition("\u5341")
        value = _HAN_DIGITS.get(ones, 0)
        if "\u5341" in digits:
            value += 10 * _HAN_DIGITS.get(tens, 1)
    return (Numbering((value,), match["unit"], match["title"], stopped=True),)


def headings_between(path: tuple[int, ...], last: tuple[int, ...]) -> int | None:
    """How many headings are missing between the sections ``last`` and ``path``; () is the
    beginning. None where ``path`` is not after ``last``.

    Between 2 and 3.2 it is 3 and 3.1. How many there are below ``last`` is not known.
    """
    common = 0
    while common < min(len(path), len(last)) and path[common] == last[common]:
        common += 1
    if common == len(path):
        return None
    before = last[common] if common < len(last) else 0
    if path[common] < before:
        return None
    missing = max(path[common] - before - 1, 0)
    for parent, part in pairwise(path[common:]):
        missing += max(part - 1, 0) + (parent > 0)
    return missing
