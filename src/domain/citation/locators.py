"""Page locators: formatting and expansion of printed page labels."""

import re
from collections.abc import Sequence

from citeloom.domain.citation.page_ranges import EN_DASH, RangeFormat, between

_COUNTED = re.compile(r"(.*?)(\d{1,9})")
_ROMAN = re.compile(r"m{0,4}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_LONGEST = 1000
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def page_ranges(
    labels: Sequence[str], style: RangeFormat = RangeFormat.EXPANDED, dash: str = EN_DASH
) -> str:
    """``xii–xiii, 1–3`` for the labels of consecutive pages, in their order.

    A range is a run of labels that count up in one numbering: numbers with the same prefix, or
    Roman numbers. Other labels stand alone; repeated ones are given once.
    """
    ranges: list[tuple[str, str]] = []
    for label in dict.fromkeys(labels):
        if ranges and _follows(ranges[-1][1], label):
            ranges[-1] = (ranges[-1][0], label)
        else:
            ranges.append((label, label))
    return ", ".join(between(first, last, style, dash) for first, last in ranges)


def _follows(label: str, following: str) -> bool:
    one, other = _numbering(label), _numbering(following)
    return one is not None and other is not None and one[0] == other[0] and other[1] == one[1] + 1


def _numbering(label: str) -> tuple[str, int] | None:
    """The numbering of a label and its number; None if it has none."""
    if match := _COUNTED.fullmatch(label):
        return match[1], int(match[2])
    for kind, text in (("lower", label), ("upper", label.lower() if label.isupper() else "")):
        if text and _ROMAN.fullmatch(text):
            return f"roman {kind}", _roman(text)
    return None


def _roman(text: str) -> int:
    values = [_VALUES[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def labels_outside(labels: Sequence[str], known: Sequence[str]) -> list[str]:
    """Those of ``labels`` that are neither among the ``known`` ones nor between two of them in
    one numbering; none where nothing is known."""
    spans: dict[str, list[int]] = {}
    for label in known:
        if numbering := _numbering(label):
            spans.setdefault(numbering[0], []).append(numbering[1])
    outside = []
    for label in labels if known else ():
        numbering = _numbering(label)
        numbers = spans.get(numbering[0], []) if numbering else []
        within = numbering and numbers and min(numbers) <= numbering[1] <= max(numbers)
        if label not in known and not within:
            outside.append(label)
    return outside


def is_one_page(labels: Sequence[str]) -> bool:
    return len(set(labels)) == 1


def is_plain(labels: Sequence[str]) -> bool:
    """Whether all labels are Arabic or Roman numbers."""
    return all(_is_plain(label) for label in labels)


def _is_plain(label: str) -> bool:
    return bool(re.fullmatch(r"\d+", label)) or bool(label and _ROMAN.fullmatch(label.lower()))


def labels_in(text: str) -> tuple[str, ...]:
    """The labels of ``xii-xiv, 3`` with ranges expanded.

    A range that cannot be expanded (or has over 1,000 pages) gives its two ends.
    """
    labels: list[str] = []
    for piece in text.replace(";", ",").split(","):
        ends = [end.strip() for end in re.split(r"\s*(?:-{1,3}|[\u2010-\u2015])\s*", piece.strip())]
        if len(ends) != 2 or not all(ends):
            labels += [piece.strip()] if piece.strip() else []
            continue
        labels += _expanded_range(*ends)
    return tuple(labels)


def _expanded_range(first: str, last: str) -> list[str]:
    one, other = _COUNTED.fullmatch(first), _COUNTED.fullmatch(last)
    if one and other and other[1] in ("", one[1]):
        number, end = one[2], other[2]
        end = number[: max(0, len(number) - len(end))] + end
        if int(number) <= int(end) <= int(number) + _LONGEST:
            return [f"{one[1]}{n:0{len(number)}d}" for n in range(int(number), int(end) + 1)]
    values = _numbering(first), _numbering(last)
    if values[0] and values[1] and values[0][0] == values[1][0] and not one:
        start, stop = values[0][1], values[1][1]
        if start <= stop <= start + _LONGEST:
            letters = [_to_roman(n) for n in range(start, stop + 1)]
            return letters if first.islower() else [text.upper() for text in letters]
    return [first, last]


def _to_roman(number: int) -> str:
    letters = ""
    for sign, value in (
        ("m", 1000), ("cm", 900), ("d", 500), ("cd", 400), ("c", 100), ("xc", 90), ("l", 50),
        ("xl", 40), ("x", 10), ("ix", 9), ("v", 5), ("iv", 4), ("i", 1),
    ):  # fmt: skip
        count, number = divmod(number, value)
        letters += sign * count
    return letters
