"""Reader of PubMed's MEDLINE format (``.nbib``).

Tags after the National Library of Medicine, "MEDLINE/PubMed Data Element (Field) Descriptions".
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citeloom.domain.references.dates import csl_date
from citeloom.infrastructure.references.fields.names import inverted_name
from citeloom.infrastructure.references.fields.plain_text import plain

from .source_item import SourceItem

_TAGGED = re.compile(r"([A-Z]{2,4}) *- ?(.*)")
_FIELDS = {
    "JT": "container-title", "TA": "container-title-short", "VI": "volume", "IP": "issue",
    "PG": "page", "AB": "abstract", "PL": "publisher-place", "PB": "publisher", "LA": "language",
    "PMID": "PMID", "PMC": "PMCID",
}  # fmt: skip
_LANGUAGES = {"eng": "en", "fre": "fr", "ger": "de", "spa": "es", "ita": "it", "jpn": "ja",
              "chi": "zh", "por": "pt", "rus": "ru", "dut": "nl", "dan": "da", "swe": "sv",
              "nor": "no", "pol": "pl"}  # fmt: skip
Record = Mapping[str, list[str]]


def read_medline(text: str) -> list[SourceItem]:
    """The items of a MEDLINE file; each begins with its ``PMID``."""
    return [_item(record, line) for line, record in _records(text)]


def _records(text: str) -> Iterator[tuple[int, dict[str, list[str]]]]:
    first_line, lines = 0, list[tuple[str, list[str]]]()
    for number, line in enumerate(text.split("\n"), start=1):
        match = _TAGGED.fullmatch(line.strip("\ufeff\r"))
        if match and match[1] == "PMID":
            if lines:
                yield first_line, _record(lines)
            first_line, lines = number, []
        if match and first_line:
            lines.append((match[1], [match[2]]))
        elif lines and line[:1].isspace() and line.strip():
            lines[-1][1].append(line.strip())
    if lines:
        yield first_line, _record(lines)


def _record(lines: list[tuple[str, list[str]]]) -> dict[str, list[str]]:
    record: dict[str, list[str]] = {}
    for tag, parts in lines:
        record.setdefault(tag, []).append(" ".join(parts).strip())
    return record


def _item(record: Record, line: int) -> SourceItem:
    in_book = "BTI" in record
    csl: dict[str, Any] = {"type": "article-journal"}
    if in_book:
        csl["type"] = "chapter" if _first(record, "TI") else "book"
    csl["title"] = _first(record, "TI", "BTI").removesuffix(".")
    if in_book and csl["type"] == "chapter":
        csl["container-title"] = _first(record, "BTI").removesuffix(".")
    for tag, variable in _FIELDS.items():
        if value := _first(record, tag):
            csl.setdefault(variable, _LANGUAGES.get(value, value) if tag == "LA" else value)
    for value in (*record.get("LID", ()), *record.get("AID", ())):
        if value.endswith("[doi]"):
            csl.setdefault("DOI", value.removesuffix("[doi]").strip())
    if issn := re.search(r"\d{4}-\d{3}[\dX]", _first(record, "IS")):
        csl["ISSN"] = issn.group()
    if date := _first(record, "DP", "DEP"):
        csl["issued"] = csl_date(date)
    people = [_name(name) for name in record.get("FAU") or record.get("AU") or ()]
    people += [{"literal": plain(name)} for name in record.get("CN", ())]
    if authors := [name for name in people if name]:
        csl["author"] = authors
    editors = [_name(name) for name in record.get("FED", ())]
    if editors := [name for name in editors if name]:
        csl["editor"] = editors
    csl["URL"] = f"https://pubmed.ncbi.nlm.nih.gov/{csl['PMID']}/" if "PMID" in csl else ""
    return SourceItem(
        csl={name: value for name, value in csl.items() if value},
        tags=tuple(dict.fromkeys(filter(None, map(plain, record.get("OT", ()))))),
        line=line,
    )


def _name(text: str) -> dict[str, str]:
    """``Smith, John A 3rd``, or ``Smith JA 3rd`` with initials and suffix last."""
    initials = re.fullmatch(
        r"([^,]+?) ([A-Z]{1,4})(?: ([JS]r\.?|I{2,3}|IV|[2-9](?:nd|rd|th)))?", text.strip()
    )
    return inverted_name(plain(", ".join(filter(None, initials.groups())) if initials else text))


def _first(record: Record, *tags: str) -> str:
    return next((value for tag in tags for value in record.get(tag, ()) if value), "")
