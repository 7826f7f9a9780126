"""Writer of RIS records."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from citeloom.domain.citation.metadata import CitationMeta, csl_item, web_address
from citeloom.infrastructure.references.fields.plain_text import plain, without_citation_key

# RIS specification (2011), "TY": by CSL's types.
_TYPES = {
    "article": "UNPB", "article-journal": "JOUR", "article-magazine": "MGZN",
    "article-newspaper": "NEWS", "bill": "BILL", "book": "BOOK", "broadcast": "VIDEO",
    "chapter": "CHAP", "dataset": "DATA", "document": "GEN", "entry-dictionary": "DICT",
    "entry-encyclopedia": "ENCYC", "graphic": "ART", "hearing": "HEAR",
    "legal_case": "CASE", "legislation": "STAT", "manuscript": "MANSCPT", "map": "MAP",
    "motion_picture": "MPCT", "pamphlet": "PAMP", "paper-conference": "CPAPER",
    "patent": "PAT", "personal_communication": "PCOMM", "post-weblog": "BLOG",
    "report": "RPRT", "software": "COMP", "song": "SOUND", "standard": "STAND",
    "speech": "CONF", "thesis": "THES", "webpage": "ELEC",
}  # fmt: skip
_COPIED = (
    ("container-title", "secondary_title"), ("container-title-short", "alternate_title2"),
    ("collection-title", "tertiary_title"), ("volume", "volume"), ("issue", "number"),
    ("publisher", "publisher"), ("publisher-place", "place_published"), ("edition", "edition"),
    ("language", "language"), ("abstract", "abstract"), ("title-short", "short_title"),
    ("note", "notes"),
)  # fmt: skip


def write_ris(works: Sequence[CitationMeta]) -> str:
    import rispy

    class Unnumbered(rispy.RisWriter):  # type: ignore[misc]
        """Without running numbers, which some programs reject."""

        def set_header(self, _count: int) -> str:
            return ""

    records = [dict(_record(work)) for work in works]
    return str(rispy.dumps(records, implementation=Unnumbered)).lstrip("\n") if records else ""


def _record(work: CitationMeta) -> Iterator[tuple[str, Any]]:
    item = csl_item(work)
    yield "type_of_reference", _TYPES.get(plain(item.get("type")), "GEN")
    yield "id", work.citekey
    yield "title", plain(item.get("title")) or work.title
    if authors := _names(item.get("author")):
        yield "authors", authors
    if editors := _names(item.get("editor")):
        yield "secondary_authors", editors
    yield from _dates(work, item)
    for variable, name in _COPIED:
        text = plain(item.get(variable))
        if name == "notes":
            text = without_citation_key(text)
        if text:
            yield name, [text] if name == "notes" else text
    yield from _pages(plain(item.get("page")))
    if number := plain(item.get("ISBN")) or plain(item.get("ISSN")):
        yield "issn", number
    if work.doi:
        yield "doi", plain(work.doi)
    if address := web_address(work, item):
        yield "urls", [plain(address)]
    if work.tags:
        yield "keywords", [plain(tag) for tag in work.tags]


def _pages(text: str) -> Iterator[tuple[str, str]]:
    ends = re.split(r"\s*(?:-{1,3}|[\u2010-\u2015])\s*", text)
    if len(ends) == 2 and all(ends):
        yield "start_page", ends[0]
        yield "end_page", ends[1]
    elif text:
        yield "start_page", text


def _dates(work: CitationMeta, item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """``PY`` the year, ``DA`` as ``2014/05/03/`` where month and day are known."""
    issued = item.get("issued")
    if work.year:
        yield "year", str(work.year)
    parts = issued.get("date-parts") if isinstance(issued, Mapping) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    if isinstance(first, list) and work.year:
        known = takewhile(re.compile(r"[0-9]{1,2}").fullmatch, map(str, first[1:3]))
        if numbers := [f"{int(part):02}" for part in known]:
            yield "date", "/".join([f"{work.year:04}", *numbers, *[""] * (3 - len(numbers))])


def _names(people: Any) -> list[str]:
    return [n for p in (people if isinstance(people, list) else ()) if (n := _name(p))]


def _name(person: Any) -> str:
    """``Family, Given, Suffix``, with particles before the family name."""
    if not isinstance(person, Mapping):
        return plain(person)
    literal = plain(person.get("literal")) or plain(person.get("name"))
    family, given = plain(person.get("family")), plain(person.get("given"))
    if literal or not family:  # a comma would make it family and given name
        return " ".join((literal or given).replace(",", " ").split())
    if not given and "," in family:
        return family.replace(",", "")
    particle = plain(person.get("non-dropping-particle"))
    dropping = plain(person.get("dropping-particle"))
    last = " ".join(part for part in (dropping, particle, family) if part)
    suffix = plain(person.get("suffix"))
    return ", ".join([last, given, suffix] if suffix else [last, given] if given else [last])
