"""What a reranker reads of a candidate, and how its score joins the first stage's.

A reranker reads a pair of query and text at a cost that grows with the text, and what answers
a query is rarely spread over a whole passage. It is therefore given the title and the few
sentences that are most like the query, in the order in which they stand.
"""

from collections.abc import Sequence

SENTENCES = 3
CANDIDATES = 30
# Half and half is best on SciFact's training claims by cross-validation, and nearly flat
# from 0.4 to 0.6 (see training/reranker/README.md).
RERANK_WEIGHT = 0.5


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

    The first stage's are stretched to 0..1 over these candidates, as fusion does over its
    pool; the reranker's are calibrated and stay as they are. Candidates that are all equal to
    the first stage keep its score. Raises ValueError for lists of different length.
    """
    if len(first_stage) != len(reranked):
        raise ValueError(f"{len(first_stage)} first scores with {len(reranked)} reranked")
    if not first_stage:
        return []
    low, high = min(first_stage), max(first_stage)
    stretched = [(s - low) / (high - low) for s in first_stage] if high > low else first_stage
    return [(1 - weight) * s + weight * r for s, r in zip(stretched, reranked, strict=True)]
