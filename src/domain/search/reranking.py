"""Input text of the reranker, and the blending of its scores with the first stage's.

The cost of a cross-encoder grows with the text, and the answer to a query is rarely spread
over a whole passage. The reranker therefore reads the title and the few sentences most similar
to the query, the most similar first, so that truncation drops the least similar.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citeloom.domain.projects.fusion_policy import RERANK_WEIGHT
from citeloom.domain.search.fusion import Ranked, min_max, monotone

SENTENCES = 4
CANDIDATES = 20
# The reranker's share of the relevance.
RELEVANCE_SHARE = 0.2
# Characters: a shorter title may begin any sentence ("Methods").
_DISTINCTIVE_TITLE = 16
# Scores nearer to 0 or 1 than this are clipped before the log-odds.
_CLIP = 1e-6


@dataclass(frozen=True, slots=True)
class RerankerScores:
    """Reranker scores in 0..1, by id, of the first ``depth`` hits; none for a passage that was
    deleted meanwhile."""

    by_id: Mapping[str, float]
    depth: int


def reordered(
    ranked: Sequence[Ranked], reranker_scores: RerankerScores, weight: float = RERANK_WEIGHT
) -> list[Ranked]:
    """The reranked hits in their new order, with new scores and relevances, then the others as
    they were. Relevance never rises down the list."""
    depth, by_id = reranker_scores.depth, reranker_scores.by_id
    head = [hit for hit in ranked[:depth] if hit.id in by_id]
    tail = ranked[depth:]
    scores = blend([hit.score for hit in head], [by_id[hit.id] for hit in head], weight)
    # The lowest of the head gets the highest score of the tail.
    floor, low = max((hit.score for hit in tail), default=0.0), min(scores, default=0.0)
    scored = sorted(zip(head, scores, strict=True), key=lambda one: (-one[1], one[0].id))
    return monotone(
        [
            *(
                (hit.id, floor + (score - low), _relevance(hit, by_id[hit.id]))
                for hit, score in scored
            ),
            *((hit.id, hit.score, hit.relevance) for hit in tail),
        ]
    )


def _relevance(hit: Ranked, reranker_score: float) -> float:
    return (1 - RELEVANCE_SHARE) * hit.relevance + RELEVANCE_SHARE * reranker_score


def best_sentences(similarities: Sequence[float], limit: int = SENTENCES) -> list[int]:
    """Indices of the ``limit`` most similar sentences, best first; ties by index."""
    return sorted(range(len(similarities)), key=lambda n: (-similarities[n], n))[:limit]


def evidence_text(
    title: str, sentences: Sequence[str], similarities: Sequence[float], limit: int = SENTENCES
) -> str:
    """The text to rerank: the title (may be empty), then the best sentences, best first.

    ``similarities`` are the cosines of the sentences to the query. The title is removed from
    the start of a sentence, and a sentence that only repeats it is left out. Raises ValueError
    if the two lists differ in length.
    """
    if len(sentences) != len(similarities):
        raise ValueError(f"{len(sentences)} sentences with {len(similarities)} similarities")
    heading = title.strip()
    texts = {n: _without(heading, sentence) for n, sentence in enumerate(sentences)}
    places = [n for n, sentence in texts.items() if sentence]
    best = best_sentences([similarities[n] for n in places], limit)
    if heading and heading[-1] not in ".?!":
        heading += "."
    return " ".join(part for part in (heading, *(texts[places[n]] for n in best)) if part)


def _without(heading: str, sentence: str) -> str:
    sentence = sentence.strip()
    if len(heading) < _DISTINCTIVE_TITLE or not sentence.startswith(heading):
        return sentence
    return sentence[len(heading) :].lstrip(" .")


def blend(
    first_stage: Sequence[float], reranked: Sequence[float], weight: float = RERANK_WEIGHT
) -> list[float]:
    """First-stage and reranker scores of the same candidates, blended; they only order these.

    The first-stage scores are min-max normalised over these candidates; the reranker's (0..1)
    are added as log-odds times ``weight``: independent evidence adds up as log-odds, and a
    constant reranker changes nothing. Raises ValueError for lists of different length.
    """
    if len(first_stage) != len(reranked):
        raise ValueError(f"{len(first_stage)} first scores with {len(reranked)} reranked")
    first = min_max(first_stage)
    return [a + weight * _log_odds(b) for a, b in zip(first, reranked, strict=True)]


def _log_odds(score: float) -> float:
    inner = min(1 - _CLIP, max(_CLIP, score))
    return math.log(inner / (1 - inner))
