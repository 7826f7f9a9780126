"""Reader and writer of RIS files, in the dialects of several programs.

The meaning of a tag depends on the type, and differs between EndNote (RIS Format Specifications,
Clarivate) and Zotero; where they disagree, the content of the tag decides.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from rispy import RisParser

from citeloom.domain.citation.metadata import CitationMeta, csl_item, web_address
from citeloom.domain.references.dates import csl_date, year_of
from citeloom.infrastructure.references.fields.names import OTHERS, inverted_name
from citeloom.infrastructure.references.fields.plain_text import plain, without_citation_key

from .source_item import SourceItem

_TYPES = {
    "ABST": "article-journal", "ADVS": "motion_picture", "AGGR": "dataset", "ART": "graphic",
    "BILL": "bill", "BLOG": "post-weblog", "BOOK": "book", "CASE": "legal_case",
    "CHAP": "chapter", "CLSWK": "classic", "COMP": "software", "CONF": "paper-conference",
    "CPAPER": "paper-conference", "CTLG": "book", "DATA": "dataset", "DBASE": "dataset",
    "DICT": "entry-dictionary", "EBOOK": "book", "ECHAP": "chapter", "EDBOOK": "book",
    "EJOUR": "article-journal", "ELEC": "webpage", "ENCYC": "entry-encyclopedia",
    "FIGURE": "figure", "GOVDOC": "report", "HEAR": "hearing", "ICOMM": "personal_communication",
    "INPR": "article-journal", "JFULL": "periodical", "JOUR": "article-journal",
    "LEGAL": "legislation", "MANSCPT": "manuscript", "MAP": "map", "MGZN": "article-magazine",
    "MPCT": "motion_picture", "MULTI": "webpage", "MUSIC": "musical_score",
    "NEWS": "article-newspaper", "PAMP": "pamphlet", "PAT": "patent",
    "PCOMM": "personal_communication", "RPRT": "report", "SER": "book", "SLIDE": "graphic",
    "SOUND": "song", "STAND": "standard", "STAT": "legislation", "THES": "thesis",
    "UNPB": "manuscript", "UNPD": "manuscript", "VIDEO": "motion_picture", "WEB": "webpage",
}  # fmt: skip
_FIELDS = {
    "ST": "title-short", "VL": "volume", "ET": "edition", "PB": "publisher", "LA": "language",
    "CN": "call-number", "NV": "number-of-volumes", "M3": "genre", "AB": "abstract",
    "N2": "abstract", "JA": "container-title-short", "J2": "container-title-short",
    "CY": "publisher-place", "PP": "publisher-place", "DP": "source", "DB": "source",
    "SE": "section",
}  # fmt: skip
_ROLES = {"AU": "author", "A1": "author", "ED": "editor", "A4": "translator"}
_SERIAL = frozenset({"article-journal", "article-magazine", "article-newspaper", "periodical"})
_IN_OTHERS = frozenset({"chapter", "paper-conference", "entry-encyclopedia", "entry-dictionary"})
_IN_SERIES = frozenset({"book", "report", "thesis", "map", "standard", "pamphlet", "dataset"})
_PAGES_IN_ALL = frozenset({"book", "thesis", "manuscript"})
_STRICT = re.compile(r"([A-Z][A-Z0-9])  -(?: (.*)|$)")
_LOOSE = re.compile(r"([A-Z][A-Z0-9]) {0,2}- ?(.*)")
_LINKED_DOI = re.compile(r"https?://(?:dx\.)?doi\.org/(10\.\S+)")
_ISSN = re.compile(r"\d{4}-?\d{3}[\dXx]")

Record = Mapping[str, list[str]]


class _Tags(dict[str, str]):
    """Maps each tag to itself."""

    def __missing__(self, tag: str) -> str:
        return tag


class _AllTags(list[str]):
    def __contains__(self, tag: object) -> bool:
        return True


class _RisParser(RisParser):  # type: ignore[misc]
    """rispy's parser, with every tag as a list under its own name."""

    DEFAULT_MAPPING = _Tags()
    DEFAULT_LIST_TAGS = _AllTags()
    DEFAULT_DELIMITER_MAPPING: dict[str, str] = {}  # noqa: RUF012


def read_ris(text: str) -> list[SourceItem]:
    """The items of a RIS file; a record ends with ``ER``, or where the next one begins."""
    return [
        _item(
            {**record, "TY": [record["TY"]]}, line
        )  # the only tag that rispy does not make a list
        for line, lines in _records(text)
        for record in _RisParser().parse_lines(iter([*lines, "ER  - ", ""]))
    ]


