"""Fusion: one score from what meaning, sentences and words say of a candidate.

Three sides are known of a candidate: the cosine of the passage, the cosine of its best
sentence, its BM25 score. The default is the convex combination of min-max normalised
scores (Bruch, Gai & Ingber 2023, "An Analysis of Fusion Functions for Hybrid Retrieval");
reciprocal rank fusion (Cormack, Clarke & Büttcher 2009) and distribution-based score
fusion can be chosen instead. Ranks throw away what the scores say: on all of SciFact
(nDCG@10, the default model) reciprocal ranks reach 0.716 where scores reach 0.738, and
with sentences 0.750. The default weights lie on a plateau (±0.05 changes no figure by more
than 0.002), on SciFact's training claims as on those of Citation-Integrity.

All of it presumes a pool whose candidates are scored on every side.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from citeloom.domain.projects.fusion_policy import DEFAULT_POLICY, FusionMethod, FusionPolicy
from citeloom.domain.search.exact_terms import is_one_word


class Mode(StrEnum):
    """By meaning and words, by meaning, by words."""

    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


# How much words count of a question of a single word, beside both sides of meaning together.
# It is most often a name, of which the vectors know little. Of 200 rare names in SciFact's
# abstracts nDCG@10 is 0.856 with the usual weights, 0.937 with 2 and 0.944 with 3, 0.950 with
# words alone, which find no synonyms.
ONE_WORD = 2.0


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate: the cosine of its passage and of its best sentence, and its BM25 score;
    None where it has none."""

    id: str
    dense: float | None
    sparse: float | None
    sentence: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with the score by which it is ordered (which compares within one search)
    and its relevance in 0..1 (which means the same from search to search, and never rises
    down the list)."""

    id: str
    score: float
    relevance: float


_Side = list[float]

# How far what is favoured moves up: a tenth of the way from the last candidate to the first.
# Of equally good passages it comes first; one that does not answer stays behind.
FAVOUR = 0.1
# The BM25 score that is shown as a half.
_HALF = 10.0


def policy_for(question: str, policy: FusionPolicy = DEFAULT_POLICY) -> FusionPolicy:
    """The policy for a question: of a single word, the sparse side counts ``ONE_WORD`` times
    the dense sides together, or as much as it does anyway if that is more."""
    if not is_one_word(question):
        return policy
    sparse = ONE_WORD * (policy.dense_weight + policy.sentence_weight)
    return policy.model_copy(update={"sparse_weight": max(sparse, policy.sparse_weight)})


def rank(
    candidates: Iterable[Scored], mode: Mode, policy: FusionPolicy = DEFAULT_POLICY
) -> list[Ranked]:
    """The candidates of a search, best first, equal ones by id.

    With meaning alone the cosines of passage and sentence are added by their weights, with
    words alone it is the BM25 score; candidates without such a score are left out.
    """
    pool = list(candidates)
    if mode is Mode.HYBRID:
        return fuse(pool, policy)
    if mode is Mode.SPARSE:
        words = [(c, c.sparse) for c in pool if c.sparse is not None]
        return _ordered((c, score, relevance(c, mode, policy)) for c, score in words)
    meant = [c for c in pool if c.dense is not None]
    return _ordered((c, _meaning(c, policy), relevance(c, mode, policy)) for c in meant)


def fuse(candidates: Sequence[Scored], policy: FusionPolicy = DEFAULT_POLICY) -> list[Ranked]:
    """The candidates by all sides, best first, equal ones by id.

    A passage without sentences counts as one sentence. No BM25 score means no common term
    and counts as 0; no dense score counts as the lowest of the pool. A side where nobody
    has a score, or all the same, says nothing about the order and is left out.
    """
    return _ordered(
        (c, score, relevance(c, Mode.HYBRID, policy))
        for c, score in zip(candidates, _fused(candidates, policy), strict=True)
    )


def foremost(candidates: Sequence[Scored], count: int, policy: FusionPolicy) -> list[str]:
    """The ids of the first ``count`` of ``fuse``."""
    scores = _fused(candidates, policy)
    order = sorted(zip(candidates, scores, strict=True), key=lambda one: (-one[1], one[0].id))
    return [candidate.id for candidate, _ in order[:count]]


def _fused(candidates: Sequence[Scored], policy: FusionPolicy) -> list[float]:
    sides = [(weight, side) for weight, side in _sides(candidates, policy) if weight > 0]
    normal = _NORMAL[policy.method]
    scores = [0.0] * len(candidates)
    total = sum(weight for weight, _ in sides) or 1.0
    for weight, side in sides:
        share = weight / total
        for n, value in enumerate(normal(side, policy)):
            scores[n] += share * value
    return scores


def favoured(ranked: Sequence[Ranked], ids: AbstractSet[str]) -> list[Ranked]:
    """The ranking with these candidates moved up by ``FAVOUR``. Relevance stays what it is,
    but for never rising down the list."""
    scores = [hit.score for hit in ranked]
    step = FAVOUR * (max(scores) - min(scores)) if scores else 0.0
    raised = [(hit, hit.score + step * (hit.id in ids)) for hit in ranked]
    order = sorted(raised, key=lambda one: (-one[1], one[0].id not in ids, one[0].id))
    return _falling((hit.id, score, hit.relevance) for hit, score in order)


def relevance(candidate: Scored, mode: Mode, policy: FusionPolicy = DEFAULT_POLICY) -> float:
    """How well a candidate answers, in 0..1, whatever else was found.

    The cosines as they are, cut to 0..1 (unrelated texts lie near 0), and the BM25 score s
    as s / (s + 10) (a passage with two or three rare terms of the question has 0.5), by the
    weights of the policy.
    """
    meaning = 0.0 if candidate.dense is None else min(1.0, max(0.0, _meaning(candidate, policy)))
    words = max(0.0, candidate.sparse or 0.0)
    said = words / (words + _HALF)
    if mode is not Mode.HYBRID:
        return meaning if mode is Mode.DENSE else said
    weight = policy.dense_weight + policy.sentence_weight
    return (weight * meaning + policy.sparse_weight * said) / (weight + policy.sparse_weight)


def _sides(candidates: Sequence[Scored], policy: FusionPolicy) -> list[tuple[float, _Side]]:
    sides: list[tuple[float, _Side]] = []
    known = [c.dense for c in candidates if c.dense is not None]
    if known:
        lowest = min(known)
        dense = [lowest if c.dense is None else c.dense for c in candidates]
        best = [
            passage if c.sentence is None else c.sentence
            for c, passage in zip(candidates, dense, strict=True)
        ]
        sides += [(policy.dense_weight, dense), (policy.sentence_weight, best)]
    if any(c.sparse is not None for c in candidates):
        sides.append((policy.sparse_weight, [c.sparse or 0.0 for c in candidates]))
    return sides


def _meaning(candidate: Scored, policy: FusionPolicy) -> float:
    assert candidate.dense is not None
    if candidate.sentence is None:
        return candidate.dense
    total = policy.dense_weight + policy.sentence_weight
    share = policy.sentence_weight / total
    return candidate.dense + share * (candidate.sentence - candidate.dense)


def _stretched(side: _Side, policy: FusionPolicy) -> _Side:
    """Min-max to 0..1."""
    del policy
    low, high = min(side), max(side)
    if not high > low:
        return [0.0] * len(side)
    return [(value - low) / (high - low) for value in side]


def _reciprocal(side: _Side, policy: FusionPolicy) -> _Side:
    """1 / (k + rank), equal scores with equal ranks; scaled so that the first has 1."""
    ranks = {value: n for n, value in enumerate(sorted(set(side), reverse=True), start=1)}
    return [(policy.rrf_k + 1) / (policy.rrf_k + ranks[value]) for value in side]


def _standardised(side: _Side, policy: FusionPolicy) -> _Side:
    """Distribution-based: mean ± 3 standard deviations to 0..1, cut off there."""
    del policy
    mean = sum(side) / len(side)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in side) / max(1, len(side) - 1))
    if not deviation > 0:
        return [0.0] * len(side)
    return [min(1.0, max(0.0, 0.5 + (value - mean) / (6 * deviation))) for value in side]


_NORMAL: dict[FusionMethod, Callable[[_Side, FusionPolicy], _Side]] = {
    FusionMethod.CONVEX: _stretched,
    FusionMethod.RRF: _reciprocal,
    FusionMethod.DBSF: _standardised,
}


def _ordered(scores: Iterable[tuple[Scored, float, float]]) -> list[Ranked]:
    order = sorted(scores, key=lambda s: (-s[1], s[0].id))
    return _falling((candidate.id, score, absolute) for candidate, score, absolute in order)


def _falling(order: Iterable[tuple[str, float, float]]) -> list[Ranked]:
    ranked, ceiling = [], 1.0
    for id, score, absolute in order:
        ceiling = min(ceiling, absolute)
        ranked.append(Ranked(id, score, ceiling))
    return ranked
