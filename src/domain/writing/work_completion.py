"""Works for a citation key that is being typed."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from citeloom.domain.citation.metadata import CitationMeta

_NOT_IN_WORDS: Final = re.compile(r"[\W_]+")


class CitableWork(NamedTuple):
    """A work that can be cited by its ``key``; ``has_text``: its pages can be searched.
    ``authors`` are short (*Szélkuti and Brand*); ``names`` and ``title_words`` are what typed
    text is compared with."""

    key: str
    title: str
    authors: str
    year: int | None
    container: str | None
    has_text: bool
    names: tuple[str, ...]
    title_words: str


def citable(work: CitationMeta, *, has_text: bool) -> CitableWork:
    people = work.csl.get("author")
    families = [_family(one) for one in people] if isinstance(people, list) else []
    names = [name for name in families if name] or list(work.authors)
    return CitableWork(
        key=work.citekey,
        title=work.title,
        authors=f"{names[0]} et al." if len(names) > 2 else " and ".join(names),
        year=work.year,
        container=work.container_title,
        has_text=has_text,
        names=tuple(name.casefold() for name in names),
        title_words=f" {_NOT_IN_WORDS.sub(' ', work.title).casefold()}",
    )


def matching_works(
    works: Iterable[CitableWork], typed: str, most: int
) -> tuple[list[CitableWork], bool]:
    """At most so many works that fit what is typed, best first, and whether there are more:
    keys that begin with it, then names, then the year and words of titles, then keys that
    contain it."""
    wanted = typed.casefold()
    ranked = [
        (rank, not work.has_text, work.key.casefold(), work)
        for work in works
        if (rank := _rank(work, wanted)) is not None
    ]
    ranked.sort(key=lambda row: row[:3])
    return [row[-1] for row in ranked[:most]], len(ranked) > most


def _rank(work: CitableWork, wanted: str) -> int | None:
    key = work.key.casefold()
    if key.startswith(wanted):
        return 0
    if any(name.startswith(wanted) for name in work.names):
        return 1
    if wanted == str(work.year) or f" {wanted}" in work.title_words:
        return 2
    return 3 if wanted in key else None


def _family(person: Any) -> str:
    if not isinstance(person, Mapping):
        return ""
    return str(person.get("family") or person.get("literal") or person.get("name") or "")
