"""The verb *query*: from a question to quotable passages."""

from collections.abc import Sequence

from citeloom.application.passages import result_item
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.index import Passage
from citeloom.application.searching import Hits, Question, Searcher
from citeloom.domain.fusion import Ranked
from citeloom.domain.retrieval import QueryRequest, QueryResult


class Query:
    """Searches, folds duplicates, marks the best sentences, cites."""

    def __init__(self, *, catalogue: Catalogue, searcher: Searcher) -> None:
        self._catalogue = catalogue
        self._searcher = searcher

    def __call__(self, request: QueryRequest) -> QueryResult:
        project = self._catalogue.project(request.project_id)
        question = Question(
            text=request.query_text, mode=request.mode, filter=request.filter, depth=request.top_k
        )
        with self._searcher.search(project, question) as hits:
            best = _without_repeats(hits, request.top_k)
            sentences = hits.sentence_scores([hit.id for hit, _ in best])
            items = tuple(
                result_item(project, passage, place, hit.relevance, sentences.get(hit.id, ()))
                for place, (hit, passage) in enumerate(best, start=1)
            )
        return QueryResult(
            project=project.id.value,
            query=request.query_text,
            mode=request.mode,
            model=project.embedding_model.name,
            count=len(items),
            items=items,
            warnings=hits.warnings,
        )


def _without_repeats(hits: Hits, wanted: int) -> list[tuple[Ranked, Passage]]:
    """The best ``wanted``; the same words in a second document (or copy of one) are shown
    once. Passages are fetched as far as they are needed."""
    seen: set[str] = set()
    unique: list[tuple[Ranked, Passage]] = []
    step = 2 * wanted
    for start in range(0, len(hits.ranked), step):
        for hit, passage in _fetched(hits, hits.ranked[start : start + step]):
            words = " ".join(passage.chunk.text.split())
            if words not in seen:
                seen.add(words)
                unique.append((hit, passage))
        if len(unique) >= wanted:
            break
    return unique[:wanted]


def _fetched(hits: Hits, ranked: Sequence[Ranked]) -> list[tuple[Ranked, Passage]]:
    passages = {p.chunk.id: p for p in hits.passages([hit.id for hit in ranked])}
    return [(hit, passages[hit.id]) for hit in ranked if hit.id in passages]
