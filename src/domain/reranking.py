"""What a reranker reads of a candidate, and how its score joins the first stage's.

A reranker reads a pair of query and text at a cost that grows with the text, and what answers
a query is rarely spread over a whole passage. It is therefore given the title and the few
sentences that are most like the query, in the order in which they stand.
"""

import math
from collections.abc import Sequence

SENTENCES = 3
# Ten more cost half as much time again and changed nothing beyond chance (MODEL_CARD.md).
CANDIDATES = 20
# On held-out training claims of SciFact 0.2 to 0.4 differ little (the bundled model's
# MODEL_CARD.md); out of domain 0.3 may cost quality, and 0.4 does.
RERANK_WEIGHT = 0.2
# Log-odds of scores nearer to 0 or 1 than this are cut.
_EDGE = 1e-6


def best_sentences(similarities: Sequence[float], limit: int = SENTENCES) -> list[int]:
    """Places of the ``limit`` most similar sentences, ascending; of equal ones the first."""
    ranked = sorted(range(len(similarities)), key=lambda place: (-similarities[place], place))
    return sorted(ranked[:limit])


def evidence_text(
    title: str, sentences: Sequence[str], similarities: Sequence[float], limit: int = SENTENCES
) -> str:
    """The text to rerank: the title (may be empty), then the best sentences in their order.

    ``similarities`` has one number for each sentence, its cosine to the query. Raises
    ValueError where the two differ in length.
    """
    if len(sentences) != len(similarities):
        raise ValueError(f"{len(sentences)} sentences with {len(similarities)} similarities")
    chosen = [sentences[place].strip() for place in best_sentences(similarities, limit)]
    heading = title.strip()
    if heading and heading[-1] not in ".?!":
        heading += "."
    return " ".join(part for part in (heading, *chosen) if part)


def blend(
    first_stage: Sequence[float], reranked: Sequence[float], weight: float = RERANK_WEIGHT
) -> list[float]:
    """Scores 0..1 of the same candidates, mixed; ``weight`` (0..1) is the reranker's share.

    Both sides are stretched to 0..1 over these candidates, the reranker's (0..1) as log-odds:
    near 0 and 1, where most of them lie, equal steps there are equal steps of evidence. Where
    all are equal to one side, the other decides alone. Raises ValueError for lists of
    different length.
    """
    if len(first_stage) != len(reranked):
        raise ValueError(f"{len(first_stage)} first scores with {len(reranked)} reranked")
    first = _stretched(first_stage)
    second = _stretched([_log_odds(score) for score in reranked])
    if first is None and second is None:
        return list(first_stage)
    if first is None or second is None:
        return second or first or []
    return [(1 - weight) * a + weight * b for a, b in zip(first, second, strict=True)]


def _stretched(scores: Sequence[float]) -> list[float] | None:
    """Min-max to 0..1; None where there is no range."""
    if not scores or not max(scores) > min(scores):
        return None
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) for score in scores]


def _log_odds(score: float) -> float:
    inner = min(1 - _EDGE, max(_EDGE, score))
    return math.log(inner / (1 - inner))
