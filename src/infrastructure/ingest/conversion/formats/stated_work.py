"""The work that a file states in its metadata: HTML head, JATS front, Office and EPUB properties.

Names are printed with the given name first.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from citeloom.infrastructure.ingest.conversion.pdf.front_matter.people import stated_names
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.stated import StatedWork
from citeloom.infrastructure.ingest.conversion.pdf.front_matter.title import plausible_title

from .formulas import Element

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_INVERTED = re.compile(r"([^,]+),\s*([^,]+)")
_DC = "{http://purl.org/dc/elements/1.1/}"
_OPF = "{http://www.idpf.org/2007/opf}"
_INITIAL_CREATOR = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}initial-creator"


def year_in(text: str | None) -> int | None:
    """The first year of a date in whatever form."""
    match = _YEAR.search(text or "")
    return int(match[0]) if match else None


def page_range(first: str | None, last: str | None) -> str | None:
    return f"{first}-{last}" if first and last and first != last else first or None


def _given_first(name: str) -> str:
    """*Loom, Ada* as *Ada Loom*."""
    text = " ".join(name.split())
    match = _INVERTED.fullmatch(text)
    return f"{match[2]} {match[1]}" if match else text


def html_work(soup: Any) -> StatedWork:
    """The work that an HTML page states: Highwire's ``citation_*`` tags, Dublin Core and PRISM,
    JSON-LD of schema.org, and, uncertain, the plain author tag. The first that has a field wins."""
    tags: dict[str, list[str]] = {}
    for meta in soup.find_all("meta"):
        name = str(meta.get("name") or meta.get("property") or "").lower()
        if content := " ".join(str(meta.get("content") or "").split()):
            tags.setdefault(name.replace("dcterms.", "dc.").replace("dc:", "dc."), []).append(
                content
            )
    work = _highwire(tags).or_else(_dublin_core(tags))
    for script in soup.find_all("script", type="application/ld+json"):
        work = work.or_else(_json_ld(script.string or ""))
    authors = tuple(stated_names(tags.get("author", ())))
    plain = StatedWork(authors=authors, year=year_in(_first(tags, "article:published_time")))
    return work.or_else(plain._replace(uncertain=("authors", "year")))


def _first(tags: dict[str, list[str]], *names: str) -> str | None:
    return next((tags[name][0] for name in names if name in tags), None)


def _highwire(tags: dict[str, list[str]]) -> StatedWork:
    listed = tags.get("citation_author") or [
        name for value in tags.get("citation_authors", ()) for name in value.split(";")
    ]
    first, last = _first(tags, "citation_firstpage"), _first(tags, "citation_lastpage")
    prefixes = {"citation_arxiv_id": "arXiv:", "citation_pmid": "pmid:", "citation_isbn": "isbn:"}
    dois = tags.get("citation_doi", []) + tags.get("bepress_citation_doi", [])
    return StatedWork(
        _first(tags, "citation_title"),
        tuple(_given_first(name) for name in listed if name.strip()),
        year_in(
            _first(tags, "citation_publication_date", "citation_date", "citation_year")
            or _first(tags, "citation_online_date")
        ),
        _first(tags, "citation_journal_title", "citation_conference_title")
        or _first(tags, "citation_inbook_title", "citation_book_title"),
        _first(tags, "citation_volume"),
        _first(tags, "citation_issue"),
        page_range(first, last),
        identifiers=(
            *dois,
            *(f"{prefixes[name]}{v}" for name in prefixes for v in tags.get(name, ())),
        ),
    )


def _dublin_core(tags: dict[str, list[str]]) -> StatedWork:
    return StatedWork(
        _first(tags, "dc.title"),
        tuple(map(_given_first, tags.get("dc.creator", ()))),
        year_in(_first(tags, "prism.publicationdate", "dc.issued", "dc.date")),
        _first(tags, "prism.publicationname"),
        _first(tags, "prism.volume"),
        _first(tags, "prism.number"),
        page_range(_first(tags, "prism.startingpage"), _first(tags, "prism.endingpage")),
        identifiers=tuple(tags.get("prism.doi", []) + tags.get("dc.identifier", [])),
    )


_WORKS = re.compile(r"(?:Article|Posting|Book|Chapter|Report|Thesis|CreativeWork)$")


def _json_ld(text: str) -> StatedWork:
    """The first article, book or report of a JSON-LD script; an empty work if it is not JSON. A
    page that was changed in a later year, or has two titles, is uncertain in that."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return StatedWork()
    one = next((n for n in _nodes(found) if any(map(_WORKS.search, _texts(n.get("@type"))))), None)
    if one is None:
        return StatedWork()
    parts = list(_containers(one.get("isPartOf")))

    def part(*names: str) -> str | None:
        return next((t for p in (one, *parts) for name in names for t in _texts(p.get(name))), None)

    periodical = next((t for p in reversed(parts) for t in _texts(p.get("name"))), None)
    people = (p for p in _listed(one.get("author")) if not isinstance(p, dict) or "name" in p)
    authors = (p["name"] if isinstance(p, dict) else p for p in people)
    titles = [t for name in ("name", "headline") for t in _texts(one.get(name))]
    changed = year_in(part("dateModified"))
    doubts = {
        "title": len({title.casefold() for title in titles}) > 1,
        "year": changed is not None and changed != year_in(part("datePublished")),
    }
    return StatedWork(
        next(iter(titles), None),
        tuple(_given_first(name) for name in authors if isinstance(name, str) and name.strip()),
        year_in(part("datePublished")),
        periodical,
        part("volumeNumber"),
        part("issueNumber"),
        part("pagination") or page_range(part("pageStart"), part("pageEnd")),
        uncertain=tuple(name for name, doubted in doubts.items() if doubted),
        identifiers=(
            *(t for name in ("doi", "identifier", "sameAs") for t in _texts(one.get(name))),
            *(f"isbn:{t}" for t in _texts(one.get("isbn"))),
        ),
    )


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(value: object) -> Iterator[str]:
    """Strings of a JSON-LD value: itself, of its list, or the ``value`` of a PropertyValue."""
    for one in _listed(value):
        inner = one.get("value") if isinstance(one, dict) else one
        if isinstance(inner, str | int) and str(inner).strip():
            yield " ".join(str(inner).split())


