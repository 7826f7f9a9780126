"""Selection of hits: near-duplicates folded, documents capped, results diversified."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from citeloom.application.ports.index import Passage
from citeloom.application.search.hits import Hits
from citeloom.domain.search.filters import Field
from citeloom.domain.search.fusion import Ranked
from citeloom.domain.search.request import QueryRequest
from citeloom.domain.search.similarity import (
    LEAST_SHINGLES,
    Shingles,
    are_near_duplicates,
    max_marginal_selection,
    shingles,
)

# Distinct passages from which a diverse result is selected.
_POOL = 50


@dataclass(slots=True)
class SelectedPassage:
    """A passage to show, with its near-duplicates, which are not shown."""

    hit: Ranked
    passage: Passage
    runs: Shingles
    copies: list[Passage] = field(default_factory=list)


def choose(hits: Hits, ranked: Sequence[Ranked], request: QueryRequest) -> list[SelectedPassage]:
    """At most ``top_k`` of ``ranked``, best first. An annotation is replaced by the passage
    that it marks, once, unless the filter names kinds of passages."""
    limit = max(request.top_k, _POOL) if request.diverse else request.top_k
    choices: list[SelectedPassage] = []
    of_document: Counter[str] = Counter()
    candidates = _fetched(hits, ranked, step=2 * request.top_k)
    for hit, passage in (
        candidates if request.filter.names(Field.KIND) else _marked(hits, candidates)
    ):
        runs = shingles(passage.chunk.text)
        same = next((c for c in choices if _say_the_same(c, passage, runs)), None)
        if same is not None:
            same.copies.append(passage)
            continue
        document = passage.chunk.doc_id
        if request.per_document is not None and of_document[document] >= request.per_document:
            continue
        if len(choices) == limit:
            break
        of_document[document] += 1
        choices.append(SelectedPassage(hit, passage, runs))
    return _varied(hits, choices, request.top_k) if request.diverse else choices


def _say_the_same(choice: SelectedPassage, passage: Passage, runs: Shingles) -> bool:
    """Whether two passages are near-duplicates. Passages of one document overlap by design and
    count as such only if their words are equal."""
    if choice.passage.chunk.doc_id == passage.chunk.doc_id:
        return choice.passage.chunk.text.split() == passage.chunk.text.split()
    return are_near_duplicates(choice.runs, runs, LEAST_SHINGLES)


def _fetched(
    hits: Hits, ranked: Sequence[Ranked], *, step: int
) -> Iterator[tuple[Ranked, Passage]]:
    """Ranked hits with their passages, fetched lazily."""
    for start in range(0, len(ranked), step):
        part = ranked[start : start + step]
        passages = {p.chunk.id: p for p in hits.passages([hit.id for hit in part])}
        yield from ((hit, passages[hit.id]) for hit in part if hit.id in passages)


def _marked(
    hits: Hits, candidates: Iterable[tuple[Ranked, Passage]]
) -> Iterator[tuple[Ranked, Passage]]:
    for hit, passage in candidates:
        if (marked := hits.marked(hit.id, passage)) is None:
            yield hit, passage
        else:
            yield Ranked(marked.chunk.id, hit.score, hit.relevance), marked


def _varied(hits: Hits, choices: Sequence[SelectedPassage], limit: int) -> list[SelectedPassage]:
    by_id = {choice.hit.id: choice for choice in choices}
    top = max((choice.hit.score for choice in choices), default=0.0) or 1.0
    scores = {id: choice.hit.score / top for id, choice in by_id.items()}
    vectors = hits.vectors(list(by_id))
    return [by_id[id] for id in max_marginal_selection(list(by_id), scores, vectors, limit)]
