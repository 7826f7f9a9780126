"""In-memory adapter of port ``Index``: exhaustive search over a dictionary."""

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from citeloom.application.ports.index import (
    CollectionInfo,
    EmbeddedPassage,
    Passage,
    SparseVector,
)
from citeloom.domain.annotations import Mark
from citeloom.domain.citation.metadata import CitationMeta, relabelled
from citeloom.domain.documents.spans import ChunkPosition
from citeloom.domain.errors import IndexUnavailable, ShardBusy
from citeloom.domain.search.filters import Clause, Field, Filter
from citeloom.domain.search.fusion import Scored
from citeloom.infrastructure.search.payload import (
    INTEGERS,
    KEYWORDS,
    PAYLOAD_KEY,
    check_dimension,
    check_vectors,
    to_payload,
)


@dataclass(slots=True)
class _Point:
    passage: Passage
    payload: Mapping[str, Any]
    dense: tuple[float, ...]
    sparse: dict[int, float]
    sentences: tuple[tuple[float, ...], ...]


@dataclass(slots=True)
class InMemoryCollection:
    """Passages in a dictionary; every search scores all of them."""

    dimension: int
    _points: dict[str, _Point] = field(default_factory=dict, repr=False)

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        check_vectors(passages, self.dimension)
        self.delete_documents([document_id])
        for each in passages:
            self._points[each.passage.chunk.id] = _Point(
                each.passage,
                to_payload(each.passage),
                _unit(each.dense),
                dict(zip(each.sparse.indices, each.sparse.values, strict=True)),
                tuple(map(_unit, each.sentences)),
            )

    def annotate(
        self,
        document_id: str,
        passages: Sequence[EmbeddedPassage],
        marks: Mapping[str, Sequence[Mark]],
    ) -> None:
        check_vectors(passages, self.dimension)
        text_passages = [e for e in self.export(document_id) if e.passage.annotation is None]
        marked_passages = [
            replace(
                e,
                passage=e.passage.model_copy(
                    update={"marks": tuple(marks.get(e.passage.chunk.id, ()))}
                ),
            )
            for e in text_passages
        ]
        self.replace_document(document_id, [*marked_passages, *passages])

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        removed_ids = set(document_ids)
        self._points = {
            id: point
            for id, point in self._points.items()
            if point.passage.chunk.doc_id not in removed_ids
        }

    def set_citation(
        self, document_id: str, citation: CitationMeta | None, source_path: str
    ) -> None:
        for point in self._points.values():
            if point.passage.chunk.doc_id == document_id:
                point.passage = point.passage.model_copy(
                    update={"citation": citation, "source_path": source_path}
                )
                point.payload = to_payload(point.passage)

    def set_page_labels(self, document_id: str, labels: Mapping[int, str | None]) -> bool:
        changed = False
        for point in self._points.values():
            chunk = point.passage.chunk
            if (
                chunk.doc_id != document_id
                or (relabelled_chunk := relabelled(chunk, labels)) is chunk
            ):
                continue
            point.passage = point.passage.model_copy(update={"chunk": relabelled_chunk})
            point.payload = to_payload(point.passage)
            changed = True
        return changed

    def set_sparse(self, vectors: Mapping[str, SparseVector]) -> None:
        for id, vector in vectors.items():
            if point := self._points.get(id):
                point.sparse = dict(zip(vector.indices, vector.values, strict=True))

    def search(
        self,
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        filter: Filter,
        limit: int,
        among: AbstractSet[str] | None = None,
    ) -> list[Scored]:
        if dense is not None:
            check_dimension(dense, self.dimension)
        rankings: list[dict[str, float]] = []
        cosines = self._cosines(dense) if dense is not None else {}
        bm25 = self._bm25(sparse) if sparse is not None else {}
        for scores in (cosines, bm25):
            passing = [
                id
                for id in scores
                if (among is None or id in among) and matches(self._points[id].payload, filter)
            ]
            nearest = sorted(passing, key=lambda id: (-scores[id], id))[: max(0, limit)]
            rankings.append(dict.fromkeys(nearest, 0.0))
        pool = dict.fromkeys(id for ranking in rankings for id in ranking)
        by_sentence = self.sentence_scores(dense, list(pool)) if dense is not None else {}
        best_sentence = {id: max(values) for id, values in by_sentence.items()}
        return [Scored(id, cosines.get(id), bm25.get(id), best_sentence.get(id)) for id in pool]

    def fetch(self, ids: Sequence[str]) -> list[Passage]:
        return [self._points[id].passage for id in ids if id in self._points]

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        passages = [self._points[id].passage for id in ids if id in self._points]
        chunks = [passage.chunk for passage in passages if passage.annotation is None]
        return {chunk.id: ChunkPosition(chunk.doc_id, chunk.chunk_idx) for chunk in chunks}

    def sentence_scores(
        self, dense: Sequence[float], ids: Sequence[str]
    ) -> Mapping[str, Sequence[float]]:
        query = _unit(dense)
        points = {id: self._points[id] for id in ids if id in self._points}
        return {
            id: [_dot(query, sentence) for sentence in point.sentences]
            for id, point in points.items()
            if point.sentences
        }

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        return {id: self._points[id].dense for id in ids if id in self._points}

    def passages(self, document_id: str | None = None) -> Iterator[Passage]:
        selected = [
            point.passage
            for point in self._points.values()
            if document_id is None or point.passage.chunk.doc_id == document_id
        ]
        yield from sorted(selected, key=lambda each: (each.chunk.doc_id, each.chunk.chunk_idx))

    def export(self, document_id: str | None = None) -> Iterator[EmbeddedPassage]:
        for passage in self.passages(document_id):
            point = self._points[passage.chunk.id]
            terms = sorted(point.sparse)
            sparse = SparseVector(terms, [point.sparse[term] for term in terms])
            yield EmbeddedPassage(passage, point.dense, sparse, point.sentences)

    def counts(self) -> Mapping[str, int]:
        return Counter(point.passage.chunk.doc_id for point in self._points.values())

    def count(self) -> int:
        return len(self._points)

    def info(self) -> CollectionInfo:
        return CollectionInfo(
            points=len(self._points),
            documents=len(self.counts()),
            indexed_fields=tuple(sorted((*KEYWORDS, *INTEGERS))),
        )

    def flush(self) -> None:
        """Does nothing: this index is never durable."""

    def compact(self) -> bool:
        """Does nothing: a removed passage leaves nothing behind."""
        return False

    def _cosines(self, query: Sequence[float]) -> dict[str, float]:
        unit = _unit(query)
        return {id: _dot(unit, point.dense) for id, point in self._points.items()}

    def _bm25(self, query: SparseVector) -> dict[str, float]:
        """The scores of all points that have a term of the query. idf(t) is ln(1 + (N - n + 0.5) /
        (n + 0.5)) over all N points, filtered or not, as in Qdrant."""
        total = len(self._points)
        scores: dict[str, float] = {}
        for term, weight in zip(query.indices, query.values, strict=True):
            matching = {id: p.sparse[term] for id, p in self._points.items() if term in p.sparse}
            idf = math.log(1 + (total - len(matching) + 0.5) / (len(matching) + 0.5))
            for id, value in matching.items():
                scores[id] = scores.get(id, 0.0) + weight * idf * value
        return scores