def _nodes(value: object) -> Iterator[dict[str, Any]]:
    for one in _listed(value):
        if isinstance(one, dict):
            yield one
            yield from _nodes(one.get("@graph"))


def _containers(value: object) -> Iterator[dict[str, Any]]:
    """The issue, volume and periodical that a work is part of, the innermost first."""
    for one in _listed(value)[:1]:
        if isinstance(one, dict):
            yield one
            yield from _containers(one.get("isPartOf"))


def jats_work(root: Element) -> StatedWork:
    """The article of a JATS file: its ``article-meta`` and ``journal-meta`` (JATS 1.3)."""
    meta = root.find("./front/article-meta")
    if meta is None:
        return StatedWork()
    title = _plain(meta.find("./title-group/article-title"))
    subtitle = _plain(meta.find("./title-group/subtitle"))
    dates = {
        date.get("pub-type") or date.get("date-type") or "": year_in(_plain(date.find("year")))
        for date in meta.iterfind("./pub-date")
    }
    of_issue = ("ppub", "collection", "epub-ppub", "pub", "epub", *dates)
    kinds = {"doi": "", "arxiv": "arXiv:", "pmid": "pmid:"}
    ids = ((e.get("pub-id-type"), _plain(e)) for e in meta.iterfind("./article-id"))
    journal = root.find("./front/journal-meta")
    names = journal.iter("journal-title") if journal is not None else ()
    return StatedWork(
        f"{title}: {subtitle}" if title and subtitle else title,
        tuple(_jats_people(meta)),
        next((year for kind in of_issue if (year := dates.get(kind))), None),
        next(filter(None, map(_plain, names)), None),
        _plain(meta.find("./volume")),
        _plain(meta.find("./issue")),
        page_range(_plain(meta.find("./fpage")), _plain(meta.find("./lpage")))
        or _plain(meta.find("./elocation-id")),
        identifiers=tuple(
            f"{kinds[kind]}{re.sub('(?i)^arxiv:', '', value)}"
            for kind, value in ids
            if kind in kinds and value
        ),
    )


