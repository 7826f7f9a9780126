"""Exact matches: candidates that contain the quoted phrases of a question and no excluded terms.

The posting list of the rarest word of a phrase, from the BM25 index, bounds the passages; the
candidates among them are read until enough of them match or none is left. So a phrase is found
however low its passage ranks, at a cost in proportion to the frequency of its rarest word. A
phrase of stop words has no posting list: it is searched in the best passages of the question,
``MOST_READ`` at most.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Final

from citeloom.application.ports.index import CandidatePassage, Collection, SparseVector
from citeloom.domain.search.exact_terms import ParsedQuestion
from citeloom.domain.search.filters import Filter

# Retrieves candidates: a limit for each vector, and the chunk ids to search (None: all).
RetrieveCandidates = Callable[[int, AbstractSet[str] | None], list[CandidatePassage]]

_DEEPER: Final = 4
_FIRST: Final = 256
# Passages read at a time.
_READ: Final = 500
# Passages read for a phrase of stop words: about a third of a second.
MOST_READ: Final = 2000


def matching_candidates(
    collection: Collection,
    wording: ParsedQuestion,
    keys: Sequence[SparseVector],
    filter: Filter,
    ask: RetrieveCandidates,
    limit: int,
    dimension: int,
) -> list[CandidatePassage]:
    """Candidates that ``wording`` allows: at least ``limit`` of them, or all there are.

    ``keys`` are the sparse keys of the words of its phrases. Without any (phrases of stop
    words) passages are read one by one, at most ``MOST_READ``: see ``is_partial``.
    """
    if wording.is_plain:
        return ask(limit, None)
    among: AbstractSet[str] | None = None
    if wording.phrases:
        among = _having(collection, keys, filter) if keys else _reading(collection, wording, ask)
    allowed: dict[str, bool] = {}
    while True:
        candidates = ask(limit, among)
        unread = [c.id for c in candidates if c.id not in allowed]
        allowed |= dict.fromkeys(unread, False) | _read(collection, wording, unread)
        matching = [candidate for candidate in candidates if allowed[candidate.id]]
        if len(candidates) < limit:
            break
        if len(matching) >= limit:
            return matching
        limit *= _DEEPER
    unscored = (among or set()) - allowed.keys()
    matching_ids = {
        id for id, holds in _read(collection, wording, sorted(unscored)).items() if holds
    }
    return matching + _without_score(collection, matching_ids, filter, dimension)


def _without_score(
    collection: Collection, ids: AbstractSet[str], filter: Filter, dimension: int
) -> list[CandidatePassage]:
    """Candidates for those of ``ids`` that pass the filter. A sparse search does not return
    passages that share only stop words with the question."""
    if not ids:
        return []
    candidates = collection.search(
        dense=[1.0] * dimension, sparse=None, filter=filter, limit=len(ids), among=ids
    )
    return [CandidatePassage(candidate.id, None, 0.0) for candidate in candidates]


def _having(collection: Collection, keys: Sequence[SparseVector], filter: Filter) -> set[str]:
    """Ids of the passages that contain the rarest of these words."""
    limit = _FIRST
    while True:
        for key in keys:
            candidates = collection.search(dense=None, sparse=key, filter=filter, limit=limit)
            if len(candidates) < limit:
                return {candidate.id for candidate in candidates}
        limit *= _DEEPER


def is_partial(
    collection: Collection, wording: ParsedQuestion, keys: Sequence[SparseVector]
) -> bool:
    """Whether a phrase of stop words is searched in a part of the passages only."""
    return bool(wording.phrases) and not keys and collection.count() > MOST_READ


def _reading(collection: Collection, wording: ParsedQuestion, ask: RetrieveCandidates) -> set[str]:
    """Ids of matching passages among those nearest to the question; among the first passages
    if a sparse search finds none."""
    if is_partial(collection, wording, ()):
        nearest = [candidate.id for candidate in ask(MOST_READ, None)][:MOST_READ]
        if nearest:
            return {id for id, holds in _read(collection, wording, nearest).items() if holds}
    first_passages = islice(collection.passages(), MOST_READ)
    return {p.chunk.id for p in first_passages if wording.accepts(p.searched)}


def _read(collection: Collection, wording: ParsedQuestion, ids: Sequence[str]) -> dict[str, bool]:
    return {
        passage.chunk.id: wording.accepts(passage.searched)
        for start in range(0, len(ids), _READ)
        for passage in collection.fetch(ids[start : start + _READ])
    }
