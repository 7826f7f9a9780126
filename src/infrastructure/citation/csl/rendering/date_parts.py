"""CSL date variables: date parts, ranges, seasons, dates in words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MONTHS = (
    "january february march april may june july august september october november december"
).split()
SEASONS = ("spring", "summer", "autumn", "winter")
_ISO = re.compile(r"(-?\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?:T.*)?")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?\s+([a-z]{3,9})\.?,?\s+(\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})")
_SEASON = re.compile(r"(spring|summer|autumn|fall|winter)\s+(?:of\s+)?(\d{4})")
_SLASHED = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")
_CIRCA = re.compile(r"(?:ca|c|circa|about)\.?\s+|\s*[?~]$")


@dataclass(frozen=True, slots=True)
class Moment:
    """A year with month and day where known; ``season`` is 1 (spring) to 4."""

    year: int
    month: int | None = None
    day: int | None = None
    season: int | None = None


@dataclass(frozen=True, slots=True)
class DateValue:
    """One date, or a range; an ``open`` range has no end. ``literal`` is the text of a date that
    cannot be parsed."""

    start: Moment | None = None
    end: Moment | None = None
    open: bool = False
    literal: str | None = None
    circa: bool = False
    season: str | None = None


def read_date(value: Any) -> DateValue | None:
    """A CSL date variable, EDTF, or a date in words; None where it is empty.

    Words beside date parts count only if they parse to something more precise (``June 27, 2014``
    beside ``[[2014]]``).
    """
    if isinstance(value, str | int):
        return _parse_text(str(value))
    if not isinstance(value, Mapping):
        return None
    circa = bool(value.get("circa"))
    moments = [m for m in map(_moment, _parts(value.get("date-parts"))) if m]
    literal = next(
        (str(value[key]).strip() for key in ("literal", "raw", "edtf") if value.get(key)), ""
    )
    parsed = _parse_text(literal) if literal else None
    if not moments:
        if parsed is None:
            return None
        return _with(parsed, circa=circa or parsed.circa)
    first = moments[0]
    if parsed and parsed.start and parsed.start.year == first.year and not first.month:
        return _with(parsed, circa=circa or parsed.circa)
    season = value.get("season")
    season_name = None
    if season is not None and first.month is None:
        if str(season) in {"1", "2", "3", "4"}:
            first = Moment(first.year, season=int(season))
        else:
            season_name = str(season)
    parts = _parts(value.get("date-parts"))
    is_open = len(parts) > 1 and len(moments) == 1
    end = moments[1] if len(moments) > 1 else None
    return DateValue(first, end, is_open, circa=circa, season=season_name)


def _with(date: DateValue, *, circa: bool) -> DateValue:
    return DateValue(date.start, date.end, date.open, date.literal, circa, date.season)


def _parts(value: Any) -> list[Any]:
    if not isinstance(value, list):
        return []
    return value if all(isinstance(part, list) for part in value) else [value]


def _moment(parts: list[Any]) -> Moment | None:
    numbers: list[int] = []
    for part in parts[:3]:
        try:
            numbers.append(int(part))
        except (TypeError, ValueError, OverflowError):
            break
    if not numbers or numbers[0] == 0:
        return None
    month = numbers[1] if len(numbers) > 1 else 0
    if month > 12:  # EDTF: 21 to 24 are seasons; CSL-JSON of others has 13 to 16
        return Moment(numbers[0], season=(month - 1) % 4 + 1 if month in range(13, 25) else None)
    if not month:
        return Moment(numbers[0])
    return Moment(numbers[0], month, (numbers[2] if len(numbers) > 2 else 0) or None)


def _parse_text(text: str) -> DateValue | None:
    text = text.strip()
    if not text:
        return None
    bare = _CIRCA.sub("", text.casefold())
    circa = bare != text.casefold()
    if re.fullmatch(r"\d{4}(?:-\d{2})*\s*(?:/|–|--)\s*\d{4}(?:-\d{2})*", bare):
        first, last = (_parse_moment(end.strip()) for end in re.split(r"/|–|--", bare))
        if first and last:
            return DateValue(first, last, circa=circa)
    if moment := _parse_moment(bare):
        return DateValue(moment, circa=circa)
    return DateValue(literal=text)


def _parse_moment(text: str) -> Moment | None:
    if match := _ISO.fullmatch(text):
        return _moment([part for part in match.groups() if part])
    if match := _DAY_FIRST.fullmatch(text):
        return _moment_of_month(match.group(3), match.group(2), match.group(1))
    if match := _MONTH_FIRST.fullmatch(text):
        return _moment_of_month(match.group(3), match.group(1), match.group(2))
    if match := _SEASON.fullmatch(text):
        name = "autumn" if match.group(1) == "fall" else match.group(1)
        return Moment(int(match.group(2)), season=SEASONS.index(name) + 1)
    if match := _SLASHED.fullmatch(text):
        day, month = int(match.group(1)), int(match.group(2))
        if day > 12 >= month or day == month:  # else it may be meant either way
            return Moment(int(match.group(3)), month, day)
        if month > 12 >= day:
            return Moment(int(match.group(3)), day, month)
    return None


def _moment_of_month(year: str, month: str, day: str | None) -> Moment | None:
    number = next(
        (n for n, name in enumerate(MONTHS, start=1) if name.startswith(month.rstrip("."))), None
    )
    if number is None and month == "sept":
        number = 9
    return Moment(int(year), number, int(day) if day else None) if number else None
