"""Answers of bibliographic services as CSL-JSON items.

Crossref and DataCite answer content negotiation in CSL-JSON with fields and types of their own;
OpenAlex and OpenLibrary have other records. Only the fields of CSL 1.0.2 are kept, as text; notices
of retractions and versions go into ``custom``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citeloom.application.ports.citation import OpenPdf
from citeloom.domain.references.dates import year_of
from citeloom.domain.references.fields import TYPES
from citeloom.domain.references.identifiers import normalise_arxiv, normalise_doi

Record = Mapping[str, Any]

_TEXTS = (
    "title", "container-title", "container-title-short", "collection-title", "publisher",
    "publisher-place", "volume", "issue", "page", "number", "edition", "version", "genre",
    "language", "number-of-pages", "DOI", "URL", "ISBN", "ISSN", "PMID", "PMCID",
)  # fmt: skip
_NAMES = ("author", "editor", "translator", "collection-editor")
_DATES = ("issued", "event-date")
# Crossref's types, https://api.crossref.org/types, and OpenAlex's, as types of CSL 1.0.2.
_TYPES = {
    "journal-article": "article-journal", "proceedings-article": "paper-conference",
    "book-chapter": "chapter", "book-section": "chapter", "book-part": "chapter",
    "monograph": "book", "edited-book": "book", "reference-book": "book", "book-set": "book",
    "reference-entry": "entry-encyclopedia", "posted-content": "article", "preprint": "article",
    "dissertation": "thesis", "report-component": "report", "report-series": "report",
    "peer-review": "review", "database": "dataset", "journal": "periodical", "other": "document",
    "proceedings": "book", "component": "document",
}  # fmt: skip
# Markup that CSL allows in fields (CSL 1.0.2, appendix "Rich text"); other tags are dropped.
_OTHER_TAGS = re.compile(r"<(?!/?(?:i|b|sub|sup)>)/?[a-zA-Z][^<>]*>")
_VERSIONS = frozenset({"is-preprint-of", "has-preprint", "is-version-of", "has-version"})


#: Of DataCite's relation types those of versions of one work
#: (https://datacite-metadata-schema.readthedocs.io, "relationType").
_VERSION_TYPES = frozenset(
    {"IsVersionOf", "HasVersion", "IsPreviousVersionOf", "IsNewVersionOf", "IsVariantFormOf",
     "IsOriginalFormOf", "IsIdenticalTo", "IsPreprintOf", "HasPreprint"}
)  # fmt: skip


class NoTitle(ValueError):
    """A record that cannot be cited."""

    def __str__(self) -> str:
        return "a record without a title"


def csl_record(answer: Record, source: str) -> dict[str, Any]:
    """A CSL-JSON answer, or a work of Crossref's own API. Raises NoTitle."""
    item: dict[str, Any] = {"type": _csl_type(answer.get("type"))}
    for name in _TEXTS:
        if text := _text(answer.get(name)):
            item[name] = text
    subtitle = _text(answer.get("subtitle"))
    if subtitle and subtitle.casefold() not in item.get("title", "").casefold():
        item["title"] = f"{item.get('title', '')}: {subtitle}"
    for name in _NAMES:
        if people := [one for each in _list(answer.get(name)) if (one := _person(each))]:
            item[name] = people
    for name in _DATES:
        if date := _date(answer.get(name)):
            item[name] = date
    if doi := normalise_doi(item.get("DOI", "")):
        item["DOI"] = doi
    elif "DOI" in item:
        del item["DOI"]
    return _finished(item, source, _updates(answer), _versions(answer))


def openalex_record(answer: Record) -> dict[str, Any]:
    """A work of OpenAlex. Raises NoTitle."""
    place = _mapping(answer.get("primary_location"))
    venue, biblio = _mapping(place.get("source")), _mapping(answer.get("biblio"))
    kind = answer.get("type_crossref") or answer.get("type")
    first, last = _text(biblio.get("first_page")), _text(biblio.get("last_page"))
    is_journal = kind == "article" and venue.get("type") == "journal"
    authors = (_mapping(each) for each in _list(answer.get("authorships")))
    names = [
        _text(each.get("raw_author_name"))
        or _text(_mapping(each.get("author")).get("display_name"))
        for each in authors
    ]
    stated = {
        "type": "article-journal" if is_journal else _csl_type(kind),
        "title": _text(answer.get("title")),
        "author": [_written_name(name) for name in names if name],
        "issued": {"date-parts": [[year]]} if (year := answer.get("publication_year")) else None,
        "container-title": _text(venue.get("display_name")),
        "volume": _text(biblio.get("volume")),
        "issue": _text(biblio.get("issue")),
        "page": f"{first}-{last}" if first and last and first != last else first,
        "DOI": normalise_doi(_text(answer.get("doi"))),
        "URL": _text(place.get("landing_page_url")),
    }
    updates = [{"type": "retraction"}] if answer.get("is_retracted") is True else []
    return _finished({k: v for k, v in stated.items() if v}, "OpenAlex", updates, [])


