"""Resolution of reference list entries to documents of a library.

By DOI, arXiv id, or title. A title alone is not enough: year or first author must agree too and
neither disagree; two such documents, or two different DOIs, give no link.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.identifiers import (
    folded,
    is_distinctive,
    letters_and_digits,
    normalise_arxiv,
    normalise_doi,
    same_title,
    versionless,
)
from citeloom.domain.value import Value

_YEARS_APART = 1
"""Acceptance, online and print publication may be in different years."""
_BUCKET = 4
"""Length of the common prefix of title variants, in letters."""
_ARTICLES = frozenset({"a", "an", "the"})


class LinkTarget(Value):
    """A document that may be cited. ``identifiers`` are DOIs and arXiv ids in any form;
    ``authors`` are family names or full names."""

    uri: str
    identifiers: tuple[str, ...] = ()
    title: str | None = None
    year: int | None = None
    authors: tuple[str, ...] = ()


class ReferenceLink(NamedTuple):
    """The cited document and the kind of evidence: ``doi``, ``arxiv`` or ``title``."""

    uri: str
    how: str


class ReferenceLinker:
    def __init__(self, targets: Iterable[LinkTarget]) -> None:
        self._by_identifier: dict[str, set[str]] = defaultdict(set)
        self._by_title: dict[str, list[tuple[LinkTarget, frozenset[str]]]] = defaultdict(list)
        for target in targets:
            identifiers = frozenset(
                one for text in target.identifiers for one in normalised_identifiers(text)
            )
            for identifier in identifiers:
                self._by_identifier[identifier].add(target.uri)
            if target.title and is_distinctive(target.title):
                self._by_title[_bucket(target.title)].append((target, identifiers))

    def link(self, work: CitedWork) -> ReferenceLink | None:
        identifiers = {
            one
            for text in (work.doi, work.arxiv_id)
            if text
            for one in normalised_identifiers(text)
        }
        for identifier in sorted(identifiers):
            uris = self._by_identifier.get(identifier, set())
            if len(uris) == 1:
                how = "arxiv" if identifier.startswith("arXiv:") else "doi"
                return ReferenceLink(next(iter(uris)), how)
        if not work.title or not is_distinctive(work.title):
            return None
        same = {
            target.uri
            for target, known in self._by_title.get(_bucket(work.title), ())
            if _agree(work, target, identifiers, known)
        }
        return ReferenceLink(next(iter(same)), "title") if len(same) == 1 else None


def normalised_identifiers(text: str) -> tuple[str, ...]:
    """The normalised DOI or arXiv id of ``text``; empty if it is neither."""
    if arxiv := normalise_arxiv(text):
        return (arxiv,)
    doi = normalise_doi(text)
    return (versionless(doi),) if doi else ()


def _agree(
    work: CitedWork, target: LinkTarget, identifiers: set[str], known: frozenset[str]
) -> bool:
    dois = _dois(identifiers), _dois(known)
    if (all(dois) and not dois[0] & dois[1]) or not same_title(
        work.title or "", target.title or ""
    ):
        return False
    years = abs(work.year - target.year) <= _YEARS_APART if work.year and target.year else None
    authors = _same_author(work.author, target.authors) if work.author and target.authors else None
    return (years is True or authors is True) and years is not False and authors is not False


def _dois(identifiers: Iterable[str]) -> set[str]:
    return {one for one in identifiers if not one.startswith("arXiv:")}


def _same_author(author: str, authors: Iterable[str]) -> bool:
    """Whether one of the names contains the family name or organisation."""
    letters = letters_and_digits(author)
    return bool(letters) and any(letters in letters_and_digits(name) for name in authors)


def _bucket(title: str) -> str:
    words = folded(title).split()
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return letters_and_digits("".join(words))[:_BUCKET]
