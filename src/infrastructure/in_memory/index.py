"""The index in memory: the same answers by plain arithmetic, gone with the process."""

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from citeloom.application.ports.index import (
    CandidatePassage,
    CollectionInfo,
    EmbeddedPassage,
    Passage,
    SparseVector,
)
from citeloom.domain.annotations.annotation import Mark
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.citation.page_labels import relabelled
from citeloom.domain.documents.chunk import ChunkPosition
from citeloom.domain.errors import IndexUnavailable, ShardBusy
from citeloom.domain.search.filters import Clause, Field, Filter
from citeloom.infrastructure.search.edge.filters import PAYLOAD_KEY
from citeloom.infrastructure.search.payload import (
    INTEGERS,
    KEYWORDS,
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
class MemoryCollection:
    """All passages in a dict; every search scores every one of them."""

    dimension: int
    _points: dict[str, _Point] = field(default_factory=dict, repr=False)

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        for each in passages:
            check_vectors(each, self.dimension)
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
        for each in passages:
            check_vectors(each, self.dimension)
        others = [e for e in self.export(document_id) if e.passage.annotation is None]
        remarked = [
            replace(
                e,
                passage=e.passage.model_copy(
                    update={"marks": tuple(marks.get(e.passage.chunk.id, ()))}
                ),
            )
            for e in others
        ]
        self.replace_document(document_id, [*remarked, *passages])

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        gone = set(document_ids)
        self._points = {
            id: point
            for id, point in self._points.items()
            if point.passage.chunk.doc_id not in gone
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
            if chunk.doc_id != document_id or (after := relabelled(chunk, labels)) is chunk:
                continue
            point.passage = point.passage.model_copy(update={"chunk": after})
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
    ) -> list[CandidatePassage]:
        if dense is not None:
            check_dimension(dense, self.dimension)
        sides: list[dict[str, float]] = []
        cosines = self._cosines(dense) if dense is not None else {}
        bm25 = self._bm25(sparse) if sparse is not None else {}
        for side in (cosines, bm25):
            let_through = [
                id
                for id in side
                if (among is None or id in among) and matches(self._points[id].payload, filter)
            ]
            nearest = sorted(let_through, key=lambda id: (-side[id], id))[: max(0, limit)]
            sides.append(dict.fromkeys(nearest, 0.0))
        pool = dict.fromkeys(id for side in sides for id in side)
        by_sentence = self.sentence_scores(dense, list(pool)) if dense is not None else {}
        best = {id: max(scores) for id, scores in by_sentence.items()}
        return [CandidatePassage(id, cosines.get(id), bm25.get(id), best.get(id)) for id in pool]

    def fetch(self, ids: Sequence[str]) -> list[Passage]:
        return [self._points[id].passage for id in ids if id in self._points]

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        found = [self._points[id].passage for id in ids if id in self._points]
        chunks = [passage.chunk for passage in found if passage.annotation is None]
        return {chunk.id: ChunkPosition(chunk.doc_id, chunk.chunk_idx) for chunk in chunks}

    def sentence_scores(
        self, dense: Sequence[float], ids: Sequence[str]
    ) -> Mapping[str, Sequence[float]]:
        asked = _unit(dense)
        points = {id: self._points[id] for id in ids if id in self._points}
        return {
            id: [_dot(asked, sentence) for sentence in point.sentences]
            for id, point in points.items()
            if point.sentences
        }

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        return {id: self._points[id].dense for id in ids if id in self._points}

    def passages(self, document_id: str | None = None) -> Iterator[Passage]:
        chosen = [
            point.passage
            for point in self._points.values()
            if document_id is None or point.passage.chunk.doc_id == document_id
        ]
        yield from sorted(chosen, key=lambda each: (each.chunk.doc_id, each.chunk.chunk_idx))

    def export(self, document_id: str | None = None) -> Iterator[EmbeddedPassage]:
        for passage in self.passages(document_id):
            point = self._points[passage.chunk.id]
            terms = sorted(point.sparse)
            sparse = SparseVector(terms, [point.sparse[term] for term in terms])
            yield EmbeddedPassage(passage, point.dense, sparse, point.sentences)

    def counts(self) -> Mapping[str, int]:
        return Counter(point.passage.chunk.doc_id for point in self._points.values())

    def info(self) -> CollectionInfo:
        return CollectionInfo(
            points=len(self._points),
            documents=len(self.counts()),
            indexed_fields=tuple(sorted((*KEYWORDS, *INTEGERS))),
        )

    def flush(self) -> None:
        """Nothing to do: this index is never durable."""

    def compact(self) -> bool:
        """Nothing to do: a removed passage leaves nothing behind."""
        return False

    def _cosines(self, query: Sequence[float]) -> dict[str, float]:
        asked = _unit(query)
        return {id: _dot(asked, point.dense) for id, point in self._points.items()}

    def _bm25(self, query: SparseVector) -> dict[str, float]:
        """The scores of all points that have a term of the query. idf(t) is
        ln(1 + (N - n + 0.5) / (n + 0.5)) over all N points, filtered or not, as in Qdrant."""
        total = len(self._points)
        scores: dict[str, float] = {}
        for term, weight in zip(query.indices, query.values, strict=True):
            having = {id: p.sparse[term] for id, p in self._points.items() if term in p.sparse}
            idf = math.log(1 + (total - len(having) + 0.5) / (len(having) + 0.5))
            for id, value in having.items():
                scores[id] = scores.get(id, 0.0) + weight * idf * value
        return scores


class MemoryIndex:
    """Collections in a dict. Threads take turns by the ``with``."""

    def __init__(self) -> None:
        self._collections: dict[str, MemoryCollection] = {}
        self._turn = threading.RLock()

    @contextmanager
    def open(
        self, collection: str, *, dimension: int, wait_seconds: float = 30.0
    ) -> Iterator[MemoryCollection]:
        if not self._turn.acquire(timeout=wait_seconds):
            raise ShardBusy(f"{collection}: the index is in use; try again", collection=collection)
        try:
            opened = self._collections.setdefault(collection, MemoryCollection(dimension))
            if opened.dimension != dimension:
                raise IndexUnavailable(
                    f"{collection}: its vectors have {opened.dimension} dimensions, "
                    f"not {dimension}; ask with the model of the project",
                    collection=collection,
                )
            yield opened
        finally:
            self._turn.release()

    def exists(self, collection: str) -> bool:
        return collection in self._collections

    def optimize(
        self,
        collection: str,  # noqa: ARG002
        *,
        dimension: int,  # noqa: ARG002
        wait_seconds: float = 30.0,  # noqa: ARG002
        begun: Callable[[], None] | None = None,  # noqa: ARG002
    ) -> bool:
        return False

    def drop(self, collection: str) -> None:
        self._collections.pop(collection, None)

    def close(self) -> None:
        """Nothing to give up: no other process can see this index."""


def matches(payload: Mapping[str, Any], filter: Filter) -> bool:
    """Whether a passage with this payload passes; what the engine's filter does, said plainly."""
    return all(_holds(payload, clause) is not clause.negated for clause in filter.clauses)


def _holds(payload: Mapping[str, Any], clause: Clause) -> bool:
    if clause.field is Field.YEAR:
        return _overlaps(payload["year"], payload["year"], clause)
    if clause.field is Field.PAGE:
        return _overlaps(payload["page_start"], payload["page_end"], clause)
    found = payload[PAYLOAD_KEY[clause.field]]
    present = found if isinstance(found, list) else [found]
    return any(value in clause.values for value in present if value is not None)


def _overlaps(first: int | None, last: int | None, clause: Clause) -> bool:
    if first is None or last is None:
        return False
    return any(
        (wanted.low is None or last >= wanted.low) and (wanted.high is None or first <= wanted.high)
        for wanted in clause.ranges
    )


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _unit(vector: Sequence[float]) -> tuple[float, ...]:
    length = math.sqrt(sum(x * x for x in vector))
    return tuple(float(x) / length for x in vector) if length else tuple(map(float, vector))
