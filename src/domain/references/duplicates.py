"""Documents that are copies of one work, and those that only seem to be: versions, supplements.

Texts are compared by samples of their shingles (Broder 1997, "On the resemblance and containment of
documents", section 3): one in sixteen, chosen by its hash.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import combinations
from math import log
from typing import Final, NamedTuple
from zlib import crc32

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.text.normalized_text import fold
from citeloom.domain.value import Value

from .first_page import people_of
from .identifiers import (
    is_distinctive,
    letters_and_digits,
    normalise_arxiv,
    same_title,
    versionless,
)
from .lookup import numbered, versions_of
from .work_versions import identifiers_of, is_preprint

_SHINGLE_WORDS: Final = 5
_SAMPLED: Final = 16
_LEAST_SAMPLE: Final = 16
"""Sampled shingles of a text that can be compared: about 250 words."""
_LEAST_WORDS: Final = 20
"""Words of a text that is worth a digest."""
_COMMON: Final = 12
"""Documents with a shingle from which on it is a notice that many papers have."""
_COPIED: Final = 0.9
_ALIKE: Final = 0.5
_WHOLE: Final = 0.7
"""Shares: of the shorter text in a copy, and where something else speaks for one as well; of the
longer text's length that the shorter has."""
_YEARS: Final = 1
_STAMP: Final = re.compile(r"\barXiv:\s*(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})v(\d+)")
#: Types of works that have an ISBN of their own; a chapter has that of its book.
_BOUND: Final = frozenset({"book", "thesis", "report", "document"})


class TextSample(NamedTuple):
    """``digest`` is that of all words, None of a text with fewer than 20; ``shingles`` are the
    sampled ones."""

    digest: int | None
    shingles: frozenset[int]

    @classmethod
    def of(cls, text: str) -> "TextSample":
        words = [word.encode() for word in re.findall(r"\w+", fold(text))]
        hashes = (
            crc32(b" ".join(words[at : at + _SHINGLE_WORDS]))
            for at in range(len(words) - _SHINGLE_WORDS + 1)
        )
        digest = crc32(b" ".join(words)) if len(words) >= _LEAST_WORDS else None
        return cls(digest, frozenset(one for one in hashes if one % _SAMPLED == 0))

    def share(self, other: "TextSample") -> float | None:
        """The share of the shorter text that the other has too; None where one is too short to
        say."""
        if self.digest is not None and self.digest == other.digest:
            return 1.0
        least = min(len(self.shingles), len(other.shingles))
        if least < _LEAST_SAMPLE:
            return None
        return len(self.shingles & other.shingles) / least

    def is_as_long(self, other: "TextSample") -> bool:
        short, long = sorted((len(self.shingles), len(other.shingles)))
        return short >= _WHOLE * long


class WorkCopy(Value):
    """A document as compared with others. ``preprint_version`` is the version of an arXiv stamp.
    ``surety`` (0 to 1) is the least share of true words of a page, 1 without comparison;
    ``is_noted``: it has a person's tags, note or status."""

    document_id: str
    citation: CitationMeta
    identifiers: tuple[str, ...] = ()
    sample: TextSample
    preprint_version: int | None = None
    has_file: bool = True
    surety: float = 1.0
    is_noted: bool = False
    stored_at: datetime


class CopyKind(StrEnum):
    """``DUPLICATE``: copies, one of which is enough. ``VERSION``: preprint and publication, or
    two versions of either, with other pages. ``UNCLEAR``: something is the same, and something
    else speaks against it."""

    DUPLICATE = "duplicate"
    VERSION = "version"
    UNCLEAR = "unclear"


class CopyGroup(Value):
    """``documents`` are ids, of duplicates the best copy first, for the reason ``better``;
    ``why`` says what they have in common."""

    kind: CopyKind
    documents: tuple[str, ...]
    why: str
    better: str = ""


class _Likeness(NamedTuple):
    kind: CopyKind
    why: str


def preprint_version(text: str, identifiers: Container[str]) -> int | None:
    """``5`` of ``arXiv:1706.03762v5``, if the id is among ``identifiers``: others are cited."""
    stamps = (match.groups() for match in _STAMP.finditer(text))
    return next((int(number) for id, number in stamps if normalise_arxiv(id) in identifiers), None)


def work_identifiers(citation: CitationMeta, stated: Iterable[str] = ()) -> Iterator[str]:
    """The identifiers of a work: DOI or arXiv id, ``pmid:``, and the ``isbn:`` of a whole book.
    ``stated`` are those of its document, from which it takes PMID and ISBN."""
    yield from identifiers_of(citation)
    given = [
        f"pmid:{citation.csl.get('PMID', '')}",
        f"isbn:{citation.csl.get('ISBN', '')}",
        *stated,
    ]
    for kind, number in filter(None, map(numbered, given)):
        if kind == "pmid" or (citation.type or "document") in _BOUND:
            yield f"{kind}:{number}"


