"""The second look at the best hits: question and evidence are read together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citeloom.application.ports.index import Passage
from citeloom.application.ports.reranker import Reranker
from citeloom.domain.fusion import Ranked
from citeloom.domain.reranking import RERANK_WEIGHT, blend, evidence_text

if TYPE_CHECKING:
    from citeloom.application.searching import Hits


class Reranking:
    """Reorders the first ``candidates`` hits; those after them stay behind, as they were.

    The number is fixed, not the time: the same question always gets the same answer.
    """

    def __init__(
        self, reranker: Reranker, *, candidates: int, weight: float = RERANK_WEIGHT
    ) -> None:
        self._reranker = reranker
        self._candidates = candidates
        self._weight = weight

    def __call__(self, hits: "Hits", text: str) -> list[Ranked]:
        """All of ``hits.ranked`` in their new order, with new scores and relevances."""
        head = hits.ranked[: self._candidates]
        ids = [hit.id for hit in head]
        passages = {p.chunk.id: p for p in hits.passages(ids)}
        head = [hit for hit in head if hit.id in passages]
        similarities = hits.sentence_scores([hit.id for hit in head])
        texts = [_evidence(passages[hit.id], similarities.get(hit.id, ())) for hit in head]
        answers = self._reranker.rerank(text, texts)
        scores = blend([hit.score for hit in head], answers, self._weight)
        mixed = [
            (1 - self._weight) * hit.relevance + self._weight * answer
            for hit, answer in zip(head, answers, strict=True)
        ]
        order = sorted(range(len(head)), key=lambda n: (-scores[n], head[n].id))
        return _falling(
            [Ranked(head[n].id, 1 + scores[n], mixed[n]) for n in order]
            + list(hits.ranked[self._candidates :])
        )


def _evidence(passage: Passage, similarities: Sequence[float]) -> str:
    """The sentences closest to the question; the whole passage where they are not known."""
    text, spans = passage.searched or passage.chunk.text, passage.sentences
    title = passage.citation.title if passage.citation else passage.title or ""
    if not spans or len(spans) != len(similarities):
        return evidence_text(title, [text], [1.0])
    return evidence_text(title, [text[s.start : s.end] for s in spans], similarities)


def _falling(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Relevance never rises down the list."""
    falling, ceiling = [], 1.0
    for hit in ranked:
        ceiling = min(ceiling, hit.relevance)
        falling.append(Ranked(hit.id, hit.score, ceiling))
    return falling
