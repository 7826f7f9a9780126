"""Which document of a library an entry of a reference list means.

By DOI, by arXiv id, or by title. A title alone names nothing for certain: the year or the
first author must agree too, and neither must disagree; nor may there be two such documents,
or two different DOIs.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from citeloom.domain.references.entries.reference_list import CitedWork
from citeloom.domain.references.identifiers import (
    folded,
    is_telling,
    normalise_arxiv,
    normalise_doi,
    same_title,
    squashed,
    versionless,
)
from citeloom.domain.value import Value

_YEARS_APART = 1
"""A paper is cited by the year in which it was accepted, online, or in print."""
_BUCKET = 4
"""Letters that variants of a title have in common at its beginning."""
_ARTICLES = frozenset({"a", "an", "the"})


class LinkTarget(Value):
    """What is known of a document that may be cited. ``identifiers`` are DOIs and arXiv ids,
    in any dress; ``authors`` family names or whole names."""

    uri: str
    identifiers: tuple[str, ...] = ()
    title: str | None = None
    year: int | None = None
    authors: tuple[str, ...] = ()


class Linked(NamedTuple):
    """A document that is cited, and how that was found: ``doi``, ``arxiv`` or ``title``."""

    uri: str
    how: str


class Linker:
    def __init__(self, targets: Iterable[LinkTarget]) -> None:
        self._by_identifier: dict[str, set[str]] = defaultdict(set)
        self._by_title: dict[str, list[tuple[LinkTarget, frozenset[str]]]] = defaultdict(list)
        for target in targets:
            identifiers = frozenset(one for text in target.identifiers for one in normalised(text))
            for identifier in identifiers:
                self._by_identifier[identifier].add(target.uri)
            if target.title and is_telling(target.title):
                self._by_title[_bucket(target.title)].append((target, identifiers))

    def link(self, work: CitedWork) -> Linked | None:
        identifiers = {
            one for text in (work.doi, work.arxiv_id) if text for one in normalised(text)
        }
        for identifier in sorted(identifiers):
            found = self._by_identifier.get(identifier, set())
            if len(found) == 1:
                how = "arxiv" if identifier.startswith("arXiv:") else "doi"
                return Linked(next(iter(found)), how)
        if not work.title or not is_telling(work.title):
            return None
        same = {
            target.uri
            for target, known in self._by_title.get(_bucket(work.title), ())
            if _agree(work, target, identifiers, known)
        }
        return Linked(next(iter(same)), "title") if len(same) == 1 else None


def normalised(text: str) -> tuple[str, ...]:
    """The DOI or arXiv id that ``text`` is, in the form in which they are compared."""
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
    """Whether the family name (or organisation) is within the name of one of them."""
    wanted = squashed(author)
    return bool(wanted) and any(wanted in squashed(name) for name in authors)


def _bucket(title: str) -> str:
    words = folded(title).split()
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return squashed("".join(words))[:_BUCKET]
