"""Candidates that say what a question wants word for word, and not what it excludes.

The engine finds passages that have the rarest word of a phrase (a posting list of its BM25
index: no index of texts is needed), and the candidates among them are read until enough of
them hold, or there are no more. So a phrase is found wherever it stands, however low the
passage ranks, and a search costs what its rarest word is common. A phrase of stop words has
no such word: it is looked for in the best passages of the question, up to ``MOST_READ``.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from citeloom.application.ports.index import CandidatePassage, Collection, SparseVector
from citeloom.domain.search.exact_terms import ParsedQuestion
from citeloom.domain.search.filters import Filter

# Asks for so many candidates a side, among these passages only, or (None) among all.
Ask = Callable[[int, AbstractSet[str] | None], list[CandidatePassage]]

_DEEPER: Final = 4
_FIRST: Final = 256
# Passages that are read at a time.
_READ: Final = 500
# Passages that are read for a phrase of stop words: about a third of a second.
MOST_READ: Final = 2000


def narrowed(
    collection: Collection,
    wording: ParsedQuestion,
    keys: Sequence[SparseVector],
    filter: Filter,
    ask: Ask,
    limit: int,
    dimension: int,
) -> list[CandidatePassage]:
    """Candidates that ``wording`` allows: ``limit`` of them at least, or all that there are.

    ``keys`` are those of the words of its phrases. Without any (a phrase of stop words) all
    passages are read, or of many only some: see ``is_partial``.
    """
    if wording.is_plain:
        return ask(limit, None)
    among: AbstractSet[str] | None = None
    if wording.phrases:
        among = _having(collection, keys, filter) if keys else _reading(collection, wording, ask)
    allowed: dict[str, bool] = {}
    while True:
        found = ask(limit, among)
        unread = [c.id for c in found if c.id not in allowed]
        allowed |= dict.fromkeys(unread, False) | _read(collection, wording, unread)
        kept = [candidate for candidate in found if allowed[candidate.id]]
        if len(found) < limit:
            break
        if len(kept) >= limit:
            return kept
        limit *= _DEEPER
    unscored = (among or set()) - allowed.keys()
    held = {id for id, holds in _read(collection, wording, sorted(unscored)).items() if holds}
    return kept + _without_score(collection, held, filter, dimension)


def _without_score(
    collection: Collection, ids: AbstractSet[str], filter: Filter, dimension: int
) -> list[CandidatePassage]:
    """Those of ``ids`` that pass the filter. A search by words ranks nothing that has only
    stop words of the question; the phrase is there all the same."""
    if not ids:
        return []
    passing = collection.search(
        dense=[1.0] * dimension, sparse=None, filter=filter, limit=len(ids), among=ids
    )
    return [CandidatePassage(candidate.id, None, 0.0) for candidate in passing]


def _having(collection: Collection, keys: Sequence[SparseVector], filter: Filter) -> set[str]:
    """The passages that have the rarest of these words."""
    limit = _FIRST
    while True:
        for key in keys:
            found = collection.search(dense=None, sparse=key, filter=filter, limit=limit)
            if len(found) < limit:
                return {candidate.id for candidate in found}
        limit *= _DEEPER


def is_partial(
    collection: Collection, wording: ParsedQuestion, keys: Sequence[SparseVector]
) -> bool:
    """Whether there are more passages than are read for such phrases."""
    return bool(wording.phrases) and not keys and collection.info().points > MOST_READ


def _reading(collection: Collection, wording: ParsedQuestion, ask: Ask) -> set[str]:
    """Of many passages, those that are nearest to the question are read; the first ones, if
    it is asked by words alone, for it has none that count."""
    if is_partial(collection, wording, ()):
        nearest = [candidate.id for candidate in ask(MOST_READ, None)][:MOST_READ]
        if nearest:
            return {id for id, holds in _read(collection, wording, nearest).items() if holds}
    some = islice(collection.passages(), MOST_READ)
    return {p.chunk.id for p in some if wording.accepts(p.searched)}


def _read(collection: Collection, wording: ParsedQuestion, ids: Sequence[str]) -> dict[str, bool]:
    return {
        passage.chunk.id: wording.accepts(passage.searched)
        for start in range(0, len(ids), _READ)
        for passage in collection.fetch(ids[start : start + _READ])
    }
