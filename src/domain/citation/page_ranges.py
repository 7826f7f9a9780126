"""Page range formats of citation styles (CSL)."""

import re
from enum import StrEnum

EN_DASH = "–"
_PAGE = r"(?P<{0}>(?P<{0}_prefix>[A-Za-z]*)(?P<{0}_number>\d{{1,18}}))"
_RANGE = re.compile(
    r"\s*" + _PAGE.format("first") + r"\s*(?:-{1,3}|[\u2010-\u2015\u2212])\s*"
    + _PAGE.format("last") + r"\s*"
)  # fmt: skip
_DASH = re.compile(r"(?<=\w)\s*(?:-{1,3}|[\u2010-\u2015\u2212])\s*(?=\w)")
_ROMAN = re.compile(r"m{0,4}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)


class RangeFormat(StrEnum):
    """CSL 1.0.2, "page-range-format". ``AS_IT_IS`` keeps the digits as written."""

    EXPANDED = "expanded"
    MINIMAL = "minimal"
    MINIMAL_TWO = "minimal-two"
    CHICAGO = "chicago"
    CHICAGO_15 = "chicago-15"
    CHICAGO_16 = "chicago-16"
    AS_IT_IS = ""


def page_range(text: str, style: RangeFormat, delimiter: str = EN_DASH) -> str:
    """``text`` with the last page of each range shortened by ``style``.

    Parts between commas, semicolons and ampersands are separate ranges. Numbers may have a prefix
    on both ends (``S12-S15``, ``e101-e108``), or on the first only if the last is shorter. Roman
    ranges get the dash unshortened; other text is unchanged.
    """
    pieces = re.split(r"(\s*[,;&]\s*)", text)
    return "".join(
        piece if at % 2 else _shorten_range(piece, style, delimiter)
        for at, piece in enumerate(pieces)
    )


def between(first: str, last: str, style: RangeFormat, delimiter: str = EN_DASH) -> str:
    """The range of two page labels: ``127``, ``130`` gives ``127–30`` in the minimal style.
    Labels of different numberings (``xii`` and ``3``) are not shortened."""
    if first == last:
        return first
    match = _RANGE.fullmatch(f"{first}-{last}")
    if match is None or match["first_prefix"] != match["last_prefix"]:
        return f"{first}{delimiter}{last}"
    return _shortened(match["first_prefix"], match["first_number"], last, style, delimiter)


def _shorten_range(piece: str, style: RangeFormat, delimiter: str) -> str:
    match = _RANGE.fullmatch(piece)
    if match is None:
        ends = _DASH.split(piece.strip())
        if len(ends) == 2 and all(end.isdigit() or _ROMAN.fullmatch(end) for end in ends if end):
            return f"{ends[0]}{delimiter}{ends[1]}"
        return piece
    prefix, number, last = match["first_prefix"], match["first_number"], match["last_number"]
    if match["last_prefix"] not in (prefix, "") or (prefix and not match["last_prefix"]):
        return piece
    whole = number[: max(0, len(number) - len(last))] + last
    if style is RangeFormat.AS_IT_IS or int(whole) <= int(number):
        return f"{prefix}{number}{delimiter}{match['last'].strip()}"
    return _shortened(prefix, number, f"{prefix}{whole}", style, delimiter)


def _shortened(prefix: str, number: str, last: str, style: RangeFormat, delimiter: str) -> str:
    """``last`` has all its digits and the prefix."""
    digits = last.removeprefix(prefix)
    if len(digits) != len(number) or int(digits) <= int(number):
        keep = len(digits)
    else:
        common = next((n for n, (a, b) in enumerate(zip(number, digits, strict=True)) if a != b), 0)
        keep = _digits_written(style, number, len(digits), len(digits) - common)
    in_full = style in (RangeFormat.EXPANDED, RangeFormat.AS_IT_IS)
    shown = last if in_full else digits[-keep:]
    return f"{prefix}{number}{delimiter}{shown}"


def _digits_written(style: RangeFormat, number: str, length: int, changed: int) -> int:
    """Number of digits of the last page to write, at least ``changed``."""
    if style in (RangeFormat.EXPANDED, RangeFormat.AS_IT_IS):
        return length
    if style is RangeFormat.MINIMAL:
        return changed
    if style is RangeFormat.MINIMAL_TWO:
        return max(changed, 2)
    value = int(number)
    if value < 100 or value % 100 == 0:
        return length
    if style in (RangeFormat.CHICAGO, RangeFormat.CHICAGO_15) and length == 4 and changed >= 3:
        return length
    return changed if 0 < value % 100 < 10 else max(changed, 2)
