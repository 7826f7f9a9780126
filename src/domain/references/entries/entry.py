"""Parsing of one reference list entry: label, DOI, arXiv id, year, authors, title, container.

By the patterns of the common styles: APA (also by pandoc), Chicago, Harvard (Elsevier),
Vancouver, IEEE, LNCS, BibTeX's *plain* and *alpha*, and those of old journals (CACM, ACM). A
field that fits no pattern well is None: a wrong title is worse than none.
"""

import re
from urllib.parse import unquote

from pydantic import Field

from citeloom.domain.references.entries.author_lists import AuthorList, author_list
from citeloom.domain.references.entries.authors import author_of, names_before_title
from citeloom.domain.references.entries.containers import container_of, page_range_of
from citeloom.domain.references.entries.dates import PLAIN_YEAR, UNDATED, year_of
from citeloom.domain.references.entries.titles import title_of
from citeloom.domain.references.identifiers import find_arxiv_ids, find_dois, normalise_arxiv
from citeloom.domain.value import Value

NUMBER = re.compile(r"(?:\[(\d{1,4})\]|\((\d{1,4})\)(?=\s)|(\d{1,4})\.(?=\s))\s*(?=\S)")
KEY = re.compile(r"\[([^\W\d_][\w+*.,:&’' -]{0,40}?(?:\(\d{4}\w?\))?)\](?![(\w])\s*")
_MISREAD = re.compile(r"[~•|�]")
# The last word of an institution's name, which is no family name.
_BODY = re.compile(
    r"^[^,;]*\b(?:Corporation|Corp|Inc|Company|Group|Foundation|Committee|Consortium|Council|Team"
    r"|Institute|University|Association|Society|Organi[sz]ation|Laborator(?:y|ies)|Agency)\.?$"
)
_HYPHEN = str.maketrans("\u2010\u2011", "--")
# Two single marks in the place of a double one.
_DOUBLE_QUOTES = re.compile("‘‘|’’|``|(?<=[\\w.,?!])''")
_CORR = re.compile(r"\babs/\s?(\d{4}\.\d{4,5})(?:v\d+)?\b")
_OLD_ARXIV = re.compile(
    r"\b((?:math|hep-(?:th|ph|ex|lat)|astro-ph|cond-mat|quant-ph|gr-qc|nucl-(?:th|ex)|cs|physics"
    r"|nlin|q-bio|q-alg|alg-geom|dg-ga|solv-int|math-ph)(?:\.[A-Z]{2})?)"
    r"(?:\s+archive\s+|/)(\d{7})\b"
)
# A DOI broken at a line end.
_BROKEN_DOI = re.compile(
    r"(\b10\.(?:\d{4,9}(?:/[^\s\"<>]*)?)?)\n[ \t]*(?!https?:|arxiv)([^\s\"<>]+)", re.IGNORECASE
)
_DOI_CONTINUED = re.compile(r"[\d(]|[a-z].*\d")
_PII_YEAR = re.compile(r"\(\d\d\)$")
_ESCAPED_DOI = re.compile(r"\b10\.\d{4,9}/\S*%[0-9a-f]{2}\S*", re.IGNORECASE)
_BROKEN_URL = re.compile(r"(https?://[^\s\"<>]*[/._=?&#-])\n[ \t]*(?=[\w%#?=&-]+[\w/.%#?=&-])")


class ReferenceEntry(Value):
    """``label`` is the number or key of in-text citations; ``author`` the first family name or
    organisation, ``authors`` all names as written; ``doi`` is bare and in lower case, ``arxiv_id``
    as ``arXiv:1706.03762``; ``page`` the pages in the container, as ``793-799``."""

    label: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    year: int | None = Field(default=None, ge=1500, le=2099)
    author: str | None = None
    authors: tuple[str, ...] = ()
    title: str | None = None
    container_title: str | None = None
    page: str | None = None
    dated: bool = False


def label_of(text: str) -> tuple[str | None, str]:
    """The label of an entry (``7``, ``BBBV97``), if any, and the rest."""
    for pattern in (NUMBER, KEY):
        if match := pattern.match(text):
            return next(group for group in match.groups() if group), text[match.end() :]
    return None, text


def parse_entry(text: str) -> ReferenceEntry:
    """Parse an entry; line breaks may be those of the page."""
    joined = rejoin_line_breaks(text)
    label, body = label_of(joined.strip())
    plain = " ".join(body.split()).translate(_HYPHEN)
    plain = _DOUBLE_QUOTES.sub(lambda match: "“" if match[0][0] in "‘`" else "”", plain)
    dois = find_dois(joined)
    arxiv = _arxiv_id(plain, dois)
    year = year_of(plain)
    names = author_list(plain)
    title = title_of(plain)
    author = _first_author(plain, names, title)
    return ReferenceEntry(
        label=label,
        doi=dois[0] if dois else None,
        arxiv_id=arxiv,
        year=year,
        author=author,
        authors=_authors(author, names),
        title=title,
        container_title=container_of(plain, title) if title else None,
        page=page_range_of(plain),
        dated=year is not None or bool(UNDATED.search(plain)),
    )


def _first_author(text: str, names: AuthorList | None, title: str | None) -> str | None:
    head = names_before_title(text)
    if head and _BODY.search(head):
        return head
    author = author_of(text)
    if names and author is None:
        titled = title is not None and text[names.end :].startswith(title)
        author = names.family if names.certain or titled else None
    elif names and author is not None and _fuller(author, names):
        author = names.family
    return None if author and _MISREAD.search(author) else author


def _fuller(author: str, names: AuthorList) -> bool:
    """Whether ``author`` has more than the family name of the first of these people."""
    people = len(names.names) > 1 or names.mark == ","
    return people and " " in author and names.family in author


def _authors(author: str | None, names: AuthorList | None) -> tuple[str, ...]:
    """All names, if the list was read as the first author was."""
    if author is None:
        return ()
    return names.names if names and author in names.names[0] else (author,)


def rejoin_line_breaks(text: str) -> str:
    """``text`` with DOIs and URLs that were broken at line ends rejoined."""
    for _ in range(3):
        text = _BROKEN_DOI.sub(_join_broken_doi, text)
    text = _ESCAPED_DOI.sub(lambda match: unquote(match[0]), text)
    return _BROKEN_URL.sub(r"\1", text)


def _join_broken_doi(match: re.Match[str]) -> str:
    first, rest = match.groups()
    suffix = first.partition("/")[2]
    if first.endswith("."):
        year = PLAIN_YEAR.fullmatch(rest.rstrip(".,;"))
        goes_on = not suffix or (bool(_DOI_CONTINUED.match(rest)) and not year)
    elif _PII_YEAR.search(first):
        goes_on = rest[:1].isdigit()
    else:
        goes_on = first[-1] in "/-_:;(" or not any(map(str.isdigit, suffix))
    return first + rest if goes_on else match.group()


def _arxiv_id(text: str, dois: tuple[str, ...]) -> str | None:
    if ids := find_arxiv_ids(text):
        return ids[0]
    for doi in dois:
        if doi.startswith("10.48550/arxiv.") and (match := normalise_arxiv(doi)):
            return match
    if corr := _CORR.search(text):
        return normalise_arxiv(corr[1])
    if old := _OLD_ARXIV.search(text):
        return normalise_arxiv(f"{old[1]}/{old[2]}")
    return None
