"""EDTF dates (ISO 8601-2:2019, levels 0 and 1) as CSL date variables.

Sets, exponents and significant digits of level 2 are not supported: CSL cannot express them. CSL
has no year 0, so that years up to 0 are converted to historical ones: EDTF's ``0000`` is 1 BC,
which is -1 (CSL 1.0.2, "Date variables").
"""

import re
from typing import Any, NamedTuple

_DATE = re.compile(
    r"(?P<year>-?\d{2}[\dX]{2})(?:-(?P<month>\d{2}|XX)(?:-(?P<day>\d{2}|XX))?)?"
    r"(?:T[\d:.,Z+-]*)?(?P<mark>[?~%]?)"
)
_NO_END = ("", "..", "open", "unknown")
# An open end in CSL processors (citeproc-js, Better BibTeX).
OPEN_END = [0]


class _Date(NamedTuple):
    """``last`` is the last year of a decade or century, if the year is one (``199X``)."""

    parts: list[int]
    season: int | None
    circa: bool
    last: int | None


def edtf(text: str) -> dict[str, Any] | None:
    """The CSL date variable of ``text``; None if it is not EDTF, or CSL cannot express it.

    Spring to winter (months 21 to 24) are ``season`` 1 to 4, and months 13 to 16 in a range, as CSL
    has one ``season`` for both ends; ``?``, ``~`` and ``%`` are ``circa``.
    """
    begin, is_range, end = text.strip().partition("/")
    first = _date(begin)
    if first is None:
        return None
    if not is_range:
        csl: dict[str, Any] = {"date-parts": [first.parts]}
        if first.last is not None:
            csl["date-parts"].append([first.last])
        if first.season is not None:
            csl["season"] = first.season
        return {**csl, "circa": True} if first.circa else csl
    if end in _NO_END:
        return _range(first, None)
    last = _date(end)
    return _range(first, last) if last else None


def _range(first: _Date, last: _Date | None) -> dict[str, Any]:
    end = OPEN_END if last is None else _with_season(last)
    if last is not None and last.last is not None:
        end = [last.last]
    csl: dict[str, Any] = {"date-parts": [_with_season(first), end]}
    return {**csl, "circa": True} if first.circa or (last and last.circa) else csl


def _with_season(date: _Date) -> list[int]:
    return date.parts if date.season is None else [*date.parts, 12 + date.season]


def _date(text: str) -> _Date | None:
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    years = match["year"]
    if re.search(r"X\d", years):
        return None
    circa = bool(match["mark"])
    parts = [_historical(int(years.replace("X", "0")))]
    if "X" in years:
        last = _historical(int(years.replace("X", "9")))
        return None if match["month"] else _Date(parts, None, circa, last)
    month, day = _number(match["month"]), _number(match["day"])
    if month is None:
        return _Date(parts, None, circa, None)
    if 21 <= month <= 24 and match["day"] is None:
        return _Date(parts, month - 20, circa, None)
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    parts += [month] if day is None else [month, day]
    return _Date(parts, None, circa, None)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits and digits != "XX" else None


def _historical(year: int) -> int:
    return year if year > 0 else year - 1
