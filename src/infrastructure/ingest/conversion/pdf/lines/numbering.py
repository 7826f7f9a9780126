"""Section numbers as printed: 2.1, IV., II.a, A.2, Appendix B, 第3章."""

import re
import unicodedata
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
    """Every reading of the number at the beginning of ``text``: I may be 1 or a letter."""
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


def follows(path: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether section ``path`` may directly follow section ``last``."""
    if not last:
        return path[-1] <= 1 if len(path) > 1 else path[0] <= 2
    if len(path) > len(last):
        return path[: len(last)] == last and all(n <= 1 for n in path[len(last) :])
    return path[:-1] == last[: len(path) - 1] and path[-1] == last[len(path) - 1] + 1


def skips_one(path: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether section ``path`` may follow ``last`` with one undetected section between them."""
    if not last:
        return False
    if len(path) == 2 and path == (last[0] + 1, 1):
        return True
    if len(path) > len(last):
        return path[:-1] == (*last[:-1], last[-1])[: len(path) - 1] and path[-1] <= 2
    depth = len(path) - 1
    return path[:depth] == last[:depth] and path[depth] == last[depth] + 2
