"""Grid search for fusion weights over stored candidate scores.

Each question is searched once; tuning is a pure function of scores, weights and judgments.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.projects.project import FusionPolicy
from citeloom.domain.search.fusion import Mode, Scored, policy_for, rank
from citeloom.domain.search.ranking import RerankerScores, reordered

from .dataset import Judgments

Weights = Mapping[str, float]

_RERANK_WEIGHT = "rerank_weight"
_FUSION_WEIGHTS = ("dense_weight", "sentence_weight", "sparse_weight")

#: A grid of tenths first, then smaller steps from the best point.
_GRID = 10
_REFINEMENT_STEPS = (0.05, 0.025)
#: Candidate reranker weights; 0 keeps the first-stage order.
_RERANK_WEIGHTS = (0.0, 0.03, 0.06, 0.08, 0.12, 0.17, 0.25, 0.35, 0.5, 0.7, 1.0, 1.5)
#: Smaller gains are noise: a thousand questions do not tell them from chance.
_MIN_GAIN = 1e-4


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one question, and the record ids of each passage (duplicate documents
    give several)."""

    candidates: Sequence[Scored]
    records: Mapping[str, Sequence[str]]
    reranker_scores: RerankerScores | None = None
    question: str = ""


def weights_of(policy: FusionPolicy) -> Weights:
    """The fusion weights of a policy by name, scaled to sum to 1."""
    total = sum(getattr(policy, name) for name in _FUSION_WEIGHTS)
    return {name: getattr(policy, name) / total for name in _FUSION_WEIGHTS}


def with_weights(policy: FusionPolicy, weights: Weights) -> FusionPolicy:
    return FusionPolicy.model_validate({**policy.model_dump(), **weights})


def rank_records(pool: Pool, policy: FusionPolicy, depth: int) -> list[str]:
    """Records by their best passage, best first."""
    policy = policy_for(pool.question, policy)
    ranked = rank(pool.candidates, Mode.HYBRID, policy)
    if pool.reranker_scores is not None:
        ranked = reordered(ranked, pool.reranker_scores, policy.rerank_weight)
    return best_records((pool.records.get(hit.id, ()) for hit in ranked), depth)


def best_records(ranked: Iterable[Sequence[str]], depth: int) -> list[str]:
    """Records in the order of their first passages, each once, at most ``depth``."""
    record_ids: dict[str, None] = {}
    for records in ranked:
        record_ids.update(dict.fromkeys(records))
        if len(record_ids) >= depth:
            break
    return list(record_ids)[:depth]


def split_judgments(
    judgments: Judgments, *, share: float = 0.5, seed: int = 0
) -> tuple[Judgments, Judgments]:
    """Training and held-out questions, deterministic by ``seed``."""
    ids = sorted(judgments)
    random.Random(seed).shuffle(ids)
    cut = round(len(ids) * share)
    train, held_out = ids[:cut], ids[cut:]
    return {id: judgments[id] for id in train}, {id: judgments[id] for id in held_out}


def search_weights(start: Weights, score: Callable[[Weights], float]) -> dict[str, float]:
    """The weights (positive, summing to 1) with the highest ``score``.

    A grid over all mixtures, then hill climbing from the best one. ``start`` is returned if
    nothing gains on it.
    """
    names = sorted(start)
    scores: dict[tuple[float, ...], float] = {}

    def evaluate(shares: tuple[float, ...]) -> float:
        if shares not in scores:
            scores[shares] = score(dict(zip(names, shares, strict=True)))
        return scores[shares]

    best = max(_mixtures(len(names)), key=evaluate)
    for step in _REFINEMENT_STEPS:
        while (better := max(_transfers(best, step), key=evaluate, default=best)) and (
            evaluate(better) > evaluate(best)
        ):
            best = better
    if evaluate(best) < score(start) + _MIN_GAIN:
        return dict(start)
    return dict(zip(names, best, strict=True))


def rerank_weight_of(policy: FusionPolicy) -> Weights:
    """The reranker weight of a policy, by name."""
    return {_RERANK_WEIGHT: policy.rerank_weight}


def search_rerank_weight(start: Weights, score: Callable[[Weights], float]) -> dict[str, float]:
    """The reranker weight with the highest ``score``, the smallest on ties; ``start`` if
    nothing gains on it."""
    best = max(({_RERANK_WEIGHT: weight} for weight in _RERANK_WEIGHTS), key=score)
    return best if score(best) >= score(start) + _MIN_GAIN else dict(start)


def _mixtures(count: int, left: int = _GRID) -> Iterator[tuple[float, ...]]:
    """All ways to divide ten tenths among ``count`` weights, at least one to each."""
    if count == 1:
        yield (left / _GRID,)
        return
    for first in range(1, left - count + 2):
        for rest in _mixtures(count - 1, left - first):
            yield (first / _GRID, *rest)


def _transfers(shares: tuple[float, ...], step: float) -> Iterator[tuple[float, ...]]:
    """All mixtures with ``step`` moved from one weight to another."""
    for taker in range(len(shares)):
        for giver in range(len(shares)):
            if taker != giver and shares[giver] - step > step / 2:
                moved = list(shares)
                moved[taker] += step
                moved[giver] -= step
                yield tuple(round(share, 4) for share in moved)
