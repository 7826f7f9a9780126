"""CSL variables from fields of BibTeX and BibLaTeX entries (BibLaTeX manual, "Entry fields")."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citeloom.domain.references.identifiers import find_arxiv_ids
from citeloom.infrastructure.references.bibtex.entry_types import csl_type, genre
from citeloom.infrastructure.references.bibtex.languages import language_tag
from citeloom.infrastructure.references.bibtex.names import latex_text, names_of
from citeloom.infrastructure.references.fields.dates import csl_date
from citeloom.infrastructure.references.fields.latex_reader import from_latex, verbatim

_ROLES = {
    "author": "author", "editor": "editor", "translator": "translator",
    "bookauthor": "container-author", "commentator": "contributor",
    "annotator": "contributor", "introduction": "contributor", "foreword": "contributor",
    "afterword": "contributor", "origauthor": "original-author", "director": "director",
    "serieseditor": "collection-editor",
}  # fmt: skip
# By ``editortype``, ``editoratype`` and so on; any other type is a contributor.
_EDITOR_TYPES = {
    "editor": "editor", "compiler": "compiler", "director": "director",
    "reviser": "editor", "producer": "producer",
    "organizer": "organizer",
    "scriptwriter": "script-writer", "composer": "composer", "recipient": "recipient",
    "interviewer": "interviewer", "narrator": "narrator", "series": "collection-editor",
}  # fmt: skip
# Texts that may hold markup.
_RICH = {
    "abstract": "abstract", "note": "note", "series": "collection-title",
    "shorttitle": "title-short", "shortjournal": "container-title-short",
}  # fmt: skip
_PLAIN = {
    "volume": "volume", "volumes": "number-of-volumes", "edition": "edition", "part": "part-number",
    "chapter": "chapter-number", "pages": "page", "pagetotal": "number-of-pages",
    "numpages": "number-of-pages", "eid": "number", "articleno": "number",
    "isbn": "ISBN", "issn": "ISSN", "pmid": "PMID", "pmcid": "PMCID", "version": "version",
    "eventtitle": "event-title", "venue": "event-place", "library": "call-number",
    "pubstate": "status", "origpublisher": "original-publisher", "annotation": "annote",
    "annote": "annote", "origtitle": "original-title", "origlocation": "original-publisher-place",
}  # fmt: skip
_DATES = {"urldate": "accessed", "eventdate": "event-date", "origdate": "original-date"}
_JOURNALS = frozenset({"article-journal", "article-magazine", "article-newspaper", "periodical"})
_IN_BOOKS = frozenset({"chapter", "paper-conference", "entry-encyclopedia"})
_ADDRESS = re.compile(r"\\(?:url|path|nolinkurl)\s*\{([^{}]*)\}|\bhttps?://\S+")


def csl_of(kind: str, key: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """The CSL item of an entry with its fields as written."""
    item_type = csl_type(kind, fields)
    csl: dict[str, Any] = {"id": key, "citation-key": key} if key else {}
    csl["type"] = item_type
    for name, value in _values(kind, item_type, fields):
        if value and name not in csl:
            csl[name] = value
    drops = _drops(fields)
    for field, role in _credited(fields):
        if names := names_of(fields[field], drops=drops):
            csl.setdefault(role, []).extend(names)
    return csl


def _drops(fields: Mapping[str, str]) -> bool:
    """Whether particles drop: BibLaTeX's default, unlike BibTeX's, is ``useprefix=false``."""
    if option := re.search(r"useprefix(?:\s*=\s*(true|false))?", fields.get("options", "")):
        return option[1] == "false"
    return any(field in fields for field in ("date", "journaltitle", "langid", "location"))


def _values(kind: str, item_type: str, fields: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Variables and values; of repeated variables the first counts."""
    yield "title", _title(fields, "title", "subtitle", "titleaddon")
    yield from _containers(item_type, fields)
    for field, variable in _RICH.items():
        if field in fields:
            yield variable, " ".join(from_latex(fields[field]).split())
    for field, variable in _PLAIN.items():
        if field in fields:
            yield variable, latex_text(fields[field])
    yield from _numbers(item_type, fields)
    for names, variable in (
        (("publisher", "institution", "school", "organization"), "publisher"),
        (("location", "address"), "publisher-place"),
    ):
        publisher = next((fields[name] for name in names if fields.get(name)), "")
        yield variable, latex_text(publisher)  # a list with "and", which is how BibLaTeX prints it
    yield "genre", genre(kind, latex_text(fields.get("type", "")))
    language = fields.get("langid") or fields.get("language") or fields.get("hyphenation") or ""
    yield "language", language_tag(latex_text(language.split(" and ")[0]))
    for field, variable in _DATES.items():
        if date := _date_text(fields.get(field, "")):
            yield variable, csl_date(date)
    if issued := _issued(fields):
        yield "issued", csl_date(issued)
    yield from _addresses(fields)
    yield "publisher", latex_text(_ADDRESS.sub("", fields.get("howpublished", "")))


