"""Versions of a work in a library, the item to cite, and retraction notices.

Duplicates have the same DOI (or arXiv id) and title, or, unless both have a DOI, the same title,
first author, year and type. A preprint and its publication have the same title and first author,
but other DOIs and pages: a file of one is not cited as the other.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.library import KeySource, LibraryItem
from citeloom.domain.references.identifiers import (
    is_distinctive,
    letters_and_digits,
    normalise_arxiv,
    normalise_doi,
    same_title,
    versionless,
)
from citeloom.domain.references.provisional import free_key
from citeloom.domain.value import Value

#: How ``preference`` chooses, for people.
RULE = (
    "of several items, the published one before the preprint; then Zotero's own key before those "
    "of Better BibTeX, the field Extra and generated ones; then the fuller record; then the older "
    "one. A preprint's file is cited as the preprint"
)

_KEY_ORDER = tuple(KeySource)
# Years between a preprint and its publication.
_YEARS = 6
# CSL's type for what is not published: https://docs.citationstyles.org/en/stable/specification.html
_UNPUBLISHED = ("article", "manuscript")
# Registrants of preprint servers: arXiv, bioRxiv and medRxiv, Research Square, OSF, ChemRxiv,
# Preprints.org, SSRN, Authorea (https://api.crossref.org/types/posted-content).
_SERVERS = re.compile(r"10\.(?:48550|1101|21203|31219|31234|26434|20944|2139|22541)/")
_Preference = tuple[bool, int, int, str, str]


def preference(item: LibraryItem) -> _Preference:
    """Sort key: the smallest item is the one to cite, by ``RULE``."""
    return (
        is_preprint(item.citation),
        _KEY_ORDER.index(item.key_source),
        -item.citation.completeness,
        item.added or "9999",
        item.key,
    )


def is_preprint(citation: CitationMeta) -> bool:
    """Whether an item is a preprint or manuscript by its own metadata."""
    if citation.doi and _SERVERS.match(citation.doi):
        return True
    if citation.type in _UNPUBLISHED:
        return True
    on_arxiv = bool(citation.url and normalise_arxiv(citation.url))
    return on_arxiv and citation.doi is None and citation.container_title is None


def is_of_preprint(identifier: str) -> bool:
    """Whether a normalised identifier is a preprint's."""
    return bool(normalise_arxiv(identifier) or _SERVERS.match(identifier))


class WorkVersions:
    """Duplicates and versions among the items of a library."""

    def __init__(self, items: Iterable[LibraryItem]) -> None:
        self._publications: dict[str, list[LibraryItem]] = defaultdict(list)
        self._titles: dict[str, list[LibraryItem]] = defaultdict(list)
        self._same: dict[str, Sequence[LibraryItem]] = {}
        for item in items:
            for identifier in identifiers_of(item.citation):
                self._publications[identifier].append(item)
            title = item.citation.title
            if is_distinctive(title):
                self._titles[letters_and_digits(title)].append(item)

    def same(self, item: LibraryItem) -> Sequence[LibraryItem]:
        """Other items of the same publication."""
        if item.address not in self._same:
            self._same[item.address] = self._find_same(item)
        return self._same[item.address]

    def versions(self, item: LibraryItem) -> list[LibraryItem]:
        """Preprints of a publication, or publications of a preprint, by address."""
        return [
            other
            for other in self._titled_as(item)
            if is_preprint(other.citation) != is_preprint(item.citation)
            and _first_author(other.citation) == _first_author(item.citation)
            and _is_near_year(other.citation.year, item.citation.year)
        ]

    def _find_same(self, item: LibraryItem) -> Sequence[LibraryItem]:
        same: dict[str, LibraryItem] = {}
        for identifier in identifiers_of(item.citation):
            for other in self._publications[identifier]:
                if other.address != item.address and _same_title(item.citation, other.citation):
                    same[other.address] = other
        for other in self._titled_as(item):
            if _is_same_record(item.citation, other.citation):
                same[other.address] = other
        return tuple(same.values())

    def _titled_as(self, item: LibraryItem) -> list[LibraryItem]:
        titled = self._titles.get(letters_and_digits(item.citation.title), ())
        return [other for other in titled if other.address != item.address]


def preferred_item(items: Sequence[LibraryItem]) -> LibraryItem:
    """The one to cite."""
    return min(items, key=preference)


def identifiers_of(citation: CitationMeta) -> Iterator[str]:
    if citation.doi and (doi := normalise_doi(citation.doi)):
        yield normalise_arxiv(doi) or versionless(doi)
    elif citation.url and (arxiv := normalise_arxiv(citation.url)):
        yield arxiv


def is_same_publication(one: CitationMeta, other: CitationMeta) -> bool:
    """Whether two entries are of one publication: by identifier and title, or as one record."""
    if set(identifiers_of(one)) & set(identifiers_of(other)):
        return _same_title(one, other)
    return _same_title(one, other) and _is_same_record(one, other)


