"""Works of a library by authors and year, or by an entry of a reference list.

Works that a draft names otherwise than by a citation key, matched with those of a library. A wrong
match is worse than none: the number of authors and the year must agree, a letter after the year is
never guessed, and of two works that fit none is taken.

Resolution of reference list entries to documents of a library. By DOI, arXiv id, or title. A title
alone is not enough: year or first author must agree too and neither disagree; two such documents,
or two different DOIs, give no link.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import Field
from rapidfuzz import fuzz, process

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.text.characters import whole_number
from citeloom.domain.value import Value

from .entries.reference_list import CitedWork
from .identifiers import (
    folded,
    is_distinctive,
    letters_and_digits,
    main_title,
    normalise_arxiv,
    normalise_doi,
    same_title,
    versionless,
)

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


_ROLES = ("author", "editor", "translator", "director", "composer")
_PARTICLES = ("non-dropping-particle", "dropping-particle")
# Letters that have no accent to remove, and two spellings of umlauts.
_PLAIN = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i"})
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue",
                          "å": "aa", "Å": "Aa", "ø": "oe", "Ø": "Oe"})  # fmt: skip


class PersonName:
    """The spellings under which a person, or an organisation, is cited."""

    def __init__(self, family: str, given: str = "", particles: tuple[str, ...] = ()) -> None:
        self.short = " ".join(filter(None, (*particles, family)))
        self._given = given.replace(".", " ").replace("-", " ").split()
        whole = letters_of(self.short)
        bare = letters_of(family)
        lower = family.split()
        while len(lower) > 1 and lower[0].islower():  # a particle in the family name
            lower = lower[1:]
        self._families = whole | bare | letters_of(" ".join(lower))
        self._initials = "".join(word[0] for word in family.split() if word[0].isupper())

    def is_written(self, name: str) -> bool:
        """Whether ``name`` is the family name, with or without particles and given names, or the
        initials of an organisation."""
        if letters_of(name) & self._families:
            return True
        if not self._given:
            known = letters_of(name.removeprefix("The "))
            return bool(known & self._families) or (
                len(self._initials) > 2 and name == self._initials
            )
        words = name.split()
        return any(
            letters_of(" ".join(words[at:])) & self._families
            and all(map(self._is_given, words[:at]))
            for at in range(1, len(words))
        )

    def _is_given(self, word: str) -> bool:
        bare = word.strip(".")
        return any(
            letters_of(bare) & letters_of(one) or (len(bare) == 1 and one[:1] == bare)
            for one in self._given
        )


def names_of(work: CitationMeta) -> tuple[PersonName, ...]:
    """The people that a citation of ``work`` names: its authors, else its editors. None for
    *[no author]*."""
    for role in _ROLES:
        people = work.csl.get(role)
        if isinstance(people, list) and (names := tuple(_read(people))):
            return names
    return tuple(_displayed(author) for author in work.authors if not author.startswith("["))


# Stands last for authors who are not listed.
_OTHERS = "others"


def short_citation(work: CitationMeta) -> str:
    """``Barba & Forsyth, 2018``, ``Smith et al., 2019``."""
    names = [name.short for name in names_of(work)] or [work.title]
    many = len(names) > 2 or names[1:] == [_OTHERS]
    people = f"{names[0]} et al." if many else " & ".join(names)
    return f"{people}, {work.year or 'n.d.'}"


@lru_cache(maxsize=4096)
def letters_of(name: str) -> frozenset[str]:
    """The letters of a name, without accents; of one with umlauts in both spellings."""
    spellings = (name.translate(_PLAIN), name.translate(_SPELLED))
    return frozenset(letters for one in spellings if (letters := letters_and_digits(one)))


def _read(people: list[Any]) -> Iterator[PersonName]:
    for person in people:
        if not isinstance(person, Mapping):
            continue
        family, given = str(person.get("family") or ""), str(person.get("given") or "")
        literal = str(person.get("literal") or person.get("name") or "")
        if family:
            particles = tuple(str(person[name]) for name in _PARTICLES if person.get(name))
            yield PersonName(family, given, particles)
        elif literal:
            yield PersonName(literal)


def _displayed(author: str) -> PersonName:
    """A display name, with the family name last."""
    given, _, family = author.partition(",")[0].rpartition(" ")
    return PersonName(family, given)


class NamedWork(Value):
    """``keys`` are citation keys, item keys and DOIs of a field, the best first. ``authors`` are
    names as written, an organisation in one piece; ``others``: followed by *et al.*; ``loose``:
    words before the last name may belong to the sentence; ``tentative``: a citation only if such a
    work is known (*May, 2018*). ``years`` has two for a reprint and none
    for *n.d.* or *in press*; ``letter`` distinguishes works of one year. ``entry`` is that of the
    draft's reference list, or the metadata of a field."""

    keys: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    others: bool = False
    loose: bool = False
    tentative: bool = False
    years: tuple[int, ...] = ()
    letter: str = Field(default="", max_length=1)
    entry: CitedWork | None = None