def _records(text: str) -> Iterator[tuple[int, list[str]]]:
    """Line number (from 1) and lines of each record: one line for each tag, with its continuation
    lines.

    Continuation lines of keywords are further keywords (EndNote).
    """
    form = _STRICT if re.search(r"^\s*TY  -", text, re.MULTILINE) else _LOOSE
    first_line, tags = 0, list[list[str]]()
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip("\ufeff \t\r")
        match = form.fullmatch(line)
        tag, content = (match[1], (match[2] or "").strip()) if match else ("", line)
        if tag in ("TY", "ER") and tags:
            yield first_line, [f"{parts[0]}  - {' '.join(parts[1:])}" for parts in tags]
            tags = []
        if tag == "TY":
            first_line, tags = number, [["TY", content]]
        elif not tags or not line:
            continue
        elif tag:
            tags.append([tag, content])
        elif tags[-1][0] == "KW":
            tags.append(["KW", content])
        else:
            tags[-1].append(content)
    if tags:
        yield first_line, [f"{parts[0]}  - {' '.join(parts[1:])}" for parts in tags]


def _item(record: Record, line: int) -> SourceItem:
    item_type = _TYPES.get(_first(record, "TY").upper(), "document")
    csl: dict[str, Any] = {"type": item_type}
    if (key := _first(record, "ID")) and not key.isdecimal():
        csl |= {"id": key, "citation-key": key}
    for variable, value in _values(record, item_type):
        if value and variable not in csl:
            csl[variable] = value
    for role, name in _people(record, item_type):
        csl.setdefault(role, []).append(name)
    return SourceItem(
        csl=csl,
        files=tuple(_files(record)),
        tags=tuple(dict.fromkeys(filter(None, map(plain, record.get("KW", ()))))),
        line=line,
    )


def _values(record: Record, item_type: str) -> Iterator[tuple[str, Any]]:
    """Variables and values; of repeated variables the first counts."""
    is_within = item_type in _SERIAL or item_type in _IN_OTHERS
    title_tags = ("TI", "T1", "CT") if is_within else ("TI", "T1", "CT", "BT")
    yield "title", _first(record, *title_tags)
    if is_within:
        # EndNote has the conference in T2 and the proceedings in C3, or in BT.
        proceedings = ("C3", "BT") if item_type == "paper-conference" else ("BT",)
        yield "container-title", _first(record, *proceedings, "T2", "JF", "JO", "JA", "J2")
        if item_type == "paper-conference" and _first(record, *proceedings):
            yield "event-title", _first(record, "T2")
        yield "collection-title", _first(record, "T3")
    elif item_type in _IN_SERIES:
        yield "collection-title", _first(record, "T2", "T3")
        yield "container-title", _first(record, "JF", "JO")
    else:
        yield "container-title", _first(record, "T2", "JF", "JO")
        yield "collection-title", _first(record, "T3")
    for tag, variable in _FIELDS.items():
        yield variable, _first(record, tag)
    yield "issue" if item_type in _SERIAL else "number", _first(record, "IS", "M1")
    yield from _pages(record, item_type)
    for value in map(plain, record.get("SN", ())):
        yield "ISSN" if _ISSN.fullmatch(value) or item_type in _SERIAL else "ISBN", value
    yield from _identifiers(record)
    yield (
        "note",
        "\n".join(filter(None, map(plain, (*record.get("N1", ()), *record.get("RN", ()))))),
    )
    if date := _date(_issued(record)):
        yield "issued", date
    if date := _date(_first(record, "Y2")):
        yield "accessed", date


def _pages(record: Record, item_type: str) -> Iterator[tuple[str, str]]:
    first, last = _first(record, "SP"), _first(record, "EP")
    if item_type in _PAGES_IN_ALL and first.isdecimal() and not last:
        yield "number-of-pages", first
    elif first and last and last != first and not re.search(r"\d\s*[-–]", first):
        yield "page", f"{first}–{last}"
    else:
        yield "page", first or last


def _identifiers(record: Record) -> Iterator[tuple[str, str]]:
    yield "DOI", _first(record, "DO", "DI")
    for tag in ("M3", "L3"):
        if (value := _first(record, tag).removeprefix("doi:").strip()).startswith("10."):
            yield "DOI", value
    for address in record.get("UR", ()):
        if (linked := _LINKED_DOI.match(address)) is not None:
            yield "DOI", linked[1]
        yield "URL", address.split(" ")[0]
    if (pmcid := _first(record, "C2")).upper().startswith("PMC"):
        yield "PMCID", pmcid
    source = f"{_first(record, 'DB')} {_first(record, 'DP')}".lower()
    if "pubmed" in source or "medline" in source or "nlm" in source:
        yield "PMID", _first(record, "AN")


