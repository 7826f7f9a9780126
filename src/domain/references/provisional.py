"""Provisional citations: items from a document's own data, and keys from items."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from itertools import chain, count
from typing import Any

from citeloom.domain.citation.metadata import NOBODY, CitationMeta, CitationSource
from citeloom.domain.text.phrasing import letter_suffix

from .first_page import DocumentEvidence, FirstPage
from .identifiers import normalise_arxiv, normalise_doi

#: The ``note`` of a provisional item, for the files that it is exported to.
NOTE = "provisional: made from the document itself"
# Words skipped at the start of a title: a selection of Better BibTeX's "skipWords".
_SKIPPED = frozenset(
    """
        a an and are as at by for from in into is of on or the to with der die das den dem ein
        eine einer und von zur zum le la les l un une des du et el los las y en et på og i om de
        het een
    """.split()
)
_LONGEST_NAME = 30
"""Letters of an institution's name in a key."""
_LONGEST_KEY = 80
# A conference by its name, or by its initials and year (``OSDI 2006``, ``SOSP ’03``).
_MEETING = re.compile(
    r"(?i:\b(?:proc(?:eedings|\.)?|conference|symposium|workshop|congress)\b)|"
    r"^[A-Z][A-Za-z]*[A-Z]+[A-Za-z]*\s?(?:['’]\d\d|\d{4})$"
)
_SHORTEST_CAPITALS = 6
"""Letters up to which capitals may be an acronym's."""
_SUFFIX = re.compile(r"(?:[JS]r\.?|I{2,3}|IV|\d(?:nd|rd|th))", re.IGNORECASE)
_BODY = re.compile(
    r"\b(?:agency|association|bureau|cent(?:er|re)|college|collaboration|commission|committee|"
    r"community|company|consortium|corporation|council|department|federation|foundation|group|"
    r"inc|initiative|institut[eo]?|laborator(?:y|ies)|ltd|ministry|network|office|organi[sz]ation|"
    r"project|society|team|union|universit\w+|working)\b",
    re.IGNORECASE,
)


def made_key(name: str, year: int | None, title: str) -> str:
    """``gehl2003Fremtidens``: first author, year, first significant word of the title. ``name`` is
    made by ``family_part`` or ``body_part``."""
    words = [word for word in _words(title) if word.casefold() not in _SKIPPED]
    return f"{name or 'anon'}{year or 'nd'}{words[0].capitalize() if words else ''}"[:_LONGEST_KEY]


def family_part(name: str) -> str:
    """``delarosa``: a family name with its particles, as a key has it."""
    return "".join(_words(name)).lower()


def body_part(name: str) -> str:
    """``worldhealthorganization``: an institution, or a name in one piece, as far as whole words
    fit."""
    words = [word.lower() for word in _words(name)]
    first = next((n for n, word in enumerate(words) if word not in _SKIPPED), len(words) - 1)
    words, length = words[max(first, 0) :], len("".join(words[max(first, 0) :]))
    while len(words) > 1 and length > _LONGEST_NAME:
        length -= len(words.pop())
    return "".join(words)


