"""Dates in any form (CSL, EDTF, words of several languages) as CSL date variables.

Of EDTF (ISO 8601-2:2019) sets, exponents and significant digits of level 2 are not supported: CSL
cannot express them. CSL has no year 0, so that years up to 0 are converted to historical ones:
EDTF's ``0000`` is 1 BC, which is -1 (CSL 1.0.2, "Date variables").
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .identifiers import folded

# Month names without accents, in English, German, French, Spanish, Italian, Portuguese,
# Dutch, Danish, Norwegian and Swedish; prefixes of three letters or more are abbreviations.
_MONTHS = (
    "january januar janvier enero gennaio janeiro januari",
    "february februar fevrier febrero febbraio fevereiro februari",
    "march marz maerz mars marzo marco maart marts mrt",
    "april avril abril aprile",
    "may mai mayo maggio maio mei maj",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august aout agosto augustus augusti",
    "september septembre septiembre settembre setembro",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember decembre diciembre dicembre dezembro desember",
)
_SEASONS = (
    "spring printemps fruhling fruhjahr fruehling fruehjahr primavera lente forar var voorjaar",
    "summer ete sommer estate verano verao zomer sommar",
    "autumn fall automne herbst otono autunno outono herfst efterar host najaar",
    "winter hiver invierno inverno vinter",
)
_STARTS = [
    (word[:length], n)
    for n, words in enumerate(_MONTHS, 1)
    for word in words.split()
    for length in range(3, len(word) + 1)
]
_SEASON_WORDS = {word: n for n, words in enumerate(_SEASONS, 1) for word in words.split()}
# "jui" is a prefix of both June and July in French, hence no abbreviation.
_MONTH_WORDS = {
    start: n for start, n in _STARTS if all(m == n for other, m in _STARTS if other == start)
}
# Words of a date without meaning of their own.
_IGNORED = frozenset("de del di of the d den le el of th st nd rd er am im".split())
_CIRCA = frozenset("c ca circa approx about um vers um etwa env environ".split())
_BEFORE_CHRIST = re.compile(r"\b(?:B\.?\s?C\.?(?:\s?E\.?)?|v\.?\s?Chr\.?|av\.?\s?J\.?-C\.?)\s*$")
_TOKEN = re.compile(r"\d+|[^\W\d_]+|[-–—/]|\S")


def written_date(text: str) -> dict[str, Any] | None:
    """The CSL date variable of a date in words (``3 March 2020``, ``Mar-Apr 2020``, ``printemps
    1985``, ``ca. 1890``, ``1914-18``, ``25.11.2003``), or None if it is ambiguous or unreadable.

    ``12/11/2003`` is ambiguous without knowing the writer's convention: None.
    """
    text = text.strip().strip("[]").strip()
    if match := _BEFORE_CHRIST.search(text):
        year = text[: match.start()].strip()
        return {"date-parts": [[-int(year)]]} if re.fullmatch(r"\d{1,4}", year) else None
    if re.fullmatch(r"[12]\d{3}", text):
        return {"date-parts": [[int(text)]]}
    return _numeric_date(text) or _date_of_words(text)


def _numeric_date(text: str) -> dict[str, Any] | None:
    if match := re.fullmatch(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?/*", text):
        year, *rest = (int(part) for part in match.groups() if part)
        if _is_day(rest):
            return {"date-parts": [[year, *rest]]}
    if match := re.fullmatch(r"(\d{4})(\d{2})(\d{2})", text):
        year, *rest = map(int, match.groups())
        return {"date-parts": [[year, *rest]]} if _is_day(rest) and year > 999 else None
    if match := re.fullmatch(r"(\d{1,2})([/.-])\s?(\d{1,2})[/., -]\s?(\d{4})", text):
        one, two, year = int(match[1]), int(match[3]), int(match[4])
        # With dots the day comes first everywhere; otherwise only a number over 12 decides.
        days_first = match[2] == "." or one > 12 or one == two
        rest = [two, one] if days_first else [one, two] if two > 12 else []
        return {"date-parts": [[year, *rest]]} if rest and _is_day(rest) else None
    if match := re.fullmatch(r"(\d{1,2})[/.](\d{4})", text):
        month = int(match[1])
        return {"date-parts": [[int(match[2]), month]]} if 1 <= month <= 12 else None
    if match := re.fullmatch(r"(\d{4})\s?(?:[-–—/]|--)\s?(\d{4}|\d{2})", text):
        first = int(match[1])
        last = int(match[1][: 4 - len(match[2])] + match[2])
        return {"date-parts": [[first], [last]]} if last > first else None
    return None


def _is_day(rest: list[int]) -> bool:
    """Whether ``rest`` is a month (1 to 12), and a day (1 to 31) if there is one."""
    return 1 <= rest[0] <= 12 and (len(rest) < 2 or 1 <= rest[1] <= 31)


def _date_of_words(text: str) -> dict[str, Any] | None:
    years: list[int] = []
    days: list[int] = []
    months: list[int] = []
    seasons: list[int] = []
    circa = False
    for token in _TOKEN.findall(folded(text)):
        if token.isdecimal() and token.isascii():
            if len(token) not in (1, 2, 3, 4):
                return None
            is_day = len(token) <= 2 and int(token) <= 31 and len(days) < 2 and not circa
            (days if is_day else years).append(int(token))
        elif token in _CIRCA and not years:
            circa = True
        elif token in _SEASON_WORDS:
            seasons.append(_SEASON_WORDS[token])
        elif month := _MONTH_WORDS.get(token):
            months.append(month)
        elif token.isalnum() and token not in _IGNORED:
            return None
    if len(years) != 1 or not 1 <= years[0] <= 2999 or (days and not months):
        return None
    return _csl(years[0], months, days, seasons, circa or text.endswith(("?", "~")))


def _csl(
    year: int, months: list[int], days: list[int], seasons: list[int], circa: bool
) -> dict[str, Any] | None:
    """At most two months, two seasons or two days of one month; None if they form no span."""
    if len(months) == len(days) == 2 or not all(1 <= day <= 31 for day in days):
        return None
    if (seasons and months) or not (months or seasons or circa):
        return None
    csl: dict[str, Any]
    if len(seasons) == 1:
        csl = {"date-parts": [[year]], "season": seasons[0]}
    elif months or not seasons:
        first = [year, *months[:1], *days[:1]]
        parts = [[year, month] for month in months] if len(months) > 1 else [first]
        parts += [[year, *months, day] for day in days[1:]]
        csl = {"date-parts": parts}
    else:
        csl = {"date-parts": [[year, 12 + season] for season in seasons]}
    parts = csl["date-parts"]
    if len(parts) > 2 or parts != sorted(parts) or (len(months) == 2 and days):
        return None
    return {**csl, "circa": True} if circa else csl


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


# Four digits, not part of a longer number or of a year before Christ (EDTF "-0333").
_FOUR = re.compile(r"(?<![\d])(?<!^-)(?<!/-)(\d{4})(?!\d)")
_BARE = re.compile(r"(?:c(?:a|irca)?\.?\s*)?(\d{1,4})\s*[?~%]*", re.IGNORECASE)
_LATEST = 2999
# Dates as Zotero stores them: ISO with zeros for unknown parts, then as entered.
_STORED = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?= |$)")


def year_of(value: Any) -> int | None:
    """The year in which ``value`` begins; None without a year, or before Christ.

    Takes CSL's ``{"date-parts": …}`` (also ranges, open ends, parts as text), ``literal`` and
    ``raw``, numbers, and text: ``2017-24~``, ``March 2020``, ``12/11/2003``.
    """
    if isinstance(value, Mapping):
        year = _first_part(value.get("date-parts"))
        for key in ("literal", "raw", "year", "edtf"):
            if year is None and value.get(key) is not None:
                year = year_of(value[key])
        return year
    if isinstance(value, list):
        return _first_part(value)
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return int(value) if 1 <= value <= _LATEST else None
    return _in_text(value) if isinstance(value, str) else None


def _first_part(parts: Any) -> int | None:
    while isinstance(parts, list) and parts:
        parts = parts[0]
    return None if isinstance(parts, list | Mapping) else year_of(parts)


def _in_text(text: str) -> int | None:
    text = text.strip()
    if bare := _BARE.fullmatch(text):
        year = int(bare.group(1))
        return year if 1 <= year <= _LATEST else None
    years = [int(digits) for digits in _FOUR.findall(text)]
    likely = [year for year in years if 1000 <= year <= _LATEST]
    return next(iter(likely or [year for year in years if 1 <= year <= _LATEST]), None)


def csl_date(text: str) -> dict[str, Any]:
    """A CSL date variable for a date in EDTF, ISO or words.

    A parsed date becomes date parts; any other is kept as ``literal``, with the year if there is
    one. Zotero's ``2003-05-00 May 2003`` is read by its first half.
    """
    text = " ".join(text.split())
    if stored := _STORED.match(text):
        parts = [int(part) for part in stored.groups() if int(part)]
        if parts and len(stored.group(1)) == 4 and int(stored.group(1)):
            return {"date-parts": [parts]}
        text = text[stored.end() :].strip() or text
    if date := edtf(text) or written_date(text):
        return date
    year = _in_text(text)
    literal: dict[str, Any] = {"literal": text}
    return {"date-parts": [[year]], **literal} if year else literal
