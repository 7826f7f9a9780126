"""Searching fusion weights: over what one search of each question found, nothing is asked
again. All of it is a pure function of scores, weights and judgments."""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.evaluation.dataset import Judgments
from citeloom.domain.projects.fusion_policy import FusionPolicy
from citeloom.domain.search.fusion import Mode, Scored, policy_for, rank
from citeloom.domain.search.reranking import SecondLook, reordered

Weights = Mapping[str, float]

_LOOK = "rerank_weight"
_SIDES = ("dense_weight", "sentence_weight", "sparse_weight")

#: Weights are tried on a grid of tenths, then the best ones moved by ever smaller steps.
_COARSE = 10
_FINER = (0.05, 0.025)
#: What a second look may count; 0 leaves the order as it is.
_LOOKS = (0.0, 0.03, 0.06, 0.08, 0.12, 0.17, 0.25, 0.35, 0.5, 0.7, 1.0, 1.5)
#: Less than this is no gain: a thousand questions do not tell it from chance.
_GAIN = 1e-4


@dataclass(frozen=True, slots=True)
class Pool:
    """The candidates of one question, and the records that each passage belongs to (copies
    of one document have several). ``look`` is what a second look at the best of them said."""

    candidates: Sequence[Scored]
    records: Mapping[str, Sequence[str]]
    look: SecondLook | None = None
    question: str = ""


def weights_of(policy: FusionPolicy) -> Weights:
    """The weights of a policy's sides by their names, summing to 1."""
    total = sum(getattr(policy, name) for name in _SIDES)
    return {name: getattr(policy, name) / total for name in _SIDES}


def with_weights(policy: FusionPolicy, weights: Weights) -> FusionPolicy:
    return FusionPolicy.model_validate({**policy.model_dump(), **weights})


def rank_records(pool: Pool, policy: FusionPolicy, depth: int) -> list[str]:
    """Records by their best passage, best first."""
    policy = policy_for(pool.question, policy)
    ranked = rank(pool.candidates, Mode.HYBRID, policy)
    if pool.look is not None:
        ranked = reordered(ranked, pool.look, policy.rerank_weight)
    return best_records((pool.records.get(hit.id, ()) for hit in ranked), depth)


def best_records(ranked: Iterable[Sequence[str]], depth: int) -> list[str]:
    """Records in the order of their first passages, each once, at most ``depth``."""
    found: dict[str, None] = {}
    for records in ranked:
        found.update(dict.fromkeys(records))
        if len(found) >= depth:
            break
    return list(found)[:depth]


def mean_ndcg(
    judgments: Judgments, rankings: Mapping[str, Sequence[str]], depth: int = 10
) -> float:
    """Mean nDCG at ``depth`` over the questions of ``judgments``: gain is the relevance,
    discount log2 (Järvelin & Kekäläinen 2002)."""
    total = 0.0
    for question, judged in judgments.items():
        found = [judged.get(record, 0) for record in rankings.get(question, ())[:depth]]
        best = sorted(judged.values(), reverse=True)[:depth]
        total += _gain(found) / _gain(best)
    return total / len(judgments)


def split_judgments(
    judgments: Judgments, *, share: float = 0.5, seed: int = 0
) -> tuple[Judgments, Judgments]:
    """Questions to search on and questions to try the outcome on; always the same ones."""
    ids = sorted(judgments)
    random.Random(seed).shuffle(ids)
    cut = round(len(ids) * share)
    train, held_out = ids[:cut], ids[cut:]
    return {id: judgments[id] for id in train}, {id: judgments[id] for id in held_out}


def search_weights(start: Weights, score: Callable[[Weights], float]) -> dict[str, float]:
    """The weights (positive, summing to 1) with the highest ``score``.

    A grid over all mixtures, then steps from the best one towards each side. What gains
    nothing over ``start`` is left: it comes back unchanged.
    """
    names = sorted(start)
    known: dict[tuple[float, ...], float] = {}

    def tried(shares: tuple[float, ...]) -> float:
        if shares not in known:
            known[shares] = score(dict(zip(names, shares, strict=True)))
        return known[shares]

    best = max(_mixtures(len(names)), key=tried)
    for step in _FINER:
        while (better := max(_moved(best, step), key=tried, default=best)) and (
            tried(better) > tried(best)
        ):
            best = better
    if tried(best) < score(start) + _GAIN:
        return dict(start)
    return dict(zip(names, best, strict=True))


def look_weight_of(policy: FusionPolicy) -> Weights:
    """What a second look counts by a policy, under its name."""
    return {_LOOK: policy.rerank_weight}


def search_look(start: Weights, score: Callable[[Weights], float]) -> dict[str, float]:
    """The weight of a second look with the highest ``score``, the smallest of equal ones; that
    of ``start`` where none gains anything over it."""
    best = max(({_LOOK: weight} for weight in _LOOKS), key=score)
    return best if score(best) >= score(start) + _GAIN else dict(start)


def _mixtures(count: int, left: int = _COARSE) -> Iterator[tuple[float, ...]]:
    """All ways to give tenths to ``count`` sides, at least one to each."""
    if count == 1:
        yield (left / _COARSE,)
        return
    for first in range(1, left - count + 2):
        for rest in _mixtures(count - 1, left - first):
            yield (first / _COARSE, *rest)


def _moved(shares: tuple[float, ...], step: float) -> Iterator[tuple[float, ...]]:
    """One side takes ``step`` from another."""
    for taker in range(len(shares)):
        for giver in range(len(shares)):
            if taker != giver and shares[giver] - step > step / 2:
                moved = list(shares)
                moved[taker] += step
                moved[giver] -= step
                yield tuple(round(share, 4) for share in moved)


def _gain(relevances: Sequence[int]) -> float:
    return sum(
        max(0, relevance) / math.log2(place + 1)
        for place, relevance in enumerate(relevances, start=1)
    )