def entry_of(work: NamedWork, entries: Iterable[CitedWork]) -> CitedWork | None:
    """The one entry with these authors and this date; None without one, or with several."""
    found = [entry for entry in entries if _fits(work, entry)]
    return found[0] if len(found) == 1 else None


def _fits(work: NamedWork, entry: CitedWork) -> bool:
    if not work.authors or not entry.author:
        return False
    names = [letters_and_digits(name) for name in work.authors]
    first = letters_and_digits(entry.author)
    if not (first == names[0] or names[0].endswith(first) or first.endswith(names[0])):
        return False
    letters = letters_and_digits(entry.text)
    if not all(name in letters for name in names[1:]):
        return False
    if not work.years:
        return entry.year is None
    return any(
        re.search(rf"(?<!\d){year}{work.letter}(?![a-z\d])", entry.text) for year in work.years
    )


def labelled(entries: Iterable[CitedWork]) -> dict[str, CitedWork]:
    """The entries with a number, by their number."""
    return {
        str(number): entry
        for entry in entries
        if (number := whole_number(entry.label or "")) is not None
    }


_SHOWN = 3
_SIMILAR = 75.0
_LONGEST = 90
_SHORTEST, _DISTINCT = 5, 15
"""Letters of a title that an entry spells with the author and the year: one that was parsed, and
one that was not."""
# What differs, by whether the authors and the year are the same.
_DIFFERENCE = {
    (True, True): ": another title",
    (True, False): ": another year",
    (False, True): ": other authors",
    (False, False): ": other authors, another year",
}
_RANKS = {difference: rank for rank, difference in enumerate(_DIFFERENCE.values())}


class WorkMatch(NamedTuple):
    """``key`` of the one work that fits; else the reason, and the keys of works that come close."""

    key: str | None
    reason: str = ""
    candidates: tuple[str, ...] = ()


