"""The second look at the best hits: question and evidence are read together.

Passages that stand next to each other are read as one: the sentences that answer may lie in
either, and a document whose passages all rank high would else be read several times in the
place of others.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from citeloom.application.ports.index import Passage
from citeloom.application.ports.reranker import Reranker
from citeloom.domain.fusion import Ranked
from citeloom.domain.reranking import RELEVANCE_SHARE, RERANK_WEIGHT, blend, evidence_text
from citeloom.domain.surroundings import side_by_side

if TYPE_CHECKING:
    from citeloom.application.searching import Hits

# A passage and those directly before and after it.
_TOGETHER = 3


class Reranking:
    """Reorders the first hits, as many as are read in ``candidates`` texts; those after them
    stay behind, as they were.

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
        ids = [hit.id for hit in hits.ranked[: _TOGETHER * self._candidates]]
        groups = side_by_side(ids, hits.positions(ids), self._candidates)
        similarities = hits.sentence_scores([id for group in groups for id in group])
        if not similarities:
            groups = [[id] for id in ids[: self._candidates]]
        reach = sum(map(len, groups))
        passages = {p.chunk.id: p for p in hits.passages(ids[:reach])}
        there = [[passages[id] for id in group if id in passages] for group in groups]
        there = [group for group in there if group]
        texts = [_evidence(group, similarities) for group in there]
        read = dict(zip(map(_ids, there), self._reranker.rerank(text, texts), strict=True))
        answers = {id: answer for group, answer in read.items() for id in group}
        head = [hit for hit in hits.ranked[:reach] if hit.id in answers]
        behind = hits.ranked[reach:]
        return _falling(self._mixed(head, answers, behind) + list(behind))

    def _mixed(
        self, head: Sequence[Ranked], answers: Mapping[str, float], behind: Sequence[Ranked]
    ) -> list[Ranked]:
        second = [answers[hit.id] for hit in head]
        scores = blend([hit.score for hit in head], second, self._weight)
        relevances = [
            (1 - RELEVANCE_SHARE) * hit.relevance + RELEVANCE_SHARE * answer
            for hit, answer in zip(head, second, strict=True)
        ]
        order = sorted(range(len(head)), key=lambda n: (-scores[n], head[n].id))
        # None of the head below what stays behind it.
        floor = max((hit.score for hit in behind), default=0.0) - min(scores, default=0.0)
        return [Ranked(head[n].id, floor + scores[n], relevances[n]) for n in order]


def _ids(group: Sequence[Passage]) -> tuple[str, ...]:
    return tuple(passage.chunk.id for passage in group)


def _evidence(group: Sequence[Passage], similarities: Mapping[str, Sequence[float]]) -> str:
    """The sentences of these passages closest to the question, one that two of them share
    counted once; a whole passage where they are not known."""
    first = group[0]
    title = first.citation.title if first.citation else first.title or ""
    found: dict[str, float] = {}
    for passage in group:
        text, near = passage.searched or passage.chunk.text, similarities.get(passage.chunk.id, ())
        if passage.sentences and len(passage.sentences) == len(near):
            quotes = [text[span.start : span.end] for span in passage.sentences]
            found |= zip(quotes, near, strict=True)
        else:
            found[text] = 1.0
    return evidence_text(title, list(found), list(found.values()))


def _falling(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Relevance never rises down the list."""
    falling, ceiling = [], 1.0
    for hit in ranked:
        ceiling = min(ceiling, hit.relevance)
        falling.append(Ranked(hit.id, hit.score, ceiling))
    return falling
