"""CSL variables by the names that people write, and their values as one line of text.

Names of persons are written ``Family, Given; Family, Given``, a name in one piece ``{World Health
Organization}``; dates ``2020``, ``2020-05`` or ``2020-05-03``, a period with ``/`` between.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from citeloom.domain.errors import InvalidRequest
from citeloom.domain.messages import nearest

from .identifiers import normalise_doi
from .provisional import printed_name

# CSL 1.0.2, appendix "Variables".
DATES: Final = frozenset(
    "accessed available-date event-date issued original-date submitted".split()
)
NAMES: Final = frozenset(
    "author chair collection-editor compiler composer container-author contributor curator "
    "director editor editor-translator editorial-director executive-producer guest host "
    "illustrator interviewer narrator organizer original-author performer producer recipient "
    "reviewed-author script-writer series-creator translator".split()
)
TEXTS: Final = frozenset(
    "abstract annote archive archive_collection archive_location archive-place authority "
    "call-number chapter-number citation-key citation-label collection-number collection-title "
    "container-title container-title-short dimensions division DOI edition event event-title "
    "event-place genre ISBN ISSN issue jurisdiction keyword language license medium note number "
    "number-of-pages number-of-volumes original-publisher original-publisher-place "
    "original-title page page-first part-number part-title PMCID PMID printing-number publisher "
    "publisher-place references reviewed-genre reviewed-title scale section source status "
    "supplement-number title title-short URL version volume volume-title year-suffix".split()
)
# CSL 1.0.2, appendix "Item types".
TYPES: Final = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter "
    "classic collection dataset document entry entry-dictionary entry-encyclopedia event figure "
    "graphic hearing interview legal_case legislation manuscript map motion_picture "
    "musical_score pamphlet paper-conference patent performance periodical "
    "personal_communication post post-weblog regulation report review review-book software song "
    "speech standard thesis treaty webpage".split()
)
KEY: Final = "key"
# Variables that something else of ours says: the key, tags, a note, a status.
_OURS: Final = frozenset({"citation-key", "citation-label", "keyword", "note", "annote", "status"})
_FIELDS: Final = (DATES | NAMES | TEXTS | {"type"}) - _OURS
_ALIASES: Final[Mapping[str, str]] = {
    "year": "issued", "date": "issued", "authors": "author", "editors": "editor",
    "translators": "translator", "journal": "container-title", "booktitle": "container-title",
    "container": "container-title", "venue": "container-title", "pages": "page",
    "series": "collection-title", "address": "publisher-place", "citekey": KEY,
    "citation-key": KEY, KEY: KEY,
}  # fmt: skip
_BY_NAME: Final = {name.casefold(): name for name in _FIELDS} | dict(_ALIASES)
_MOST: Final = 20_000
"""Letters of a value."""
_LATEST: Final = 2999
_BETWEEN_NAMES: Final = re.compile(r";(?![^{}]*\})")
_DATE: Final = re.compile(r"(\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")
_WEB: Final = re.compile(r"(?:https?|ftp)://[^\s<>\"]+", re.IGNORECASE)

_OF_ALL: Final = ("title", "author", "issued", "DOI", "URL", "language", "abstract")
_IN_PERIODICALS: Final = ("container-title", "volume", "issue", "page", "ISSN")
_OF_BOOKS: Final = ("publisher", "publisher-place", "edition", "ISBN")
_OF_TYPE: Final[Mapping[str, Sequence[str]]] = {
    "article-journal": _IN_PERIODICALS,
    "article-magazine": _IN_PERIODICALS,
    "article-newspaper": _IN_PERIODICALS,
    "article": ("publisher", "number", "version"),
    "book": ("editor", *_OF_BOOKS, "volume", "collection-title", "number-of-pages"),
    "chapter": ("container-title", "editor", "page", "volume", "collection-title", *_OF_BOOKS),
    "paper-conference": ("container-title", "editor", "event-title", "page", "volume", *_OF_BOOKS),
    "report": ("genre", "number", "publisher", "publisher-place", "page"),
    "thesis": ("genre", "publisher", "publisher-place", "number-of-pages"),
    "webpage": ("container-title", "accessed"),
    "software": ("version", "publisher", "publisher-place"),
    "dataset": ("version", "publisher", "publisher-place"),
}
_OF_OTHERS: Final = (
    "container-title", "editor", "volume", "issue", "page", "publisher", "publisher-place", "number"
)  # fmt: skip


def fields_of(csl_type: str, item: Mapping[str, Any]) -> tuple[str, ...]:
    """The fields that a form shows for a work of this type: its usual ones, and those it has."""
    usual = dict.fromkeys((*_OF_ALL[:3], *_OF_TYPE.get(csl_type, _OF_OTHERS), *_OF_ALL[3:]))
    return (*usual, *sorted(name for name in item.keys() & _FIELDS - usual.keys() - {"type"}))


def field_named(name: str, others: Sequence[str] = ()) -> str:
    """The CSL variable, or ``key``, that is meant; case does not count. ``others`` are names that
    the caller knows besides. Raises InvalidRequest with the nearest names."""
    found = _BY_NAME.get(name.strip().casefold().replace("_", "-")) or _BY_NAME.get(name.casefold())
    if found is None:
        known = {one: [one] for one in (*_BY_NAME, *others)}
        near = ", ".join(_BY_NAME.get(one, one) for one in nearest(name, known, whole=True))
        raise InvalidRequest(
            f"{name}: no such field; the nearest are {near}", parameter="changes", name=name
        )
    return found


def read_value(field: str, text: str) -> object:
    """The value of a CSL variable as JSON has it; None for an empty text. Raises InvalidRequest."""
    text = text.strip()
    if not text:
        return None
    if len(text) > _MOST:
        raise _refused(field, text[:40] + "…", f"write at most {_MOST:,} letters")
    if field in NAMES:
        names = [one.strip() for one in _BETWEEN_NAMES.split(text) if one.strip(" ,{}")]
        people = [_person(name) for name in names]
        return people or _refuse(field, text, "write Family, Given; Family, Given")
    if field in DATES:
        return {"date-parts": [_date(field, one) for one in text.split("/", 1)]}
    if field == "DOI":
        return normalise_doi(text) or _refuse(field, text, "write it as 10.1234/abcd")
    if field == "URL" and not _WEB.fullmatch(text):
        raise _refused(field, text, "write an address that begins with https://")
    if field == "type" and text not in TYPES:
        near = ", ".join(nearest(text, {one: [one] for one in TYPES}, whole=True))
        raise _refused(field, text, f"the nearest types of CSL are {near}")
    return text


def written_value(field: str, value: Any) -> str:
    """A value of a CSL variable as ``read_value`` reads it; empty without one."""
    if value is None:
        return ""
    if field in NAMES and isinstance(value, list):
        return "; ".join(filter(None, map(_written_name, value)))
    if field in DATES and isinstance(value, Mapping):
        parts = value.get("date-parts")
        if not isinstance(parts, list) or not parts:
            return str(value.get("literal") or value.get("raw") or "")
        return "/".join(_written_date(one) for one in parts if one)
    return str(value)


def name_parts(person: Mapping[str, Any]) -> tuple[str, str]:
    """Family and given name as the fields of a form have them; a name in one piece is the first,
    in braces."""
    family, _, given = _written_name(person).partition(",")
    return (family, given.strip()) if not family.startswith("{") else (_written_name(person), "")


def _written_name(person: Any) -> str:
    if not isinstance(person, Mapping):
        return f"{{{person}}}"
    if literal := person.get("literal"):
        return f"{{{literal}}}"
    family = " ".join(
        str(part) for role in ("non-dropping-particle", "family") if (part := person.get(role))
    )
    given = " ".join(
        str(part) for role in ("given", "dropping-particle") if (part := person.get(role))
    )
    if suffix := person.get("suffix"):
        return f"{family}, {given}, {suffix}"
    return f"{family}, {given}".rstrip(" ")


def _person(text: str) -> dict[str, str]:
    if text.startswith("{") and text.endswith("}"):
        return {"literal": text[1:-1].strip()}
    family, *rest = (part.strip() for part in text.split(",", 2))
    if not rest:
        return printed_name(family)
    words = family.split()
    first = 0
    while first < len(words) - 1 and words[first][:1].islower():
        first += 1
    parts = {
        "family": " ".join(words[first:]),
        "given": rest[0],
        "non-dropping-particle": " ".join(words[:first]),
        "suffix": ", ".join(rest[1:]),
    }
    return {role: part for role, part in parts.items() if part}


def _date(field: str, text: str) -> list[int]:
    found = _DATE.fullmatch(text.strip())
    parts = [int(part) for part in found.groups() if part] if found else []
    try:
        day = date(*[*parts, 1, 1][:3])
    except (TypeError, ValueError):
        day = None
    if day is None or day.year > _LATEST:
        raise _refused(field, text, "write a year such as 2020, or a date such as 2020-05-03")
    return parts


def _written_date(parts: Any) -> str:
    first, *rest = parts if isinstance(parts, list) else [parts]
    return "-".join([str(first), *(f"{int(one):02d}" for one in rest)])


def _refuse(field: str, text: str, advice: str) -> str:
    raise _refused(field, text, advice)


def _refused(field: str, text: str, advice: str) -> InvalidRequest:
    return InvalidRequest(f"{field}={text}: {advice}", parameter="changes", name=field)