class WorkMatcher:
    """The works of a library with their names."""

    def __init__(self, works: Iterable[CitationMeta]) -> None:
        self._works = {work.citekey: work for work in works}
        self._names = {key: names_of(work) for key, work in self._works.items()}
        self._titles = {key: letters_and_digits(work.title) for key, work in self._works.items()}
        self._mains = {
            key: letters_and_digits(main_title(work.title) or work.title)
            for key, work in self._works.items()
        }
        self._linker = ReferenceLinker(map(_target, self._works.values()))

    def match(self, written: str, named: NamedWork) -> WorkMatch:
        """``written`` is for the reasons."""
        if named.entry is not None:
            if key := self._listed(named.entry):
                return WorkMatch(key)
            if not named.authors:
                return self._missing(written, named)
        fitting = self._fitting(named)
        if named.entry is not None:
            fitting = [key for key in fitting if self._may_be(named.entry, key)]
        if named.letter and (lettered := self._lettered(fitting, named.letter)):
            fitting = lettered
        elif named.letter and fitting and (named.entry is None or len(fitting) > 1):
            return WorkMatch(None, self._letterless(written, fitting), tuple(fitting[:_SHOWN]))
        if len(fitting) == 1:
            return WorkMatch(fitting[0])
        if fitting:
            return WorkMatch(None, self._ambiguous(written, fitting), tuple(fitting[:_SHOWN]))
        return self._missing(written, named)

    def _listed(self, entry: CitedWork) -> str | None:
        """The work of an entry: by DOI, arXiv id or title; else the one whose first author and
        title it spells, the title first in the entry (a chapter, not its book) and longest."""
        if link := self._linker.link(entry):
            return link.uri
        letters = letters_and_digits(entry.text)
        found: dict[tuple[int, int], list[str]] = defaultdict(list)
        for key, work in self._works.items():
            title = self._titles[key]
            at = letters.find(title)
            shortest = _SHORTEST if entry.title else _DISTINCT
            if at < 0 or len(title) < shortest or not self._may_be(entry, key):
                continue
            if work.year is not None and entry.year is not None and work.year != entry.year:
                continue
            names = (letters_and_digits(name.short) for name in self._names[key][:1])
            if all(name in letters[:at] for name in names):
                found[at, -len(title)].append(key)
        best = found[min(found)] if found else []
        return best[0] if len(best) == 1 else None

    def _may_be(self, entry: CitedWork, key: str) -> bool:
        """Whether the entry does not contradict: no other DOI, no other title."""
        work = self._works[key]
        if entry.doi and work.doi and normalise_doi(work.doi):
            return entry.doi == normalise_doi(work.doi)
        if entry.title is None:
            return True
        stated = letters_and_digits(entry.title)
        return self._titles[key].startswith(stated) or stated.startswith(self._mains[key])

    def _fitting(self, named: NamedWork) -> list[str]:
        """The works with these authors and this year; the same work only once."""
        fitting: dict[str, str] = {}
        for key, work in self._works.items():
            year = work.year in named.years if named.years else work.year is None
            if year and _same_people(named, self._names[key]):
                fitting.setdefault(self._titles[key], key)
        return list(fitting.values())

    def _lettered(self, keys: Sequence[str], letter: str) -> list[str]:
        """The one of several works that bears the letter, in its record or in its key."""
        suffixes = {key: str(self._works[key].csl.get("year-suffix") or "") for key in keys}
        if not any(suffixes.values()) and len(keys) > 1:
            suffixes = {
                key: key[-1] for key in keys if key.endswith(f"{self._works[key].year}{key[-1]}")
            }
        return [key for key in keys if suffixes.get(key, "").casefold() == letter]

    def _letterless(self, written: str, keys: Sequence[str]) -> str:
        return (
            f"“{written}” may be {self._told(keys)}: which letter it has is not known; add the "
            "entry to the draft's list of references, or cite by key."
        )

    def _ambiguous(self, written: str, keys: Sequence[str]) -> str:
        return (
            f"“{written}” fits {len(keys)} works: {self._told(keys)}; cite by key, or add the "
            "entry to the draft's list of references."
        )

    def _told(self, keys: Sequence[str]) -> str:
        told = [f"{key} (“{self._works[key].title[:_LONGEST]}”)" for key in keys[:_SHOWN]]
        more = len(keys) - len(told)
        return " or ".join(told) + (f" or {more} more" if more else "")

    def _missing(self, written: str, named: NamedWork) -> WorkMatch:
        entry = f" ({named.entry.text[:_LONGEST]}…)" if named.entry and not named.authors else ""
        near = self._near(named) if named.authors else self._near_entry(named.entry)
        told = ", ".join(
            f"{key} ({short_citation(self._works[key])}{why})" for key, why in near.items()
        )
        hint = f"; close to it: {told}" if told else ""
        return WorkMatch(None, f"The project has no “{written}”{entry}{hint}.", tuple(near))

    def _near(self, named: NamedWork) -> dict[str, str]:
        """Works of the first author with what differs, then those with a similar name."""
        near: dict[str, str] = {}
        for key, names in self._names.items():
            if not any(name.is_written(named.authors[0]) for name in names[:1]):
                continue
            same_year = self._works[key].year in named.years
            people = _same_people(named, names)
            near[key] = _DIFFERENCE[people, same_year]
        if len(near) < _SHOWN:
            labels = {key: short_citation(work) for key, work in self._works.items()}
            written = f"{' & '.join(named.authors)}, {(named.years or ('n.d.',))[0]}"
            found = process.extract(
                written, labels, scorer=fuzz.ratio, score_cutoff=_SIMILAR, limit=2 * _SHOWN
            )
            near |= {key: "" for _, _, key in found if key not in near}
        order = sorted(near, key=lambda key: _RANKS.get(near[key], len(_RANKS)))
        return {key: near[key] for key in order[:_SHOWN]}

    def _near_entry(self, entry: CitedWork | None) -> dict[str, str]:
        if entry is None:
            return {}
        titles = {key: work.title for key, work in self._works.items()}
        spelled = entry.title or entry.text
        found = process.extract(
            spelled, titles, scorer=fuzz.token_set_ratio, score_cutoff=_SIMILAR, limit=_SHOWN
        )
        return {key: "" for _, _, key in found}


def _same_people(named: NamedWork, names: Sequence[PersonName]) -> bool:
    written = named.authors
    for first in range(len(written) if named.loose else 1):
        rest = written[first:]
        enough = len(names) > len(rest) if named.others else len(names) == len(rest)
        if enough and all(map(PersonName.is_written, names, rest)):
            return True
    return False


def _target(work: CitationMeta) -> LinkTarget:
    return LinkTarget(
        uri=work.citekey,
        identifiers=tuple(one for one in (work.doi, work.url) if one),
        title=work.title,
        year=work.year,
        authors=work.authors,
    )
