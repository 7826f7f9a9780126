"""The title of a reference entry, by the patterns of the common styles."""

import re

from citeloom.domain.references.entries.author_lists import author_list
from citeloom.domain.references.entries.authors import (
    FAMILY_FIRST,
    LITERAL,
    VANCOUVER,
    is_title_of,
    names_before_title,
)
from citeloom.domain.references.entries.containers import before_container, without_container
from citeloom.domain.references.entries.dates import DATED, YEAR_AFTER_AUTHORS
from citeloom.domain.references.entries.sentence_ends import UPPER, first_sentence

_LNCS_END = re.compile(rf"(?:{UPPER}\.|et al\.|\((?:eds?|hrsg)\.\)):\s")
_OPENING = '“„«"‟'
_QUOTED = re.compile(r"[“„«\"](?P<title>.{6,400}?)(?P<stop>[.,?!]?)[”“»\"](?P<after>.?)", re.DOTALL)
# After a title: edition, medium, editors, year, volume and pages.
_TAIL = re.compile(
    r"\s*[(\[](?:\d+(?:st|nd|rd|th)\s+ed|rev(?:ised|\.)|vol|version|v\.?\s?\d|pp?\.|nos?\b|report"
    r"|tech|computer|software|data|master|doctoral|phd|unpublished|publication)[^()\[\]]*[)\]]$"
    r"|\s*\([^()]*\b(?:eds?|pp|vol)\b[^()]*\)$"
    r"|\s*\[[^\[\]]{3,150}\]$"
    r"|,\s(?:1[5-9]|20)\d{2}[a-z]?$"
    r"|\s\((?:1[5-9]|20)\d{2}[a-z]?\)$"
    r"|\s\d{1,4}(?:\(\d+\))?,\s?\d[\d-]*$",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"https?:|\bdoi\b|\barxiv\b|^in[:\s]|^proc(?:\.|eedings of)|^\W*\d+\W*$|\bpp\.|\bvol\."
    r"|^(?:and|&|et)\s|^(?:inc|ltd|corp|co|gmbh)\.?$|^(?:untitled|unpublished|private|personal|verbal)\s(?:comm|manus|memo|note|work)",
    re.IGNORECASE,
)

# Family names alone, before a title: ``Bar-Noy, and Reischuk. Title``.
_NAMES_AHEAD = re.compile(
    rf"(?:{UPPER}[\w’'-]+,\s)+(?:(?:and|&)\s)?{UPPER}[\w’'-]+\.\s|{UPPER}\.\s{UPPER}[\w’'-]+,\s"
)
_DATE_APART = 25
"""Letters between the authors and a date that is not theirs."""


def title_of(text: str) -> str | None:
    """The title of an entry without label; None if no pattern fits well.

    A subtitle after a full stop may be missing.
    """
    if (literal := LITERAL.match(text)) and is_title_of(text, literal):
        return _checked(literal["name"])
    found = (read(text) for read in _READERS)
    return next((title for one in found if one and (title := _checked(one))), None)


def _after_date(text: str) -> str | None:
    """APA: ``Family, I. (2016). Title. Rest``."""
    match = DATED.search(text)
    if match is None or match.start() > max(400, len(text) // 2):
        return None
    before, after = text[: match.start()].rstrip(), text[match.end() :]
    if before.endswith(":") or not re.match(r"[.,:]?\s+\S", after) or len(before) < 2:
        return None
    if after[0] not in ".,:" and not FAMILY_FIRST.match(text):
        return None
    names = author_list(text)
    if names and names.certain and match.start() > names.end + _DATE_APART:
        return None
    if _quoted(before) is not None or first_sentence(after.lstrip(".,: ")) is None:
        return None
    rest = after.lstrip(".,: ")
    return _quoted_at_start(rest) or first_sentence(rest)


def _after_colon(text: str) -> str | None:
    """LNCS: ``Family, I., Family, I.: Title. Rest``."""
    end = _LNCS_END.search(text)
    if end is None or not FAMILY_FIRST.match(text):
        return None
    if re.search(r"[^\W\d_]{3,}\.\s", text[: end.start()]):
        return None
    rest = text[end.end() :]
    return first_sentence(rest) or (rest if _TAIL.search(rest) else None)


def _quoted(text: str) -> str | None:
    """Chicago, IEEE, alpha: ``Names, "Title," Rest``."""
    match = _QUOTED.search(text)
    if match is None:
        return None
    if not match["stop"] and match["after"] not in (",", ".", ";", " ", ""):
        return None
    if match.start() > 400:
        return None
    return match["title"] + (match["stop"] if match["stop"] in ("?", "!") else "")


def _quoted_at_start(text: str) -> str | None:
    """A fully quoted title at the start of ``text``."""
    if text[:1] not in _OPENING:
        return None
    match = _QUOTED.match(text)
    if match is None or not (match["stop"] or match["after"] in (".", ",")):
        return None
    return match["title"] + (match["stop"] if match["stop"] in ("?", "!") else "")


def _after_plain_year(text: str) -> str | None:
    """Harvard and Chicago: ``Family, I., 2017a. Title. Rest``, ``Names. 2001. Title. Rest``."""
    match = YEAR_AFTER_AUTHORS.search(text)
    if match is None or match.start() > max(400, len(text) // 2):
        return None
    names = text[: match.start() + 1]
    literal = len(names) < 60 and not re.search(r"[.:;]\s", names)
    if not (FAMILY_FIRST.match(text) or literal) or re.search(r"[^\W\d_]{5,}\.\s+\S", names):
        return None
    return first_sentence(text[match.end() :])


def _after_vancouver(text: str) -> str | None:
    """``Smith J, Doe KL. Title. Rest``."""
    match = VANCOUVER.match(text)
    return first_sentence(text[match.end() :]) if match else None


def _after_names(text: str) -> str | None:
    """BibTeX's *plain*: ``Given Family, G. Family, and Given Family. Title. Rest``."""
    names = names_before_title(text)
    title = first_sentence(text[len(names) + 1 :].lstrip()) if names is not None else None
    return without_container(title) if title else None


def _after_author_list(text: str) -> str | None:
    """The ACM's, Elsevier's and others' old styles: ``Deutsch, L.P. Title. Comm. ACM 10, 12``,
    ``P. Dietz, R. Sleator, Title, in: Proc. …``."""
    names = author_list(text)
    if names is None:
        return None
    rest = text[names.end :]
    if not names.certain:
        return before_container(rest)
    if quoted := _quoted_at_start(rest):
        return quoted
    ends = [end for end in (before_container(rest), first_sentence(rest)) if end]
    return min(ends, key=len, default=None)


def _checked(title: str) -> str | None:
    """A title without edition and closing marks; None if it cannot be one."""
    title = " ".join(title.split())
    for _ in range(2):
        title = _TAIL.sub("", title).rstrip(" .,;:")
    letters = sum(map(str.isalpha, title))
    if letters < 3 or len(title) > 350 or _NO_TITLE.search(title) or title[:1] in ",;:.)":
        return None
    if _NAMES_AHEAD.match(title):
        return None
    if title.count("(") != title.count(")"):
        return None
    return title


_READERS = (
    _after_colon,
    _after_date,
    _quoted,
    _after_plain_year,
    _after_vancouver,
    _after_names,
    _after_author_list,
)
