"""Date patterns and the year of a reference entry."""

import re

YEAR = r"(?:1[5-9]|20)\d{2}"
MONTH = (
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter)"
    r"[a-z]*\.?"
)
# (2016), (2018a, May), (May 2018), (1997/2003) …; in APA it stands behind the authors.
_BRACKETED_YEAR = re.compile(
    rf"\((?:c(?:a|irca)?\.\s*)?(?:{MONTH}\s+(?:\d{{1,2}},?\s+)?)?(?:{YEAR}/)?({YEAR})[a-z]?"
    rf"(?:,?\s+(?:{MONTH}[^()]{{0,20}}|\d[^()]{{0,12}}))?\)"
)
DATED = re.compile(
    rf"{_BRACKETED_YEAR.pattern}|\((?:n\.\s?d\.|in press|forthcoming|to appear|submitted)[^()]*\)",
    re.IGNORECASE,
)
PLAIN_YEAR = re.compile(rf"(?<![\d./:-])({YEAR})[a-z]?(?![\d/-]|\.\d)")
# Behind the authors: Chicago's ``. 2001. `` and Harvard's ``, 2017a. ``.
YEAR_AFTER_AUTHORS = re.compile(rf"[.,)]\s+\(?({YEAR})[a-z]?\)?[.,:]\s+")
_NO_DATE_AFTER_AUTHORS = re.compile(r"\.\s+n\.d\.\s+", re.IGNORECASE)
UNDATED = re.compile(
    r"\bn\.\s?d\.|\bin press\b|\bforthcoming\b|\bto appear\b|\bunpublished\b|\bpreprint\b"
    r"|\bsubmitted\b|\bin preparation\b",
    re.IGNORECASE,
)
_NOT_YEARS = re.compile(
    r"https?:\s*//\S+|\bdoi\s*:?\s*\S+|\b10\.\d{4,9}/\S+|\barxiv\s*:\s*\S+|\babs/\S+"
    r"|\b(?:accessed|retrieved|visited|viewed|abgerufen)\b:?\s?"
    r"(?:[a-z]{3,4}\.\s)?[^.;)\]]{0,40}"
    r"|\d+\s?[-–—]\s?\d+|\b(?:pp?|pages?|vol|no)\.?\s*\d+",
    re.IGNORECASE,
)


def year_of(text: str) -> int | None:
    if match := _BRACKETED_YEAR.search(text):
        return int(match[1])
    if _NO_DATE_AFTER_AUTHORS.search(text[:200]):
        return None
    bare = _NOT_YEARS.sub(" ", text)
    if (match := YEAR_AFTER_AUTHORS.search(bare)) and match.start() < len(bare) / 2:
        return int(match[1])
    years = PLAIN_YEAR.findall(bare)
    return int(years[-1]) if years else None
