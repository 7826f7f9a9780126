"""Writer of BibTeX and biblatex entries."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citeloom.domain.citation.metadata import CitationMeta, csl_item, web_address
from citeloom.domain.references.identifiers import normalise_arxiv
from citeloom.infrastructure.references.fields.latex_writer import escaped, rich, verbatim
from citeloom.infrastructure.references.fields.names import OTHERS
from citeloom.infrastructure.references.fields.plain_text import plain, without_citation_key

from .fields import language_name

# biblatex manual, section 2.1 (types) and BibTeX's own (btxdoc, section 3.1).
_BIBLATEX = {
    "article": "online", "article-journal": "article", "article-magazine": "article",
    "article-newspaper": "article", "bill": "legislation", "book": "book",
    "broadcast": "video", "chapter": "incollection", "classic": "book",
    "collection": "collection", "dataset": "dataset", "document": "misc",
    "entry": "inreference", "entry-dictionary": "inreference",
    "entry-encyclopedia": "inreference", "graphic": "image", "hearing": "legal",
    "interview": "misc", "legal_case": "jurisdiction", "legislation": "legislation",
    "manuscript": "unpublished", "map": "misc", "motion_picture": "video",
    "pamphlet": "booklet", "paper-conference": "inproceedings", "patent": "patent",
    "personal_communication": "letter", "post": "online", "post-weblog": "online",
    "regulation": "legislation", "report": "report", "review": "review",
    "review-book": "review", "software": "software", "song": "audio", "speech": "unpublished",
    "standard": "standard", "thesis": "thesis", "treaty": "legislation", "webpage": "online",
}  # fmt: skip
_BIBTEX = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "book": "book", "chapter": "incollection", "classic": "book", "entry": "incollection",
    "entry-dictionary": "incollection", "entry-encyclopedia": "incollection",
    "manuscript": "unpublished", "pamphlet": "booklet", "paper-conference": "inproceedings",
    "report": "techreport", "review": "article", "review-book": "article",
    "standard": "techreport", "thesis": "phdthesis",
}  # fmt: skip
_PERIODICAL = frozenset({"article", "review"})
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MASTER = re.compile(r"master|diplom|\bm\.?(?:a|sc|phil)\b|magister", re.IGNORECASE)
_ROLES = (
    ("author", "author"), ("editor", "editor"), ("translator", "translator"),
    ("container-author", "bookauthor"),
)  # fmt: skip
_COPIED = (
    ("volume", "volume"), ("edition", "edition"), ("collection-number", "number"),
    ("publisher-place", "address"), ("ISBN", "isbn"), ("ISSN", "issn"),
    ("abstract", "abstract"), ("number-of-pages", "pagetotal"),
    ("event-title", "eventtitle"), ("title-short", "shorttitle"), ("genre", "type"),
    ("version", "version"), ("medium", "howpublished"),
)  # fmt: skip
_SUBTYPES = {"article-magazine": "magazine", "article-newspaper": "newspaper"}
# Fields of biblatex only.
_ONLY_BIBLATEX = frozenset({"bookauthor", "translator", "eventtitle", "shorttitle", "pagetotal"})


def write_bibtex(works: Sequence[CitationMeta], *, biblatex: bool) -> str:
    return "\n".join(_entry(work, biblatex=biblatex) for work in works)


def _entry(work: CitationMeta, *, biblatex: bool) -> str:
    item = csl_item(work)
    kind = _kind(item, biblatex=biblatex)
    fields: dict[str, str] = {}
    for name, value in _fields(work, item, kind, biblatex=biblatex):
        if value and (biblatex or name not in _ONLY_BIBLATEX):
            fields.setdefault(name, value)
    lines = [f"  {name} = {_delimited(name, value)}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{work.citekey},", *lines, "}", ""])


def _delimited(name: str, value: str) -> str:
    return value if name == "month" else f"{{{value}}}"


def _kind(item: Mapping[str, Any], *, biblatex: bool) -> str:
    kind = plain(item.get("type"))
    if not biblatex:
        if kind == "thesis" and _MASTER.search(plain(item.get("genre"))):
            return "mastersthesis"
        return _BIBTEX.get(kind, "misc")
    if kind == "book" and not item.get("author") and item.get("editor"):
        return "collection"
    return _BIBLATEX.get(kind, "misc")


def _fields(
    work: CitationMeta, item: Mapping[str, Any], kind: str, *, biblatex: bool
) -> Iterator[tuple[str, str]]:
    language = plain(item.get("language")).casefold() or "en"
    for role, field in _ROLES:
        yield field, _names(item.get(role))
    title = _text(item, "title") or work.title
    yield "title", rich(title, protect=language)
    if not (biblatex or item.get("author") or item.get("editor")):
        yield "key", escaped(plain(title))  # what BibTeX sorts by
    container = rich(_text(item, "container-title"))
    if kind in _PERIODICAL:
        yield ("journaltitle" if biblatex else "journal"), container
        short = rich(_text(item, "container-title-short"))
        yield ("shortjournal" if biblatex else ""), short if biblatex else ""
    elif kind in ("online", "misc", "software", "dataset"):
        yield ("journaltitle" if biblatex else "howpublished"), container
    else:
        yield "booktitle", container
    yield "series", rich(_text(item, "collection-title"))
    yield from _date(item, work, biblatex=biblatex)
    yield from _numbers(item, kind, biblatex=biblatex)
    yield _publisher(kind, biblatex=biblatex), rich(_text(item, "publisher"))
    for variable, field in _COPIED:
        name = "location" if biblatex and field == "address" else field
        yield name, rich(_text(item, variable))
    yield "note", rich(without_citation_key(_text(item, "note")))
    yield ("annotation" if biblatex else "annote"), rich(_text(item, "annote"))
    yield from _language(_text(item, "language"), biblatex=biblatex)
    yield "pages", _pages(_text(item, "page"))
    yield "doi", verbatim(work.doi or "")
    yield "url", verbatim(web_address(work, item))
    if biblatex and (accessed := _iso(item.get("accessed"))):
        yield "urldate", accessed
    yield "keywords", ", ".join(map(_keyword, work.tags))
    if biblatex and _has_particle(item):
        yield "options", "useprefix=true"
    if biblatex and kind == "article":
        yield "entrysubtype", _SUBTYPES.get(plain(item.get("type")), "")


def _language(tag: str, *, biblatex: bool) -> Iterator[tuple[str, str]]:
    name = language_name(tag) if tag else None
    if biblatex and name:
        yield "langid", name
    else:
        yield "language", escaped(tag)


def _keyword(tag: str) -> str:
    """A keyword in braces if it has a comma; semicolons, at which some programs split, become
    commas."""
    text = escaped(" ".join(tag.replace(";", ",").split()))
    return f"{{{text}}}" if "," in text else text


def _has_particle(item: Mapping[str, Any]) -> bool:
    """Whether a name has a particle that stays with the family name."""
    for role, _ in _ROLES:
        people = item.get(role)
        for person in people if isinstance(people, list) else ():
            if isinstance(person, Mapping) and (
                person.get("non-dropping-particle") or plain(person.get("family"))[:1].islower()
            ):
                return True
    return False


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else plain(value)


def _numbers(item: Mapping[str, Any], kind: str, *, biblatex: bool) -> Iterator[tuple[str, str]]:
    issue, number = _text(item, "issue"), _text(item, "number")
    if kind not in _PERIODICAL and (arxiv := normalise_arxiv(number)):
        yield "eprint", verbatim(arxiv.removeprefix("arXiv:"))
        yield ("eprinttype" if biblatex else "archiveprefix"), "arXiv"
        return
    yield "number", escaped(issue or number)
    if kind in _PERIODICAL and issue and number:
        yield "eid", escaped(number)


def _publisher(kind: str, *, biblatex: bool) -> str:
    if kind in ("thesis", "report") and biblatex:
        return "institution"
    return {"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"}.get(
        kind, "publisher"
    )


def _pages(text: str) -> str:
    return "--".join(map(escaped, re.split(r"\s*(?:-{1,3}|[\u2010-\u2015])\s*", text)))


def _date(
    item: Mapping[str, Any], work: CitationMeta, *, biblatex: bool
) -> Iterator[tuple[str, str]]:
    issued = item.get("issued")
    date = _iso(issued)
    if biblatex:
        yield "date", date or escaped(_literal(issued))
        return
    yield "year", (date[:4] if date else "") or str(work.year or "") or escaped(_literal(issued))
    parts = date.split("/")[0].split("-") if date else []
    if len(parts) > 1 and parts[1].isdigit() and 1 <= int(parts[1]) <= 12:
        yield "month", _MONTHS[int(parts[1]) - 1]


def _literal(date: Any) -> str:
    return plain(date.get("literal")) or plain(date.get("raw")) if isinstance(date, Mapping) else ""


def _iso(date: Any) -> str:
    """ISO 8601 (biblatex reads EDTF), for a range both ends; empty for dates in words only."""
    parts = date.get("date-parts") if isinstance(date, Mapping) else None
    if not isinstance(parts, list) or not parts:
        return ""
    ends = [_iso_point(point) for point in parts[:2] if isinstance(point, list)]
    season = date.get("season")
    if len(ends) == 1 and ends[0].isdigit() and str(season) in {"1", "2", "3", "4"}:
        ends = [f"{ends[0]}-{20 + int(season)}"]
    circa = "~" if date.get("circa") and ends and ends[0] else ""
    return "/".join(ends) + circa if ends and ends[0] else ""


def _iso_point(parts: list[Any]) -> str:
    try:
        numbers = [int(part) for part in parts[:3] if part not in (None, "", 0)]
    except (TypeError, ValueError, OverflowError):
        return ""
    if not numbers or not 0 < numbers[0] < 10000:
        return ""
    return "-".join(f"{n:0{4 if at == 0 else 2}d}" for at, n in enumerate(numbers))


def _names(people: Any) -> str:
    names = (_name(person) for person in (people if isinstance(people, list) else ()))
    return " and ".join(name for name in names if name)


def _name(person: Any) -> str:
    """``von Family, Suffix, Given``; a name in one piece in braces, which keep it together."""
    if isinstance(person, str):
        person = {"literal": person}
    if not isinstance(person, Mapping):
        return ""
    literal = plain(person.get("literal")) or plain(person.get("name"))
    family, given = plain(person.get("family")), plain(person.get("given"))
    if person == OTHERS:
        return OTHERS["literal"]
    if literal or not family:
        return f"{{{escaped(literal or given)}}}" if literal or given else ""
    particle = plain(person.get("non-dropping-particle"))
    dropping = plain(person.get("dropping-particle"))
    given = " ".join(part for part in (given, dropping) if part)
    last = " ".join(part for part in (escaped(particle), _unsplit(family)) if part)
    suffix = plain(person.get("suffix"))
    return ", ".join(part for part in (last, _unsplit(suffix), _unsplit(given)) if part)


def _unsplit(text: str) -> str:
    """Text in braces if BibTeX would split it: at a comma or the word "and"."""
    latex = escaped(text)
    return f"{{{latex}}}" if "," in text or re.search(r"\band\b", text) else latex