def is_corrected(one: CitationMeta, other: CitationMeta) -> bool:
    """Whether two entries with one citation key are of one work, which one of them corrects."""
    near = _is_near_year(one.year, other.year)
    return _same_title(one, other) or (near and _first_author(one) == _first_author(other))


def _same_title(one: CitationMeta, other: CitationMeta) -> bool:
    """Equal titles, or equal but for a subtitle (chapters may have the DOI of their book)."""
    left, right = letters_and_digits(one.title), letters_and_digits(other.title)
    short, long = sorted((left, right), key=len)
    return (bool(short) and long.startswith(short)) or same_title(one.title, other.title)


def _is_same_record(one: CitationMeta, other: CitationMeta) -> bool:
    """Whether two items of one title are duplicates."""
    if one.doi and other.doi:
        return False
    alike = one.type == other.type and one.year is not None and one.year == other.year
    known = [(one.page, other.page), (one.container_title, other.container_title)]
    return (
        alike
        and _first_author(one) == _first_author(other)
        and all(
            None in pair or letters_and_digits(str(pair[0])) == letters_and_digits(str(pair[1]))
            for pair in known
        )
    )


def _first_author(citation: CitationMeta) -> str:
    return letters_and_digits(citation.authors[0].partition(",")[0])


def _is_near_year(one: int | None, other: int | None) -> bool:
    return one is None or other is None or abs(one - other) <= _YEARS


class Nature(StrEnum):
    """Retraction Watch's ``RetractionNature``, by descending weight."""

    RETRACTION = "Retraction"
    CONCERN = "Expression of concern"
    CORRECTION = "Correction"
    REINSTATEMENT = "Reinstatement"


class Notice(Value):
    """A notice on the work ``doi`` (bare, lower case), of the day ``dated``. ``notice_doi`` is
    the notice's own; ``line`` is its line in the source file, from 1."""

    doi: str
    nature: Nature
    dated: date | None = None
    reasons: tuple[str, ...] = ()
    notice_doi: str | None = None
    title: str = ""
    line: int


def current_notice(notices: Iterable[Notice]) -> Notice:
    """The notice in force, of at least one.

    A retraction is in force unless the work was reinstated after it; undated notices are the
    earliest.
    """
    latest: dict[Nature, Notice] = {}
    for notice in sorted(notices, key=lambda one: one.dated or date.min):
        latest[notice.nature] = notice
    retracted, reinstated = latest.get(Nature.RETRACTION), latest.get(Nature.REINSTATEMENT)
    if retracted and reinstated and _later(reinstated, retracted):
        return reinstated
    return next(latest[nature] for nature in Nature if nature in latest)


def _later(one: Notice, other: Notice) -> bool:
    return (one.dated or date.min) >= (other.dated or date.min)


class MergedEntries(NamedTuple):
    """``items`` of all files, each work once, each under a key of its own. ``keys`` are, for each
    file, those of ``items`` by the keys of its entries. ``passed_over`` counts its entries of works
    that an earlier file has, ``renamed`` are its entries whose key another work has: old, new."""

    items: tuple[CitationMeta, ...]
    keys: tuple[dict[str, str], ...]
    passed_over: tuple[int, ...]
    renamed: tuple[tuple[tuple[str, str], ...], ...]


def merge_entries(files: Sequence[Sequence[CitationMeta]]) -> MergedEntries:
    """The first file wins: ``files`` are in the order of precedence."""
    items: dict[str, CitationMeta] = {}
    by_name: dict[str, list[CitationMeta]] = defaultdict(list)
    keys: list[dict[str, str]] = []
    passed_over, renamed = list[int](), list[tuple[tuple[str, str], ...]]()
    for entries in files:
        earlier = dict(items)
        of_file: dict[str, str] = {}
        for entry in entries:
            same = _same(entry, by_name, earlier)
            key = same.citekey if same else free_key(entry.citekey, items.__contains__)
            of_file[entry.citekey] = key
            if same is None:
                kept = entry if key == entry.citekey else entry.model_copy(update={"citekey": key})
                items[key] = kept
                for name in _names(kept):
                    by_name[name].append(kept)
        keys.append(of_file)
        passed_over.append(sum(key in earlier for key in of_file.values()))
        renamed.append(
            tuple((old, new) for old, new in of_file.items() if old != new and new not in earlier)
        )
    return MergedEntries(tuple(items.values()), tuple(keys), tuple(passed_over), tuple(renamed))


def _same(
    entry: CitationMeta,
    by_name: Mapping[str, Sequence[CitationMeta]],
    earlier: Mapping[str, CitationMeta],
) -> CitationMeta | None:
    of_key = earlier.get(entry.citekey)
    if of_key is not None and is_corrected(entry, of_key):
        return of_key
    found = (one for name in _names(entry) for one in by_name.get(name, ()))
    return next(
        (one for one in found if one.citekey in earlier and is_same_publication(entry, one)), None
    )


def _names(entry: CitationMeta) -> Iterator[str]:
    yield from identifiers_of(entry)
    yield letters_and_digits(entry.title)
