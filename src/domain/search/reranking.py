"""What a reranker reads of a candidate, and how its score joins the first stage's.

A reranker reads a pair of query and text at a cost that grows with the text, and what answers
a query is rarely spread over a whole passage. It is therefore given the title and the few
sentences that are most like the query, the likest first: where there is no room for all, the
least like goes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.projects.fusion_policy import RERANK_WEIGHT
from citeloom.domain.search.fusion import Ranked

SENTENCES = 4
CANDIDATES = 20
# The reranker's part of the relevance that is shown.
RELEVANCE_SHARE = 0.2
# A shorter title may be the beginning of any sentence ("Methods").
_TELLING = 16
# Log-odds of scores nearer to 0 or 1 than this are cut.
_EDGE = 1e-6


@dataclass(frozen=True, slots=True)
class SecondLook:
    """What a reranker says of the first ``reach`` hits: a score in 0..1 by their ids; none for
    one that was removed meanwhile."""

    answers: Mapping[str, float]
    reach: int


def reordered(
    ranked: Sequence[Ranked], look: SecondLook, weight: float = RERANK_WEIGHT
) -> list[Ranked]:
    """The hits after a second look: those that were read in their new order, with new scores
    and relevances, and the others behind them as they were. Relevance never rises down the
    list."""
    head = [hit for hit in ranked[: look.reach] if hit.id in look.answers]
    behind = ranked[look.reach :]
    second = [look.answers[hit.id] for hit in head]
    scores = blend([hit.score for hit in head], second, weight)
    order = sorted(range(len(head)), key=lambda n: (-scores[n], head[n].id))
    # None of the head below what stays behind it.
    floor, low = max((hit.score for hit in behind), default=0.0), min(scores, default=0.0)
    read = [
        Ranked(head[n].id, floor + (scores[n] - low), _shown(head[n].relevance, second[n]))
        for n in order
    ]
    return _falling([*read, *behind])


def _shown(relevance: float, answer: float) -> float:
    return (1 - RELEVANCE_SHARE) * relevance + RELEVANCE_SHARE * answer


def _falling(ranked: Sequence[Ranked]) -> list[Ranked]:
    falling, ceiling = [], 1.0
    for hit in ranked:
        ceiling = min(ceiling, hit.relevance)
        falling.append(Ranked(hit.id, hit.score, ceiling))
    return falling


def best_sentences(similarities: Sequence[float], limit: int = SENTENCES) -> list[int]:
    """Places of the ``limit`` most similar sentences, best first; of equal ones the first."""
    return sorted(range(len(similarities)), key=lambda n: (-similarities[n], n))[:limit]


def evidence_text(
    title: str, sentences: Sequence[str], similarities: Sequence[float], limit: int = SENTENCES
) -> str:
    """The text to rerank: the title (may be empty), then the best sentences, best first.

    ``similarities`` has one number for each sentence, its cosine to the query. A sentence that
    repeats the title is left out, and of one that begins with it, the title. Raises ValueError
    where the two differ in length.
    """
    if len(sentences) != len(similarities):
        raise ValueError(f"{len(sentences)} sentences with {len(similarities)} similarities")
    heading = title.strip()
    told = {n: _without(heading, sentence) for n, sentence in enumerate(sentences)}
    places = [n for n, sentence in told.items() if sentence]
    best = best_sentences([similarities[n] for n in places], limit)
    if heading and heading[-1] not in ".?!":
        heading += "."
    return " ".join(part for part in (heading, *(told[places[n]] for n in best)) if part)


def _without(heading: str, sentence: str) -> str:
    sentence = sentence.strip()
    if len(heading) < _TELLING or not sentence.startswith(heading):
        return sentence
    return sentence[len(heading) :].lstrip(" .")


def blend(
    first_stage: Sequence[float], reranked: Sequence[float], weight: float = RERANK_WEIGHT
) -> list[float]:
    """Scores of the same candidates, mixed; they order these, and mean nothing elsewhere.

    The first stage's are stretched to 0..1 over these candidates; the reranker's (0..1) are
    added as log-odds, ``weight`` for each unit: evidence of two kinds adds up as log-odds, and
    a reranker that sees no difference then changes nothing. Raises ValueError for lists of
    different length.
    """
    if len(first_stage) != len(reranked):
        raise ValueError(f"{len(first_stage)} first scores with {len(reranked)} reranked")
    first = _stretched(first_stage)
    return [a + weight * _log_odds(b) for a, b in zip(first, reranked, strict=True)]


def _stretched(scores: Sequence[float]) -> list[float]:
    """Min-max to 0..1; all 0 where there is no range."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]


def _log_odds(score: float) -> float:
    inner = min(1 - _EDGE, max(_EDGE, score))
    return math.log(inner / (1 - inner))
