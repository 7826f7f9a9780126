"""Years and CSL date variables from dates in any form: CSL, EDTF, text."""

import re
from collections.abc import Mapping
from typing import Any

from citeloom.infrastructure.references.fields.date_words import written_date
from citeloom.infrastructure.references.fields.edtf import edtf

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
