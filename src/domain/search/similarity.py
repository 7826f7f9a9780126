"""Passages that say the same: near-duplicates, and how different the answers are."""

import re
from collections.abc import Mapping, Sequence

from citeloom.domain.text.folding import fold

# Two passages are the same where three fifths of the shorter one's word runs stand in the
# other: a preprint and its article differ by less, two passages on one subject by far more.
SAME: float = 0.6
_RUN = 3
_WORD = re.compile(r"\w+")

Runs = frozenset[tuple[str, ...]]


def word_runs(text: str) -> Runs:
    """All runs of three words, case, accents and punctuation ignored; of a shorter text the
    one run of all its words."""
    words = _WORD.findall(fold(text))
    if len(words) <= _RUN:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[n : n + _RUN]) for n in range(len(words) - _RUN + 1))


def are_near_duplicates(one: Runs, other: Runs) -> bool:
    """Whether two passages say the same, word for word but for some."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < len(longer) / 3:
        return False
    return len(shorter & longer) >= SAME * len(shorter)


def diversified(
    ids: Sequence[str],
    scores: Mapping[str, float],
    vectors: Mapping[str, Sequence[float]],
    wanted: int,
    *,
    trade: float = 0.7,
) -> list[str]:
    """Maximal marginal relevance (Carbonell & Goldstein 1998): at each step the one with the
    highest ``trade`` × score − (1 − ``trade``) × cosine to the nearest chosen one.

    Scores are in 0..1 and vectors of length 1; an id without vector is like no other.
    Equal ones keep their order.
    """
    left, chosen = list(ids), list[str]()
    nearest = dict.fromkeys(ids, 0.0)
    while left and len(chosen) < wanted:
        best = max(left, key=lambda id: trade * scores[id] - (1 - trade) * nearest[id])
        left.remove(best)
        chosen.append(best)
        for id in left:
            if id in vectors and best in vectors:
                cosine = sum(a * b for a, b in zip(vectors[id], vectors[best], strict=True))
                nearest[id] = max(nearest[id], cosine)
    return chosen
