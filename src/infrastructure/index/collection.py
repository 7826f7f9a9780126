"""An open collection in Qdrant Edge."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from citeloom.application.ports.index import (
    Candidate,
    CollectionInfo,
    EmbeddedPassage,
    Passage,
    SparseVector,
)
from citeloom.domain.citation import CitationMeta
from citeloom.domain.filters import Filter
from citeloom.infrastructure.index.compile_filter import compile_filter, of_document
from citeloom.infrastructure.index.payload import (
    CONTENT,
    check_dimension,
    citation_payload,
    to_passage,
    to_payload,
)
from citeloom.infrastructure.index.shard import DENSE, SPARSE, engine_errors, require_space

if TYPE_CHECKING:
    import qdrant_edge

# Passages written in one operation. One operation is one record of the write-ahead log,
# wholly there or not at all after a kill: all but the largest books fit into it.
BATCH: Final = 1000
PAGE: Final = 512


class EdgeCollection:
    """The collection of one shard. Calls of several threads take turns: the engine holds
    the interpreter lock throughout anyway."""

    def __init__(self, shard: "qdrant_edge.EdgeShard", folder: Path, dimension: int) -> None:
        self._shard = shard
        self._folder = folder
        self.dimension = dimension
        self._turn = threading.RLock()
        self._unflushed = False

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        import qdrant_edge

        for each in passages:
            check_dimension(each.dense, self.dimension)
        with self._turn, engine_errors(self._folder, "writing to the index"):
            for start in range(0, len(passages), BATCH):
                batch = passages[start : start + BATCH]
                require_space(self._folder, sum(map(self._size, batch)))
                points = [self._point(each) for each in batch]
                self._update(qdrant_edge.UpdateOperation.upsert_points(points))
            kept = [each.passage.chunk.id for each in passages]
            others = of_document(document_id, without=kept)
            self._update(qdrant_edge.UpdateOperation.delete_points_by_filter(others))

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        import qdrant_edge

        with self._turn, engine_errors(self._folder, "deleting from the index"):
            for document_id in document_ids:
                require_space(self._folder)
                gone = of_document(document_id)
                self._update(qdrant_edge.UpdateOperation.delete_points_by_filter(gone))

    def set_citation(
        self, document_id: str, citation: CitationMeta | None, source_path: str
    ) -> None:
        import qdrant_edge

        payload = citation_payload(citation, source_path)
        with self._turn, engine_errors(self._folder, "writing to the index"):
            require_space(self._folder)
            self._update(
                qdrant_edge.UpdateOperation.set_payload_by_filter(of_document(document_id), payload)
            )

    def search(
        self,
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        filter: Filter,
        limit: int,
    ) -> list[Candidate]:
        import qdrant_edge

        asked: dict[str, Any] = {}
        if dense is not None:
            check_dimension(dense, self.dimension)
            asked[DENSE] = _floats(dense)
        if sparse is not None and len(sparse.indices):
            asked[SPARSE] = _sparse(sparse)
        if not asked or limit < 1:
            return []
        with self._turn, engine_errors(self._folder, "searching the index"):
            condition = compile_filter(filter)
            scores = {
                name: self._nearest(name, vector, condition, limit)
                for name, vector in asked.items()
            }
            pool = list(dict.fromkeys(id for found in scores.values() for id in found))
            for name, found in scores.items():
                missing: set[int | UUID | str] = {id for id in pool if id not in found}
                if missing:
                    among = qdrant_edge.Filter(must=[qdrant_edge.HasIdCondition(missing)])
                    found.update(self._nearest(name, asked[name], among, len(missing)))
            passages = self._retrieve(pool)
        dense_scores, sparse_scores = scores.get(DENSE, {}), scores.get(SPARSE, {})
        return [
            Candidate(passages[id], dense_scores.get(id), sparse_scores.get(id))
            for id in pool
            if id in passages
        ]

    def passages(self, document_id: str | None = None) -> Iterator[Passage]:
        documents = sorted(self.counts()) if document_id is None else [document_id]
        for each in documents:
            found = [to_passage(payload) for payload in self._scroll(each)]
            yield from sorted(found, key=lambda passage: passage.chunk.chunk_idx)

    def counts(self) -> Mapping[str, int]:
        import qdrant_edge

        with self._turn, engine_errors(self._folder, "counting the index"):
            points = self._shard.count(qdrant_edge.CountRequest(exact=True))
            facet = qdrant_edge.FacetRequest("document", limit=max(1, points), exact=True)
            hits = self._shard.facet(facet).hits
        return {str(hit.value): hit.count for hit in hits if hit.count}

    def info(self) -> CollectionInfo:
        import qdrant_edge

        with self._turn, engine_errors(self._folder, "reading the index"):
            points = self._shard.count(qdrant_edge.CountRequest(exact=True))
            fields = tuple(sorted(self._shard.info().payload_schema))
            documents = len(self.counts())
        return CollectionInfo(points=points, documents=documents, indexed_fields=fields)

    def flush(self) -> None:
        with self._turn, engine_errors(self._folder, "writing to the index"):
            if self._unflushed:
                self._shard.flush()
                self._unflushed = False

    def compact(self) -> bool:
        with self._turn, engine_errors(self._folder, "compacting the index"):
            require_space(self._folder)
            done = self._shard.optimize()
            self._unflushed = self._unflushed or done
            self.flush()
        return done

    def close(self) -> None:
        """Write what is not yet durable and close the shard; no call is possible after."""
        with self._turn, engine_errors(self._folder, "closing the index"):
            try:
                self.flush()
            finally:
                self._shard.close()

    def _update(self, operation: "qdrant_edge.UpdateOperation") -> None:
        self._unflushed = True
        self._shard.update(operation)

    def _size(self, embedded: EmbeddedPassage) -> int:
        """About how many bytes a passage takes, its citation included."""
        text = len(embedded.passage.chunk.text)
        return 4096 + 4 * self.dimension + 8 * len(embedded.sparse.indices) + 4 * text

    def _point(self, embedded: EmbeddedPassage) -> "qdrant_edge.Point":
        import qdrant_edge

        dense = _floats(embedded.dense)
        vectors: dict[str, Any] = {DENSE: dense, SPARSE: _sparse(embedded.sparse)}
        payload = to_payload(embedded.passage)
        return qdrant_edge.Point(embedded.passage.chunk.id, vectors, payload)

    def _nearest(
        self, using: str, vector: Any, condition: "qdrant_edge.Filter | None", limit: int
    ) -> dict[UUID, float]:
        import qdrant_edge

        nearest = qdrant_edge.Query.Nearest(vector, using)
        request = qdrant_edge.QueryRequest(limit=limit, query=nearest, filter=condition)
        return {_uuid(point.id): point.score for point in self._shard.query(request)}

    def _retrieve(self, ids: Sequence[UUID]) -> dict[UUID, Passage]:
        content = list(CONTENT)
        records = self._shard.retrieve(list(ids), with_payload=content, with_vector=False)
        return {_uuid(record.id): to_passage(record.payload or {}) for record in records}

    def _scroll(self, document_id: str) -> Iterator[Mapping[str, Any]]:
        import qdrant_edge

        offset: qdrant_edge.PointId | None = None
        while True:
            request = qdrant_edge.ScrollRequest(
                offset=offset,
                limit=PAGE,
                filter=of_document(document_id),
                with_payload=list(CONTENT),
                with_vector=False,
            )
            with self._turn, engine_errors(self._folder, "reading the index"):
                records, offset = self._shard.scroll(request)
            yield from (record.payload or {} for record in records)
            if offset is None:
                return


def _uuid(point_id: Any) -> UUID:
    assert isinstance(point_id, UUID)
    return point_id


def _floats(vector: Sequence[float]) -> list[float]:
    """A plain list; arrays convert themselves, much faster than item by item."""
    convert: Callable[[], list[float]] | None = getattr(vector, "tolist", None)
    return convert() if convert else list(vector)


def _sparse(vector: SparseVector) -> "qdrant_edge.SparseVector":
    import qdrant_edge

    indices: list[int] = [int(index) for index in vector.indices]
    return qdrant_edge.SparseVector(indices, [float(value) for value in vector.values])
