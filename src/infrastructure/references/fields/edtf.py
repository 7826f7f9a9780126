"""Dates in EDTF (ISO 8601-2:2019, levels 0 and 1) as CSL date variables.

Of level 2 sets, exponents and significant digits are not understood: no CSL variable can say
them. A year 0 or before is counted as historians do, for CSL has no year 0: EDTF's ``0000`` is
1 BC, which is -1 (CSL 1.0.2, "Date variables").
"""

import re
from typing import Any, NamedTuple

_DATE = re.compile(
    r"(?P<year>-?\d{2}[\dX]{2})(?:-(?P<month>\d{2}|XX)(?:-(?P<day>\d{2}|XX))?)?"
    r"(?:T[\d:.,Z+-]*)?(?P<mark>[?~%]?)"
)
_NO_END = ("", "..", "open", "unknown")
# How CSL processors take an end that is open (citeproc-js's and Better BibTeX's).
OPEN_END = [0]


class _Date(NamedTuple):
    """``last`` is the last year of a decade or century, where the year is one (``199X``)."""

    parts: list[int]
    season: int | None
    circa: bool
    last: int | None


def edtf(text: str) -> dict[str, Any] | None:
    """The CSL date variable that ``text`` says; None if it is not EDTF, or CSL has no words
    for it.

    Spring to winter (months 21 to 24) are ``season`` 1 to 4, and months 13 to 16 in a range,
    as CSL has one ``season`` for both ends; ``?``, ``~`` and ``%`` are ``circa``.
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
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    years = found["year"]
    if re.search(r"X\d", years):
        return None
    circa = bool(found["mark"])
    parts = [_historical(int(years.replace("X", "0")))]
    if "X" in years:
        last = _historical(int(years.replace("X", "9")))
        return None if found["month"] else _Date(parts, None, circa, last)
    month, day = _number(found["month"]), _number(found["day"])
    if month is None:
        return _Date(parts, None, circa, None)
    if 21 <= month <= 24 and found["day"] is None:
        return _Date(parts, month - 20, circa, None)
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= 31):
        return None
    parts += [month] if day is None else [month, day]
    return _Date(parts, None, circa, None)


def _number(digits: str | None) -> int | None:
    return int(digits) if digits and digits != "XX" else None


def _historical(year: int) -> int:
    return year if year > 0 else year - 1
