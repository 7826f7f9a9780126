"""Citation fields of Zotero, Mendeley and EndNote: the works that they name.

Zotero writes ``ADDIN ZOTERO_ITEM CSL_CITATION {json}``, Mendeley Desktop ``ADDIN CSL_CITATION
{json}``, Mendeley Cite the same JSON in Base64 as the tag of a content control
(``MENDELEY_CITATION_v3_…``). EndNote writes ``ADDIN EN.CITE <EndNote><Cite>…``, or the XML in
Base64 as the data of the field or of one inside it (``EN.CITE.DATA``).
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from citeloom.domain.citation.citation_locators import parse_locator
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.identifiers import normalise_doi
from citeloom.domain.references.named_work import NamedWork
from citeloom.domain.verification.drafts.draft import CitedItem

_CSL = "CSL_CITATION"
_ENDNOTE = re.compile(r"\s*ADDIN\s+EN\.CITE\b(?!\.DATA)", re.IGNORECASE)
_ENDNOTE_DATA = re.compile(r"\s*ADDIN\s+EN\.CITE\.DATA\b", re.IGNORECASE)
_BIBLIOGRAPHY = re.compile(
    r"ZOTERO_BIBL|CSL_BIBLIOGRAPHY|EN\.REFLIST|^\s*BIBLIOGRAPHY\b|MENDELEY_BIB"
)
_MENDELEY_TAG = re.compile(r"MENDELEY_CITATION_v\d+_(?P<data>[\w+/=-]+)")
_ITEM_KEY = re.compile(r"[A-Z0-9]{8}")
_ITEM_URI = re.compile(rf"/items/({_ITEM_KEY.pattern})$")
# Ids that are valid only within the document or the manager's own database.
_NO_KEY = re.compile(r"ITEM-\d+|\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_KEY_IN_NOTE = re.compile(r"^\s*citation key:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


class FieldItem(NamedTuple):
    """A cited item at no place yet, and its work."""

    item: CitedItem
    work: NamedWork
    narrative: bool = False


def is_bibliography_field(instruction: str) -> bool:
    return bool(_BIBLIOGRAPHY.search(instruction))


def is_endnote_data(instruction: str) -> bool:
    return bool(_ENDNOTE_DATA.match(instruction))


def items_of_field(instruction: str, data: str) -> list[FieldItem]:
    """The items of a field with this instruction and field data; none for other fields."""
    if _CSL in instruction:
        body = instruction.partition(_CSL)[2].strip()
        try:
            return list(_csl_items(json.JSONDecoder().raw_decode(body)[0]))
        except ValueError:
            return []
    if not _ENDNOTE.match(instruction):
        return []
    written = instruction.partition("EN.CITE")[2].strip()
    return list(_endnote_items(written if "<Cite" in written else _decoded(data)))


def items_of_tag(tag: str) -> list[FieldItem]:
    """The items of a content control of Mendeley Cite; none for other tags."""
    match = _MENDELEY_TAG.match(tag)
    if match is None:
        return []
    try:
        return list(_csl_items(json.loads(_decoded(match["data"]))))
    except ValueError:
        return []


def _decoded(data: str) -> str:
    """The text of Base64 data in either alphabet, with or without padding."""
    compact = "".join(data.split()).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        content = base64.b64decode(compact + "=" * (-len(compact) % 4))
    except (ValueError, binascii.Error):
        return ""
    return content.decode("utf-8", "replace").rstrip("\0")


def _csl_items(citation: Any) -> Iterator[FieldItem]:
    items = citation.get("citationItems") if isinstance(citation, Mapping) else None
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, Mapping):
            continue
        work = _csl_work(item)
        if not (work.keys or work.entry):
            continue
        where = str(item.get("locator") or "")
        has_page = str(item.get("label") or "page") == "page"
        locator, suffix = parse_locator(where) if has_page else (None, where)
        after = str(item.get("suffix") or "").strip()
        yield FieldItem(
            CitedItem(
                key=_name(work),
                start=0,
                end=0,
                locator=locator,
                prefix=str(item.get("prefix") or "").strip(),
                suffix=" ".join(filter(None, (suffix, after))),
                suppress_author=bool(item.get("suppress-author")),
            ),
            work,
        )


def _csl_work(item: Mapping[str, Any]) -> NamedWork:
    data = item.get("itemData")
    data = data if isinstance(data, Mapping) else {}
    uris = [uri for name in ("uris", "uri") for uri in _texts(item.get(name))]
    in_note = _KEY_IN_NOTE.findall(str(data.get("note") or ""))
    found = [
        *_texts(data.get("citation-key")),
        *_texts(data.get("citekey")),
        *in_note,
        *(match[1] for uri in uris if (match := _ITEM_URI.search(uri))),
        *_texts(data.get("DOI")),
        *(one for one in _texts(data.get("id")) if not _NO_KEY.fullmatch(one)),
    ]
    people = data.get("author")
    authors = [
        str(one.get("family") or one.get("literal") or "")
        for one in (people if isinstance(people, list) else ())
        if isinstance(one, Mapping)
    ]
    issued = _YEAR.search(json.dumps(data.get("issued"))) if data.get("issued") else None
    return _work(
        found,
        authors,
        title=" ".join(_texts(data.get("title"))),
        year=int(issued[0]) if issued else None,
        doi=" ".join(_texts(data.get("DOI"))),
    )


def _texts(value: Any) -> list[str]:
    """The texts of a value that may be one or a list."""
    values = value if isinstance(value, list) else [value]
    return [one.strip() for one in map(str, filter(None, values)) if one.strip()]


def _endnote_items(xml: str) -> Iterator[FieldItem]:
    from lxml import etree

    start = xml.find("<EndNote")
    if start < 0:
        return
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    root = etree.fromstring(xml[start:].encode(), parser)
    for cite in root.iter("Cite") if root is not None else ():
        record = cite.find("record")
        names = [_words(one) for one in _all(record, "contributors/authors/author")]
        names = names or [name for one in _all(cite, "Author") if (name := _words(one))]
        year = _YEAR.search(_text(record, "dates/year") or _text(cite, "Year"))
        doi = _text(record, "electronic-resource-num")
        work = _work(
            [key for key in (_text(record, "label"), normalise_doi(doi) or "") if key],
            [name.partition(",")[0] for name in names],
            title=_text(record, "titles/title"),
            year=int(year[0]) if year else None,
            doi=doi,
        )
        if not (work.keys or work.entry):
            continue
        locator, suffix = parse_locator(_text(cite, "Pages"))
        yield FieldItem(
            CitedItem(
                key=_name(work),
                start=0,
                end=0,
                locator=locator,
                prefix=_text(cite, "Prefix"),
                suffix=" ".join(filter(None, (suffix, _text(cite, "Suffix")))),
                suppress_author=cite.get("ExcludeAuth") == "1",
            ),
            work,
            narrative=cite.get("AuthorYear") == "1",
        )


def _all(element: Any, path: str) -> list[Any]:
    return list(element.findall(path)) if element is not None else []


def _text(element: Any, path: str) -> str:
    return next((_words(one) for one in _all(element, path)), "")


def _words(element: Any) -> str:
    """The text without EndNote's ``style`` elements."""
    return " ".join("".join(element.itertext()).split())


def _work(
    keys: list[str], authors: list[str], *, title: str, year: int | None, doi: str
) -> NamedWork:
    names = tuple(name for name in authors if name)
    entry = None
    if title or names:
        entry = CitedWork(
            text=f"{', '.join(names)} ({year or 'n.d.'}). {title}.",
            span=CharSpan(start=0, end=0),
            doi=normalise_doi(doi),
            year=year,
            author=names[0] if names else None,
            title=title or None,
        )
    return NamedWork(
        keys=tuple(dict.fromkeys(keys)),
        authors=names,
        years=(year,) if year else (),
        entry=entry,
    )


def _name(work: NamedWork) -> str:
    """The citation key; else the authors and year; else any key, or the title."""
    first = work.keys[0] if work.keys else ""
    if first and not (_ITEM_KEY.fullmatch(first) or normalise_doi(first)):
        return first
    if not work.authors:
        return first or (work.entry.title if work.entry and work.entry.title else "untitled")
    people = f"{work.authors[0]} et al." if len(work.authors) > 2 else " & ".join(work.authors)
    return f"{people}, {work.years[0] if work.years else 'n.d.'}"