def _title(fields: Mapping[str, str], main: str, sub: str, added: str = "") -> str:
    """``Title: subtitle. Addition``, with the parts that exist."""
    title, subtitle, addition = (
        " ".join(from_latex(fields.get(name, "")).split()) for name in (main, sub, added)
    )
    if title and subtitle:
        title += f"{' ' if title[-1] in '?!.:' else ': '}{subtitle}"
    title = title or subtitle
    return f"{title.rstrip('.')}. {addition}" if title and addition else title or addition


def _containers(item_type: str, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Container titles; of a work in volumes the whole, with the volume's title."""
    journal = _title(
        fields, "journaltitle" if "journaltitle" in fields else "journal", "journalsubtitle"
    )
    book = _title(fields, "booktitle", "booksubtitle", "booktitleaddon")
    multi_volume = _title(fields, "maintitle", "mainsubtitle", "maintitleaddon")
    if item_type in _JOURNALS:
        yield "container-title", journal or book
    elif item_type not in _IN_BOOKS:
        yield "container-title", journal
        yield "collection-title", "" if "series" in fields else multi_volume
    elif multi_volume and book:
        yield "container-title", multi_volume
        yield "volume-title", book
    else:
        yield "container-title", book or multi_volume or journal


def _numbers(item_type: str, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """``number`` is an issue, a number in a series, or the work's own; ``issue`` is a named one
    (``Spring``)."""
    number, issue = latex_text(fields.get("number", "")), latex_text(fields.get("issue", ""))
    if item_type in _JOURNALS:
        yield "issue", number or issue
    elif item_type in ("book", *_IN_BOOKS):
        yield "collection-number", number
    else:
        yield "number", number
    yield "issue", issue


def _issued(fields: Mapping[str, str]) -> str:
    if date := _date_text(fields.get("date", "")):
        return date
    year, month = _date_text(fields.get("year", "")), latex_text(fields.get("month", ""))
    day = latex_text(fields.get("day", ""))
    if not (year and month):
        return year
    if re.fullmatch(r"\d{1,2}", month) and re.fullmatch(r"\d{4}", year):
        ends = f"-{int(day):02d}" if re.fullmatch(r"\d{1,2}", day) else ""
        return f"{year}-{int(month):02d}{ends}"
    return " ".join(part for part in (day, month, year) if part)


def _date_text(date: str) -> str:
    """A date; ``~`` means "circa" in EDTF, and is a space in ``c.~1900``."""
    return date.strip() if re.fullmatch(r"[\s\d/.?~%TZX:-]+", date) else latex_text(date)


def _addresses(fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "DOI", verbatim(fields.get("doi", ""))
    yield "URL", verbatim(fields.get("url", ""))
    for field in ("howpublished", "note"):
        if match := _ADDRESS.search(fields.get(field, "")):
            yield "URL", verbatim(match[1] or match.group())
    for field in ("journal", "journaltitle", "howpublished"):  # "arXiv preprint arXiv:1706.03762"
        for identifier in find_arxiv_ids(fields.get(field, ""))[:1]:
            yield "number", identifier
    eprint = verbatim(fields.get("eprint", "")).strip()
    server = latex_text(fields.get("eprinttype") or fields.get("archiveprefix") or "")
    if not eprint:
        return
    match server.lower():
        case "arxiv":
            yield "number", f"arXiv:{eprint.removeprefix('arXiv:')}"
            yield "URL", f"https://arxiv.org/abs/{eprint.removeprefix('arXiv:')}"
        case "jstor":
            yield "URL", f"https://www.jstor.org/stable/{eprint}"
        case "pubmed":
            yield "PMID", eprint
            yield "URL", f"https://pubmed.ncbi.nlm.nih.gov/{eprint}/"
        case "pmc" | "pmcid":
            yield "PMCID", eprint
        case "googlebooks":
            yield "URL", f"https://books.google.com/books?id={eprint}"
        case _:
            yield "archive", server
            yield "archive_location", eprint


def _credited(fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Name fields with their CSL roles."""
    for field, role in _ROLES.items():
        if field in fields:
            editor_type = (
                latex_text(fields.get(f"{field}type", "")).lower() if field == "editor" else ""
            )
            yield field, _EDITOR_TYPES.get(editor_type, "contributor") if editor_type else role
    for field in ("editora", "editorb", "editorc"):
        if field in fields:
            editor_type = latex_text(fields.get(f"{field}type", "")).lower()
            if (field, editor_type) == ("editorb", "redactor"):  # Zotero's way to say series editor
                editor_type = "series"
            yield field, _EDITOR_TYPES.get(editor_type, "contributor")
    if "holder" in fields and "author" not in fields:
        yield "holder", "author"
