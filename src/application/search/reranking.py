"""Reranking of the top hits by a cross-encoder.

Adjacent passages are reranked as one text: the answering sentences may lie in either, and a
document with many high-ranked passages would else crowd out others.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from citeloom.application.ports.index import Passage
from citeloom.application.ports.models import Reranker
from citeloom.domain.search.neighbours import group_adjacent
from citeloom.domain.search.reranking import RerankerScores, evidence_text

if TYPE_CHECKING:
    from citeloom.application.search.hits import Hits

# A passage, its predecessor and its successor.
_TOGETHER = 3


class Reranking:
    """Reranks the first hits, as many as fit into ``candidates`` texts.

    The number is fixed, not the time, so that results are reproducible.
    """

    def __init__(self, reranker: Reranker, *, candidates: int) -> None:
        self._reranker = reranker
        self._candidates = candidates

    def __call__(self, hits: "Hits", text: str) -> RerankerScores:
        ids = [hit.id for hit in hits.ranked[: _TOGETHER * self._candidates]]
        groups = group_adjacent(ids, hits.positions(ids), self._candidates)
        similarities = hits.sentence_scores([id for group in groups for id in group])
        if not similarities:
            groups = [[id] for id in ids[: self._candidates]]
        depth = sum(map(len, groups))
        passages = {p.chunk.id: p for p in hits.passages(ids[:depth])}
        grouped_passages = [[passages[id] for id in group if id in passages] for group in groups]
        grouped_passages = [group for group in grouped_passages if group]
        texts = [_evidence(group, similarities) for group in grouped_passages]
        read = zip(grouped_passages, self._reranker.rerank(text, texts), strict=True)
        scores = {passage.chunk.id: score for group, score in read for passage in group}
        return RerankerScores(scores, depth)


def _evidence(group: Sequence[Passage], similarities: Mapping[str, Sequence[float]]) -> str:
    """The sentences of these passages most similar to the question, shared ones once; a whole
    passage if it has no sentence vectors."""
    first = group[0]
    title = first.citation.title if first.citation else first.title or ""
    similarity_of: dict[str, float] = {}
    for passage in group:
        text, near = passage.searched or passage.chunk.text, similarities.get(passage.chunk.id, ())
        if passage.sentences and len(passage.sentences) == len(near):
            quotes = [text[span.start : span.end] for span in passage.sentences]
            similarity_of |= zip(quotes, near, strict=True)
        else:
            similarity_of[text] = 1.0
    return evidence_text(title, list(similarity_of), list(similarity_of.values()))