def find_copies(copies: Sequence[WorkCopy]) -> Sequence[CopyGroup]:
    """The groups among documents, duplicates first; versions and unclear ones are pairs, in which
    the best copy stands for its duplicates."""
    order = list(CopyKind)
    known = {one.document_id: one for one in copies}
    found = {pair: one for pair in _candidates(copies) if (one := _relation(*pair, known))}
    related = dict(sorted(found.items(), key=lambda one: (order.index(one[1].kind), one[0])))
    groups = [
        _ranked(group, known)
        for group in _joined(p for p, one in related.items() if one.kind is CopyKind.DUPLICATE)
    ]
    best = {id: group[0] for group in groups for id in group}
    pairs: dict[tuple[str, str], CopyGroup] = {}
    for (left, right), relation in related.items():
        ends = best.get(left, left), best.get(right, right)
        if relation.kind is not CopyKind.DUPLICATE and ends[0] != ends[1]:
            pair = CopyGroup(kind=relation.kind, documents=ends, why=relation.why)
            pairs.setdefault((min(ends), max(ends)), pair)
    listed = [*(_duplicates(group, related, known) for group in groups), *pairs.values()]
    keys = {one.document_id: one.citation.citekey for one in copies}
    return sorted(listed, key=lambda one: (order.index(one.kind), keys[one.documents[0]]))


def _duplicates(
    group: Sequence[str],
    related: Mapping[tuple[str, str], _Likeness],
    known: Mapping[str, WorkCopy],
) -> CopyGroup:
    reasons = (
        reason
        for pair, one in related.items()
        if set(pair) <= set(group)
        for reason in one.why.split("; ")
    )
    return CopyGroup(
        kind=CopyKind.DUPLICATE,
        documents=tuple(group),
        why="; ".join(dict.fromkeys(reasons)),
        better=_reason(known[group[0]], known[group[1]]),
    )


def _candidates(copies: Sequence[WorkCopy]) -> Iterator[tuple[str, str]]:
    """Pairs with anything in common, each once: an identifier, a title, or passages."""
    by_name: dict[str, list[str]] = defaultdict(list)
    by_shingle: dict[int, list[str]] = defaultdict(list)
    sizes: dict[str, int] = {}
    for one in copies:
        names = {*one.identifiers, *(id for _, id in _said_versions(one))}
        if letters := letters_and_digits(one.citation.title):
            names.add(f"title {letters}")
        if one.sample.digest is not None:
            names.add(f"text {one.sample.digest}")
        for name in names:
            by_name[name].append(one.document_id)
        for shingle in one.sample.shingles:
            by_shingle[shingle].append(one.document_id)
        sizes[one.document_id] = len(one.sample.shingles)
    pairs = dict.fromkeys(pair for ids in by_name.values() for pair in _pairs(ids))
    shared: dict[tuple[str, str], int] = defaultdict(int)
    for ids in by_shingle.values():
        if len(ids) < _COMMON:
            for pair in _pairs(ids):
                shared[pair] += 1
    alike = (pair for pair, n in shared.items() if n >= _ALIKE * min(map(sizes.__getitem__, pair)))
    yield from {**pairs, **dict.fromkeys(alike)}