def _jats_people(meta: Element) -> Iterator[str]:
    for one in meta.iterfind("./contrib-group/contrib"):
        if one.get("contrib-type", "author") != "author":
            continue
        name = one.find("./name") if one.find("./name") is not None else one.find(".//name")
        if name is not None:
            parts = [name.find(tag) for tag in ("given-names", "surname", "suffix")]
            yield " ".join(text for part in parts if (text := _plain(part)))
        elif whole := _plain(one.find(".//string-name")) or _plain(one.find("./collab")):
            yield whole


def _plain(element: Element | None) -> str | None:
    """The text of an element without its notes and marks; None if it has none."""
    if element is None:
        return None
    aside = {"xref", "fn", "contrib-group"}
    parts = [element.text or ""]
    for child in element:
        seen = isinstance(child.tag, str) and child.tag not in aside
        parts.append((_plain(child) or "") if seen else "")
        parts.append(child.tail or "")
    return " ".join("".join(parts).split()) or None


def properties_work(root: Element | None) -> StatedWork:
    """The work that the properties of an Office, OpenDocument or EPUB file state. The author of an
    Office file is the account that made it, and the date of an EPUB may be that of the e-book, so
    both are uncertain. Dates of Office files are those of the file."""
    if root is None:
        return StatedWork()
    title = next((text for e in root.iter(f"{_DC}title") if (text := _plain(e))), None)
    is_epub = root.tag == f"{_OPF}package"
    roles = {
        (meta.get("refines") or "").removeprefix("#"): _plain(meta)
        for meta in root.iter(f"{_OPF}meta")
        if meta.get("property") == "role"
    }
    makers = [
        text
        for element in [*root.iter(_INITIAL_CREATOR), *root.iter(f"{_DC}creator")]
        if roles.get(element.get("id", "-"), element.get(f"{_OPF}role") or "aut") == "aut"
        and (text := _plain(element))
    ]
    authors = tuple(map(_given_first, makers)) if is_epub else stated_names(makers[:1])
    date = next((text for e in root.iter(f"{_DC}date") if (text := _plain(e))), None)
    return StatedWork(
        title if is_epub else plausible_title(title),
        authors,
        year_in(date) if is_epub else None,
        uncertain=("year",) if is_epub else ("title", "authors"),
        identifiers=tuple(
            f"isbn:{text}" if e.get(f"{_OPF}scheme", "").lower() == "isbn" else text
            for e in root.iter(f"{_DC}identifier")
            if (text := _plain(e))
        ),
    )


def front_matter_work(text: str) -> StatedWork:
    """The work that the YAML front matter of a Markdown file states, as pandoc and Quarto write it:
    ``title``, ``author`` (one, a list, or items with ``name``), ``date``, ``doi``, ``arxiv``."""
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return StatedWork()
    if not isinstance(found, dict):
        return StatedWork()
    fields = {str(key).lower(): value for key, value in found.items()}
    people = [*_listed(fields.get("author")), *_listed(fields.get("authors"))]
    names = (p.get("name") if isinstance(p, dict) else p for p in people)
    return StatedWork(
        next(_texts(fields.get("title")), None),
        tuple(_given_first(name) for name in names if isinstance(name, str) and name.strip()),
        year_in(str(fields.get("date", ""))),
        identifiers=(
            *_texts(fields.get("doi")),
            *(f"arXiv:{value}" for value in _texts(fields.get("arxiv"))),
        ),
    )