def _issued(record: Record) -> str:
    """The year of ``PY`` or ``Y1``, with month and day of ``DA`` if that is of the same year."""
    year = _first(record, "PY", "Y1")
    date = _first(record, "DA")
    if not year:
        return date
    return date if year_of(_date(date)) == year_of(_date(year)) is not None else year


def _date(text: str) -> dict[str, Any] | None:
    """``2020/03/15/Spring``: year, month, day and other text, each possibly empty."""
    year, *rest = (part.strip() for part in text.split("/"))
    if not year.strip("0"):
        return None
    if not rest or not re.fullmatch(r"\d{4}", year):
        return csl_date(text) if text else None
    numbers = [part for part in rest[:2] if re.fullmatch(r"\d{1,2}", part)]
    date = csl_date("-".join([year, *(f"{int(part):02d}" for part in numbers)]))
    return csl_date(f"{rest[2]} {year}") if rest[2:] and rest[2] and not numbers else date


def _people(record: Record, item_type: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Names with roles; the editors of a book are in A3, or in A2 if there are no others."""
    roles = dict(_ROLES)
    if item_type in _IN_OTHERS or item_type in _SERIAL:
        roles |= {"A2": "editor", "A3": "collection-editor"}
    elif any(record.get(tag) for tag in ("AU", "A1", "A3", "ED")):
        roles |= {"A2": "collection-editor" if record.get("A3") else "editor", "A3": "editor"}
    else:
        roles["A2"] = "editor"
    for tag, role in roles.items():
        for text in record.get(tag, ()):
            for part in plain(text).split(";"):  # some programs write all names in one line
                if name := inverted_name(part):
                    yield role, name


def _files(record: Record) -> Iterator[str]:
    """Paths in L1 to L4; EndNote's ``internal-pdf:`` cannot be resolved."""
    for tag in ("L1", "L2", "L4"):
        for path in record.get(tag, ()):
            if path and ("://" not in path or path.lower().startswith("file:")):
                yield path


def _first(record: Record, *tags: str) -> str:
    return next(
        (value for tag in tags for text in record.get(tag, ()) if (value := text.strip())), ""
    )


# RIS specification (2011), "TY": by CSL's types.
_WRITTEN_TYPES = {
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
)  # fmt: skip


def write_ris(works: Sequence[CitationMeta]) -> str:
    import rispy

    class Unnumbered(rispy.RisWriter):  # type: ignore[misc]
        """The bibliography without running numbers, which some programs reject."""

        def set_header(self, _count: int) -> str:
            return ""

    records = [dict(_record(work)) for work in works]
    return str(rispy.dumps(records, implementation=Unnumbered)).lstrip("\n") if records else ""


def _record(work: CitationMeta) -> Iterator[tuple[str, Any]]:
    item = csl_item(work)
    yield "type_of_reference", _WRITTEN_TYPES.get(plain(item.get("type")), "GEN")
    yield "id", work.citekey
    yield "title", plain(item.get("title")) or work.title
    if authors := _names(item.get("author")):
        yield "authors", authors
    if editors := _names(item.get("editor")):
        yield "secondary_authors", editors
    yield from _dates(work, item)
    for variable, name in _COPIED:
        if text := plain(item.get(variable)):
            yield name, text
    notes = (without_citation_key(plain(item.get("note"))), plain(item.get("annote")))
    if any(notes):
        yield "notes", [note for note in notes if note]
    yield from _written_pages(plain(item.get("page")))
    if number := plain(item.get("ISBN")) or plain(item.get("ISSN")):
        yield "issn", number
    if work.doi:
        yield "doi", plain(work.doi)
    if address := web_address(work, item):
        yield "urls", [plain(address)]
    if work.tags:
        yield "keywords", [plain(tag) for tag in work.tags]


def _written_pages(text: str) -> Iterator[tuple[str, str]]:
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
    if person == OTHERS:
        return "et al."
    literal = plain(person.get("literal")) or plain(person.get("name"))
    family, given = plain(person.get("family")), plain(person.get("given"))
    if literal or not family:  # a comma would make it family and given name, a semicolon two
        return " ".join((literal or given).replace(",", " ").replace(";", " ").split())
    if not given and "," in family:
        return family.replace(",", "")
    particle = plain(person.get("non-dropping-particle"))
    dropping = plain(person.get("dropping-particle"))
    last = " ".join(part for part in (dropping, particle, family) if part)
    suffix = plain(person.get("suffix"))
    return ", ".join([last, given, suffix] if suffix else [last, given] if given else [last])