def _pairs(ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield from combinations(sorted(set(ids)), 2)


def _relation(one_id: str, other_id: str, known: Mapping[str, WorkCopy]) -> _Likeness | None:
    one, other = known[one_id], known[other_id]
    share = one.sample.share(other.sample)
    names = sorted({*one.identifiers} & {*other.identifiers})
    titled = _is_titled_alike(one.citation, other.citation)
    same = [f"the same {_told(name)}" for name in names]
    if not names and titled:
        same.append("the same title and authors")
    if share and share >= _ALIKE:
        part = (
            "text in common" if one.sample.is_as_long(other.sample) else "shorter text in the other"
        )
        same.append(f"{_percent(share)} of the {part}")
    if version := _version(one, other, known_alike=bool(names) or titled or (share or 0) >= _ALIKE):
        return _Likeness(CopyKind.VERSION, "; ".join([version, *same]))
    if not names and not titled and (share is None or share < _COPIED):
        return None
    why = "; ".join(same)
    if against := _objection(one, other, share, has_name=bool(names), is_titled=titled):
        return _Likeness(CopyKind.UNCLEAR, f"{why}, but {against}" if why else against)
    return _Likeness(CopyKind.DUPLICATE, why)


def _version(one: WorkCopy, other: WorkCopy, *, known_alike: bool) -> str:
    """How one is a version of the other, from the first on; empty where neither is."""
    for left, right in ((one, other), (other, one)):
        for relation, id in _said_versions(left):
            if id in right.identifiers:
                key, of_key = left.citation.citekey, right.citation.citekey
                return f"{key} {relation.replace('-', ' ')} {of_key}, as its record says"
    if not known_alike:
        return ""
    numbers = one.preprint_version, other.preprint_version
    if None not in numbers and numbers[0] != numbers[1]:
        return f"versions {min(filter(None, numbers))} and {max(filter(None, numbers))}"
    dois = sorted({each.citation.doi or "" for each in (one, other)})
    if all(dois) and len(dois) > 1 and {*one.identifiers} & {*other.identifiers}:
        return f"versions {dois[0]} and {dois[1]}"
    kinds = [is_preprint(each.citation) for each in (one, other)]
    published = [_is_published(each.citation) for each in (one, other)]
    if (kinds[0] and published[1]) or (kinds[1] and published[0]):
        preprint, paper = (one, other) if kinds[0] else (other, one)
        return f"{preprint.citation.citekey} is a preprint of {paper.citation.citekey}"
    return ""


def _is_published(citation: CitationMeta) -> bool:
    return not is_preprint(citation) and bool(citation.doi or citation.container_title)


def _objection(
    one: WorkCopy, other: WorkCopy, share: float | None, *, has_name: bool, is_titled: bool
) -> str:
    """The evidence against a copy; empty if there is none."""
    if share is not None and share < _ALIKE:
        common = f"other text ({_percent(share)} in common)"
        return f"{common}: a supplement, slides, another edition, or a wrong entry"
    if share is None and has_name and not same_title(one.citation.title, other.citation.title):
        return "other titles: a chapter, or a wrong entry"
    if has_name:
        return ""
    dois = {each.citation.doi for each in (one, other)} - {None}
    if len(dois) > 1:
        return f"two DOIs ({', '.join(sorted(filter(None, dois)))}): printed twice, or a wrong DOI"
    if not is_titled and not one.sample.is_as_long(other.sample):
        return "one is longer: it may contain the other"
    return ""


def _is_titled_alike(one: CitationMeta, other: CitationMeta) -> bool:
    """Whether title and first author are the same, and the years near."""
    author = _first_author(one)
    if not author or author != _first_author(other):
        return False
    if not (is_distinctive(one.title) and same_title(one.title, other.title)):
        return False
    near = None in (one.year, other.year) or abs((one.year or 0) - (other.year or 0)) <= _YEARS
    return near or is_preprint(one) != is_preprint(other)


def _first_author(citation: CitationMeta) -> str:
    """The family name, in letters; empty where no author is known."""
    people = people_of(citation)
    return letters_and_digits(people[0][0]) if people else ""


def _said_versions(one: WorkCopy) -> Iterator[tuple[str, str]]:
    """Relation and identifier, as ``identifiers`` have it."""
    for relation, id in versions_of(one.citation.csl):
        yield relation, normalise_arxiv(id) or versionless(id)


def _joined(pairs: Iterable[tuple[str, str]]) -> Sequence[Sequence[str]]:
    """Groups of connected items, in the order of the pairs."""
    groups: dict[str, list[str]] = {}
    for one, other in pairs:
        left, right = groups.setdefault(one, [one]), groups.setdefault(other, [other])
        if left is not right:
            left += right
            groups |= dict.fromkeys(right, left)
    return list({id(group): group for group in groups.values()}.values())


#: What makes a copy the better one, the most important first, in words.
_BETTER: Final[Sequence[tuple[str, Callable[[WorkCopy], float]]]] = (
    ("its file is there", lambda one: one.has_file),
    ("it has text", lambda one: bool(one.sample.shingles)),
    ("its citation is not provisional", lambda one: not one.citation.is_provisional),
    ("its text is more reliable", lambda one: round(one.surety, 2)),
    # Steps of a tenth: a cover sheet or a stamp does not make a better copy.
    ("it has more text", lambda one: round(10 * log(1 + len(one.sample.shingles)))),
    ("you have tags, a note or a status on it", lambda one: one.is_noted),
    ("it was added first", lambda one: -one.stored_at.timestamp()),
)


def _ranked(ids: Iterable[str], known: Mapping[str, WorkCopy]) -> Sequence[str]:
    return sorted(ids, key=lambda id: ([-float(value(known[id])) for _, value in _BETTER], id))


def _reason(best: WorkCopy, next_one: WorkCopy) -> str:
    return next((words for words, value in _BETTER if value(best) != value(next_one)), "")


def _told(name: str) -> str:
    kind, colon, number = name.partition(":")
    if name.startswith("10."):
        return f"DOI {name}"
    return f"{'arXiv id' if kind == 'arXiv' else kind.upper()} {number}" if colon else name


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0):.0f} %"