def _words(text: str) -> list[str]:
    """The words of a text in ASCII letters and digits (``Björk`` gives ``Bjork``)."""
    plain_letters = unicodedata.normalize("NFKD", text)
    bare = "".join(char for char in plain_letters if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+", re.sub(r"['’]", "", bare))


def free_key(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """``wanted``, else the first of ``wanteda``, ``wantedb``, … that is free."""
    spellings: Iterator[str] = (f"{wanted}{letter_suffix(number)}" for number in count())
    return next(key for key in chain([wanted], spellings) if not is_taken(key))


def printed_name(name: str) -> dict[str, str]:
    """The CSL name of a person or body whose name is written in reading order. Capitals are those
    of a typeface: ``C. E. SHANNON`` is ``C. E. Shannon``."""
    if name.isupper() and len(name) > _SHORTEST_CAPITALS:
        name = name.title()
    written, _, suffix = (part.strip() for part in name.partition(","))
    words = written.split()
    if suffix and not _SUFFIX.fullmatch(suffix):
        return {"family": written, "given": suffix}
    if len(words) < 2 or _BODY.search(name):
        return {"literal": name}
    if not suffix and len(words) > 2 and _SUFFIX.fullmatch(words[-1]):
        suffix = words.pop()
    # The particles before the last name belong to it: ``Guido van der Berg``, ``Ana Paz y Paz``.
    first = last = len(words) - (3 if len(words) > 3 and words[-2] == "y" else 1)
    while first > 1 and words[first - 1][:1].islower():
        first -= 1
    parts = {
        "family": " ".join(words[last:]),
        "given": " ".join(words[:first]),
        "non-dropping-particle": " ".join(words[first:last]),
        "suffix": suffix,
    }
    return {role: part for role, part in parts.items() if part}


def provisional_citation(
    document: DocumentEvidence, is_taken: Callable[[str], bool], kept: str | None = None
) -> CitationMeta:
    """The citation that the document's own title, authors, year and identifiers give. ``kept`` is
    the key that it has so far. Without a title the name of the file stands for it."""
    title = document.title or document.file_name
    found = {"title": document.title, "authors": document.authors, "year": document.year}
    missing = [name for name, value in found.items() if not value]
    people = [printed_name(author) for author in document.authors]
    key = kept or free_key(made_key(_first(people), document.year, title), is_taken)
    doi, arxiv = _own_identifiers(document)
    url = f"https://arxiv.org/abs/{arxiv.removeprefix('arXiv:')}" if arxiv else None
    item: dict[str, Any] = {
        "id": key, "type": _type_of(document, arxiv), "title": title, "author": people,
        "issued": {"date-parts": [[document.year]]} if document.year else None,
        "container-title": document.container_title, "volume": document.volume,
        "issue": document.issue, "page": document.pages, "DOI": doi, "number": arxiv, "URL": url,
        "ISBN": _isbn(document), "note": NOTE,
    }  # fmt: skip
    return CitationMeta(
        citekey=key,
        title=title,
        authors=tuple(map(_displayed, people)) or (NOBODY,),
        year=document.year,
        doi=doi,
        url=url,
        type=item["type"],
        csl={name: value for name, value in item.items() if value},
        source=CitationSource.DOCUMENT,
        container_title=document.container_title,
        page=document.pages,
        uncertain=tuple(dict.fromkeys([*missing, *document.uncertain])),
    )


def _type_of(document: DocumentEvidence, arxiv: str | None) -> str:
    """The CSL type: a preprint is an ``article``, what nothing is known of a ``document``."""
    if document.container_title:
        return (
            "paper-conference" if _MEETING.search(document.container_title) else "article-journal"
        )
    if _isbn(document):
        return "book"
    return "article" if arxiv else "document"


def _isbn(document: DocumentEvidence) -> str | None:
    found = (one.removeprefix("isbn:") for one in document.identifiers if one.startswith("isbn:"))
    return next(found, None)


def _displayed(person: dict[str, str]) -> str:
    parts = (person.get(one) for one in ("given", "non-dropping-particle", "family", "literal"))
    name = " ".join(part for part in parts if part)
    return f"{name}, {person['suffix']}" if "suffix" in person else name


def _first(people: list[dict[str, str]]) -> str:
    if not people:
        return ""
    first = people[0]
    if "family" not in first:
        return body_part(first["literal"])
    return family_part(f"{first.get('non-dropping-particle', '')} {first['family']}")


def _own_identifiers(document: DocumentEvidence) -> tuple[str | None, str | None]:
    """The first DOI and arXiv id of the document's own, not of works that it cites."""
    page = FirstPage(document)
    own = [name for name in document.identifiers[:2] if page.is_own(name)]
    arxiv = next((one for name in own if (one := normalise_arxiv(name))), None)
    dois = (one for name in own if not normalise_arxiv(name) and (one := normalise_doi(name)))
    doi = next(dois, None)
    return doi, arxiv