class InMemoryIndex:
    """Collections in a dictionary; one thread at a time has the index open."""

    wait_seconds = 30.0

    def __init__(self) -> None:
        self._collections: dict[str, InMemoryCollection] = {}
        self._lock = threading.RLock()

    @contextmanager
    def open(
        self, collection: str, *, dimension: int, writing: bool = False
    ) -> Iterator[InMemoryCollection]:
        if not self._lock.acquire(timeout=self.wait_seconds):
            raise ShardBusy(f"{collection}: the index is in use; try again", collection=collection)
        try:
            opened = self._collections.setdefault(collection, InMemoryCollection(dimension))
            if opened.dimension != dimension:
                raise IndexUnavailable(
                    f"{collection}: its vectors have {opened.dimension} dimensions, "
                    f"not {dimension}; ask with the model of the project",
                    collection=collection,
                )
            yield opened
        finally:
            self._lock.release()

    def exists(self, collection: str) -> bool:
        return collection in self._collections

    def optimize(
        self, collection: str, *, dimension: int, on_start: Callable[[], None] | None = None
    ) -> bool:
        return False

    @contextmanager
    def renewal(self, collection: str, *, dimension: int) -> Iterator["InMemoryIndex"]:
        beside = InMemoryIndex()
        with beside.open(collection, dimension=dimension) as renewed:
            pass
        yield beside
        self._collections[collection] = renewed

    def condition(self, collection: str, *, try_write: bool = False) -> None:
        return None

    def drop(self, collection: str) -> None:
        self._collections.pop(collection, None)

    def close(self) -> None:
        """Does nothing: no other process can see this index."""


def matches(payload: Mapping[str, Any], filter: Filter) -> bool:
    """Whether a passage with this payload passes the filter: the reference for the engines'
    filters."""
    return all(_matches_clause(payload, clause) is not clause.negated for clause in filter.clauses)


def _matches_clause(payload: Mapping[str, Any], clause: Clause) -> bool:
    if clause.field is Field.YEAR:
        return _overlaps(payload["year"], payload["year"], clause)
    if clause.field is Field.PAGE:
        return _overlaps(payload["page_start"], payload["page_end"], clause)
    value = payload[PAYLOAD_KEY[clause.field]]
    values = value if isinstance(value, list) else [value]
    return any(one in clause.values for one in values if one is not None)


def _overlaps(first: int | None, last: int | None, clause: Clause) -> bool:
    if first is None or last is None:
        return False
    return any(
        (range.low is None or last >= range.low) and (range.high is None or first <= range.high)
        for range in clause.ranges
    )


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _unit(vector: Sequence[float]) -> tuple[float, ...]:
    length = math.sqrt(sum(x * x for x in vector))
    return tuple(float(x) / length for x in vector) if length else tuple(map(float, vector))
