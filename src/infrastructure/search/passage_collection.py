"""Reading, writing and searching of a collection: the common part of both engines."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from citeloom.application.ports.index import (
    EmbeddedPassage,
    Passage,
    SparseVector,
)
from citeloom.domain.annotations import Mark
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.spans import ChunkKind, ChunkPosition
from citeloom.domain.search.filters import Filter
from citeloom.domain.search.fusion import Scored

from .payload import (
    CONTENT,
    DENSE,
    POSITION,
    SENTENCES,
    SPARSE,
    FilterCompiler,
    Payload,
    check_dimension,
    check_vectors,
    citation_payload,
    label_changes,
    mark_changes,
    plain_floats,
    to_passage,
    to_positions,
    vector_of,
)

#: Passages read in one request.
PAGE: Final = 512
_NO_FILTER: Final = Filter()


@dataclass(frozen=True, slots=True)
class NearestQuery:
    """The ``limit`` points nearest to a vector; ``exact`` uses no graph."""

    vector: Any
    condition: Any
    limit: int
    exact: bool = False


class PassageCollection(ABC):
    """Points have the ids of their chunks, unless ``_point_id`` and ``_chunk_id`` are overridden.
    Filters, vectors and records are those of the engine."""

    def __init__(self, dimension: int, filters: FilterCompiler) -> None:
        self.dimension = dimension
        self._filters = filters

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        check_vectors(passages, self.dimension)
        with self._writing():
            self._replace(document_id, passages)

    def annotate(
        self,
        document_id: str,
        passages: Sequence[EmbeddedPassage],
        marks: Mapping[str, Sequence[Mark]],
    ) -> None:
        check_vectors(passages, self.dimension)
        changed = list(mark_changes(self.passages(document_id), marks))
        with self._writing():
            self._replace(document_id, passages, ChunkKind.ANNOTATION.value)
            self._set_payloads(changed)

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        ids = list(document_ids)
        with self._writing():
            for start in range(0, len(ids), PAGE):
                page = ids[start : start + PAGE]
                self._delete(self._filters.of_documents(page))

    def set_citation(
        self, document_id: str, citation: CitationMeta | None, source_path: str
    ) -> None:
        with self._writing():
            self._set_payload(document_id, citation_payload(citation, source_path))

    def set_page_labels(self, document_id: str, labels: Mapping[int, str | None]) -> bool:
        changed = list(label_changes(self.passages(document_id), labels))
        if changed:
            with self._writing():
                self._set_payloads(changed)
        return bool(changed)

    def search(
        self,
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        filter: Filter,
        limit: int,
        among: AbstractSet[str] | None = None,
    ) -> list[Scored]:
        vectors: dict[str, Any] = {}
        if dense is not None:
            check_dimension(dense, self.dimension)
            vectors[DENSE] = plain_floats(dense)
        if sparse is not None and len(sparse.indices):
            vectors[SPARSE] = self._sparse(sparse)
        if not vectors or limit < 1:
            return []
        ids = None if among is None else [self._point_id(id) for id in among]
        condition = self._filters.compile(filter, ids)
        with self._searching():
            scores = self._nearest(
                {name: NearestQuery(vector, condition, limit) for name, vector in vectors.items()}
            )
            pool = list(dict.fromkeys(id for nearest in scores.values() for id in nearest))
            unscored = {name: [id for id in pool if id not in scores[name]] for name in vectors}
            if DENSE in vectors:
                vectors[SENTENCES] = [vectors[DENSE]]
                unscored[SENTENCES] = pool
            rest = self._nearest(
                {
                    name: NearestQuery(
                        vectors[name], self._filters.compile(_NO_FILTER, ids), len(ids), exact=True
                    )
                    for name, ids in unscored.items()
                    if ids
                }
            )
        dense_of, sparse_of, sentences_of = (
            {**scores.get(name, {}), **rest.get(name, {})} for name in (DENSE, SPARSE, SENTENCES)
        )
        return [
            Scored(self._chunk_id(id), dense_of.get(id), sparse_of.get(id), sentences_of.get(id))
            for id in pool
        ]

    def fetch(self, ids: Sequence[str]) -> list[Passage]:
        passages = self._passages(ids)
        return [passages[id] for id in ids if id in passages]

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        return to_positions(self._retrieve(ids, payload=POSITION))

    def sentence_scores(
        self, dense: Sequence[float], ids: Sequence[str]
    ) -> Mapping[str, Sequence[float]]:
        import numpy as np

        question = np.asarray(dense, dtype=np.float32)
        sentences = self._sentences(ids)
        return {id: (each @ question).tolist() for id, each in sentences.items() if len(each)}

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        records = self._retrieve(ids, vectors=[DENSE])
        return {id: vector_of(record, DENSE) for id, record in records.items()}

    def passages(self, document_id: str | None = None) -> Iterator[Passage]:
        for each in self._documents(document_id):
            passages = [to_passage(record.payload or {}) for record in self._scroll(each)]
            yield from sorted(passages, key=lambda passage: passage.chunk.chunk_idx)

    def export(self, document_id: str | None = None) -> Iterator[EmbeddedPassage]:
        for each in self._documents(document_id):
            passages = [_embedded(record) for record in self._scroll(each, vectors=True)]
            yield from sorted(passages, key=lambda embedded: embedded.passage.chunk.chunk_idx)

    @abstractmethod
    def counts(self) -> Mapping[str, int]: ...

    def _passages(self, ids: Sequence[str]) -> Mapping[str, Passage]:
        records = self._retrieve(ids, payload=CONTENT)
        return {id: to_passage(record.payload or {}) for id, record in records.items()}

    def _sentences(self, ids: Sequence[str]) -> Mapping[str, Any]:
        """Vectors of the sentences, as an array with one a row."""
        from numpy import asarray, float32

        records = self._retrieve(ids, vectors=[SENTENCES])
        return {id: asarray(vector_of(one, SENTENCES), float32) for id, one in records.items()}

    def _replace(
        self, document_id: str, passages: Sequence[EmbeddedPassage], kind: str | None = None
    ) -> None:
        """Write the passages, then remove all others of the document (of one kind)."""
        self._upsert(passages)
        written_ids = [self._point_id(each.passage.chunk.id) for each in passages]
        leftovers = self._filters.of_documents([document_id], without=written_ids, kind=kind)
        self._delete(leftovers)

    def _documents(self, document_id: str | None) -> Sequence[str]:
        return sorted(self.counts()) if document_id is None else [document_id]

    def _vectors(self, embedded: EmbeddedPassage) -> dict[str, Any]:
        vectors = {DENSE: plain_floats(embedded.dense), SPARSE: self._sparse(embedded.sparse)}
        if embedded.sentences:
            vectors[SENTENCES] = [plain_floats(each) for each in embedded.sentences]
        return vectors

    def _point_id(self, chunk_id: str) -> str:
        return chunk_id

    def _chunk_id(self, point_id: str) -> str:
        return point_id

    def _searching(self) -> AbstractContextManager[object]:
        """Context of requests that belong together."""
        return nullcontext()

    def _writing(self) -> AbstractContextManager[object]:
        """Context of a change."""
        return nullcontext()

    @abstractmethod
    def _upsert(self, passages: Sequence[EmbeddedPassage]) -> None: ...

    @abstractmethod
    def _delete(self, condition: Any) -> None:
        """Remove the points that match ``condition``."""

    @abstractmethod
    def _set_payload(self, document_id: str, payload: Payload) -> None:
        """Change these fields of all points of the document."""

    @abstractmethod
    def _set_payloads(self, payloads: Sequence[tuple[str, Payload]]) -> None:
        """Change fields of points, by chunk id."""

    @abstractmethod
    def _nearest(self, queries: Mapping[str, NearestQuery]) -> dict[str, dict[str, float]]:
        """By vector name, the scores of the nearest points by their ids."""

    @abstractmethod
    def _retrieve(
        self, ids: Sequence[str], *, payload: Sequence[str] = (), vectors: Sequence[str] = ()
    ) -> Mapping[str, Any]:
        """Records by chunk id, with these parts of the payload and these vectors."""

    @abstractmethod
    def _scroll(self, document_id: str, *, vectors: bool = False) -> Iterator[Any]:
        """All records of the document with their content (and all vectors)."""

    @abstractmethod
    def _sparse(self, vector: SparseVector) -> Any: ...


def plain_sparse(vector: SparseVector) -> tuple[list[int], list[float]]:
    """Indices and values as plain lists."""
    return [int(index) for index in vector.indices], [float(value) for value in vector.values]


def _embedded(record: Any) -> EmbeddedPassage:
    sparse = vector_of(record, SPARSE)
    terms = SparseVector(sparse.indices, sparse.values) if sparse else SparseVector([], [])
    passage = to_passage(record.payload or {})
    return EmbeddedPassage(passage, vector_of(record, DENSE), terms, vector_of(record, SENTENCES))
