"""Near-duplicate passages by word shingles, and max-marginal selection."""

import re
from collections.abc import Mapping, Sequence

from citeloom.domain.text.folding import fold

# Near-duplicates share three fifths of the shorter one's shingles: a preprint and its article
# differ by less, two passages on one subject by far more.
SAME_SHARE: float = 0.6
_SHINGLE_WORDS = 3
# Records of two works of one author in one journal share most of their few words.
LEAST_SHINGLES = 15
_WORD = re.compile(r"\w+")

Shingles = frozenset[tuple[str, ...]]


def shingles(text: str) -> Shingles:
    """All 3-word shingles, ignoring case, accents and punctuation; of a shorter text one
    shingle of all its words."""
    words = _WORD.findall(fold(text))
    if len(words) <= _SHINGLE_WORDS:
        return frozenset({tuple(words)})
    return frozenset(
        tuple(words[n : n + _SHINGLE_WORDS]) for n in range(len(words) - _SHINGLE_WORDS + 1)
    )


def are_near_duplicates(one: Shingles, other: Shingles, least: int = 0) -> bool:
    """Whether two texts have nearly the same words in the same order; with fewer than ``least``
    shingles, all of them."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < least:
        return one == other
    if len(shorter) < len(longer) / 3:
        return False
    return len(shorter & longer) >= SAME_SHARE * len(shorter)


def max_marginal_selection(
    ids: Sequence[str],
    scores: Mapping[str, float],
    vectors: Mapping[str, Sequence[float]],
    count: int,
    *,
    relevance_weight: float = 0.7,
) -> list[str]:
    """Maximal marginal relevance (Carbonell & Goldstein 1998): repeatedly the id with the
    highest ``relevance_weight`` × score − (1 − ``relevance_weight``) × cosine to the nearest
    selected one.

    Scores are in 0..1 and vectors of length 1; an id without vector is similar to none. Ties
    keep their order.
    """
    remaining, chosen = list(ids), list[str]()
    nearest = dict.fromkeys(ids, 0.0)
    while remaining and len(chosen) < count:
        best = max(
            remaining,
            key=lambda id: relevance_weight * scores[id] - (1 - relevance_weight) * nearest[id],
        )
        remaining.remove(best)
        chosen.append(best)
        for id in remaining:
            if id in vectors and best in vectors:
                cosine = sum(a * b for a, b in zip(vectors[id], vectors[best], strict=True))
                nearest[id] = max(nearest[id], cosine)
    return chosen
