"""Year of publication, from the first page."""

import re
from collections.abc import Sequence

_YEAR = r"(?:18[5-9]\d|19\d\d|20\d\d)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|fall|autumn|winter)"
)
_COPYRIGHT = re.compile(rf"(?:copyright|\u00a9|\(c\))[^\d\n]{{0,40}}({_YEAR})", re.IGNORECASE)
_PUBLISHED = re.compile(
    rf"\b(?:published|first published|publication date|appeared)\b[^\n]{{0,80}}?\b({_YEAR})\b",
    re.IGNORECASE,
)
# A head or foot that cites the paper: "Rokem, (2018). A short course about ...".
_CITED = re.compile(rf"^\D{{3,80}}\(({_YEAR})\)\.\s")
_ISSUE = re.compile(
    rf"\b(?:vol(?:ume)?|no|issue|number|proceedings|conference|symposium|workshop|journal|"
    rf"transactions|technical report|review)\b[^\n]{{0,120}}?\b({_YEAR})\b",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b[A-Z][A-Za-z&/-]*[A-Z]\s?['\u2019\u2018](\d\d)\b|\b[A-Z]{3,8} ?(20\d\d)\b")
_DATE = re.compile(
    rf"\b{_MONTH}\b\.?,?(?:\s+\d{{1,2}}(?:\s?[\u2013-]\s?\d{{1,2}})?(?:st|nd|rd|th)?,?)?\s+({_YEAR})\b",
    re.IGNORECASE,
)
_ARXIV = re.compile(r"\barxiv:\S+.*?\b((?:19|20)\d\d)\b", re.IGNORECASE)
_ALONE = re.compile(rf"^\W*({_YEAR})\W*$")
# The fee code of the Copyright Clearance Center: ISSN or ISBN, year, article, page.
_FEE_CODE = re.compile(r"\b(?:\d{4}-\d{3}[\dXx]|\d-\d{5}-\d{3}-[\dXx])/(\d\d)/\d{2,4}\b")
_CENTURY = 100


def publication_year(rows: Sequence[str], made: int | None = None) -> int | None:
    """The year that the first page states; None if it states none.

    ``rows`` are its lines outside the running text: heads, feet, notes, the lines around the
    title. Evidence by descending weight: copyright line, fee code, "published", journal or
    conference line, date, arXiv stamp. ``made`` is the year in which the file was made: a later
    year is none of publication; it is no evidence by itself, since scans are made long after.
    """
    latest = made + 1 if made is not None else 2100
    for pattern in (
        _COPYRIGHT,
        _FEE_CODE,
        _PUBLISHED,
        _CITED,
        _ISSUE,
        _SHORT,
        _DATE,
        _ALONE,
        _ARXIV,
    ):
        years = [
            year
            for row in rows
            for match in pattern.finditer(row)
            if (year := _full(next(filter(None, match.groups())), latest)) is not None
        ]
        if years:
            return max(years) if pattern is _COPYRIGHT else years[0]
    return None


def _full(digits: str, latest: int) -> int | None:
    year = int(digits)
    if year < _CENTURY:
        year += 2000 if 2000 + year <= latest and year < 50 else 1900
    return year if year <= latest else None