def openlibrary_record(answer: Record, isbn: str) -> dict[str, Any]:
    """A book of OpenLibrary's Books API (``jscmd=data``). Raises NoTitle."""
    title, subtitle = _text(answer.get("title")), _text(answer.get("subtitle"))
    year = year_of(_text(answer.get("publish_date")))
    stated = {
        "type": "book",
        "title": f"{title}: {subtitle}" if subtitle else title,
        "author": [_written_name(name) for name in _named(answer.get("authors"))],
        "issued": {"date-parts": [[year]]} if year else None,
        "publisher": next(_named(answer.get("publishers")), ""),
        "publisher-place": next(_named(answer.get("publish_places")), ""),
        "number-of-pages": _text(answer.get("number_of_pages")),
        "ISBN": isbn,
        "URL": _text(answer.get("url")),
    }
    return _finished({k: v for k, v in stated.items() if v}, "OpenLibrary", [], [])


def open_pdfs(answer: Any) -> Iterator[OpenPdf]:
    """The PDFs that a work of OpenAlex or Unpaywall names, the best one first; none for an answer
    of another form."""
    work = _mapping(answer)
    places = [work.get("best_oa_location")]
    places += [*_list(work.get("locations")), *_list(work.get("oa_locations"))]
    for place in map(_mapping, places):
        url = place.get("pdf_url") or place.get("url_for_pdf")
        if isinstance(url, str) and url.lower().startswith(("http://", "https://")):
            yield OpenPdf(url, _text(place.get("version")))


def _finished(
    item: dict[str, Any], source: str, updates: list[dict[str, str]], versions: list[dict[str, str]]
) -> dict[str, Any]:
    if not item.get("title"):
        raise NoTitle
    if item.get("DOI") and "doi.org/" in item.get("URL", ""):
        del item["URL"]  # says the same
    if arxiv := normalise_arxiv(item.get("DOI", "")):
        item["type"], item["number"] = "article", arxiv
    custom = {"source": source, "updates": updates, "versions": versions}
    item["custom"] = {name: value for name, value in custom.items() if value}
    return item


def _csl_type(kind: Any) -> str:
    name = str(kind or "")
    return name if name in TYPES else _TYPES.get(name, "document")


def _text(value: Any) -> str:
    """A field as CSL's rich text, on one line; of a list the first entry."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = _OTHER_TAGS.sub("", str(value))
    for entity, char in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&nbsp;", " ")):
        text = text.replace(entity, char)
    return " ".join(text.split())


def _person(value: Any) -> dict[str, str]:
    person = _mapping(value)
    stated = {name: _text(person.get(name)) for name in ("family", "given", "suffix", "literal")}
    named = {name: text for name, text in stated.items() if text}
    if "family" in named:
        named.pop("literal", None)
        return named
    whole = named.get("literal") or _text(person.get("name")) or named.get("given", "")
    return {"literal": whole} if whole else {}


def _written_name(name: str) -> dict[str, str]:
    """A name in one piece: ``Family, Given`` or ``Given Family``, as OpenAlex and OpenLibrary
    write them."""
    family, comma, given = (part.strip() for part in name.partition(","))
    if not comma:
        given, _, family = name.rpartition(" ")
    return {"family": family, "given": given} if family and given else {"literal": name}


def _date(value: Any) -> dict[str, Any] | None:
    parts = _list(_mapping(value).get("date-parts"))
    numbers = [one for one in _list(parts[0] if parts else None) if _is_number(one)]
    if not numbers:
        year = year_of(value)
        return {"date-parts": [[year]]} if year else None
    return {"date-parts": [[int(one) for one in numbers[:3]]]}


def _is_number(value: Any) -> bool:
    return str(value).isdecimal() and not isinstance(value, bool)


def _updates(answer: Record) -> list[dict[str, str]]:
    """Notices on this work (Crossref's ``updated-by``), and what this one is a notice of
    (``update-to``)."""
    found = []
    for name, suffix in (("updated-by", ""), ("update-to", " notice of another work")):
        for each in map(_mapping, _list(answer.get(name))):
            date = _mapping(each.get("updated")).get("date-time")
            update = {
                "type": f"{each['type']}{suffix}" if isinstance(each.get("type"), str) else "",
                "DOI": normalise_doi(_text(each.get("DOI"))) or "",
                "date": str(date)[:10] if date else "",
            }
            if update["type"]:
                found.append({key: text for key, text in update.items() if text})
    return found


def _versions(answer: Record) -> list[dict[str, str]]:
    """Preprints and publications of the work (Crossref's ``relation``)."""
    return [
        {"relation": kind, "id": normalise_doi(name) or name}
        for kind, others in _mapping(answer.get("relation")).items()
        if kind in _VERSIONS
        for each in map(_mapping, _list(others))
        if (name := _text(each.get("id")))
    ]


def datacite_versions(answer: Any) -> list[dict[str, str]]:
    """The versions of a work that its record in DataCite's REST API names by DOI or arXiv id
    (``relatedIdentifiers``)."""
    attributes = _mapping(_mapping(_mapping(answer).get("data")).get("attributes"))
    return [
        {"relation": re.sub(r"(?<!^)([A-Z])", r"-\1", kind).lower(), "id": name}
        for each in map(_mapping, _list(attributes.get("relatedIdentifiers")))
        if (kind := _text(each.get("relationType"))) in _VERSION_TYPES
        if (given := _text(each.get("relatedIdentifier")))
        if (name := normalise_doi(given) or normalise_arxiv(given))
    ]


def _named(value: Any) -> Iterator[str]:
    return (name for each in _list(value) if (name := _text(_mapping(each).get("name"))))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Record:
    return value if isinstance(value, Mapping) else {}
