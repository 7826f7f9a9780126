"""An open collection in Qdrant Edge."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from citeloom.application.ports.index import (
    CandidatePassage,
    CollectionInfo,
    EmbeddedPassage,
    Passage,
    SparseVector,
)
from citeloom.domain.annotations.annotation import Mark
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.documents.chunk import ChunkKind, ChunkPosition
from citeloom.domain.search.filters import Filter
from citeloom.infrastructure.search.edge.filters import compile_filter, of_document
from citeloom.infrastructure.search.edge.hnsw_graph import has_graph, is_outgrown
from citeloom.infrastructure.search.edge.rebuild.build_folder import ChangeLog
from citeloom.infrastructure.search.edge.search_params import EdgeParams
from citeloom.infrastructure.search.edge.shard import (
    DENSE,
    SENTENCES,
    SPARSE,
    engine_errors,
    require_space,
)
from citeloom.infrastructure.search.payload import (
    CONTENT,
    POSITION,
    check_dimension,
    check_vectors,
    citation_payload,
    other_labels,
    other_marks,
    plain_floats,
    to_passage,
    to_payload,
    to_positions,
    vector_of,
)

if TYPE_CHECKING:
    import qdrant_edge

# Passages written in one operation. One operation is one record of the write-ahead log,
# wholly there or not at all after a kill: all but the largest books fit into it.
BATCH: Final = 1000
PAGE: Final = 512


class EdgeCollection:
    """The collection of one shard. Calls of several threads take turns: the engine holds
    the interpreter lock throughout anyway."""

    def __init__(
        self,
        shard: "qdrant_edge.EdgeShard",
        folder: Path,
        dimension: int,
        log: ChangeLog | None = None,
    ) -> None:
        """``log`` is that of a build under way, which has to hear of every change."""
        self._shard = shard
        self._folder = folder
        self._log = log
        self.dimension = dimension
        self._turn = threading.RLock()
        self._unflushed = False
        self._params = EdgeParams(shard, folder / "shard")

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        import qdrant_edge

        for each in passages:
            check_vectors(each, self.dimension)
        with self._turn, engine_errors(self._folder, "writing to the index"):
            self._upsert(document_id, passages)
            kept = [each.passage.chunk.id for each in passages]
            others = of_document(document_id, without=kept)
            self._update([document_id], qdrant_edge.UpdateOperation.delete_points_by_filter(others))

    def annotate(
        self,
        document_id: str,
        passages: Sequence[EmbeddedPassage],
        marks: Mapping[str, Sequence[Mark]],
    ) -> None:
        import qdrant_edge

        for each in passages:
            check_vectors(each, self.dimension)
        changed = list(other_marks(self.passages(document_id), marks))
        operation = qdrant_edge.UpdateOperation
        with self._turn, engine_errors(self._folder, "writing to the index"):
            self._upsert(document_id, passages)
            kept = [each.passage.chunk.id for each in passages]
            others = of_document(document_id, without=kept, kind=ChunkKind.ANNOTATION.value)
            self._update([document_id], operation.delete_points_by_filter(others))
            for id, payload in changed:
                self._update([document_id], operation.set_payload([UUID(id)], payload))

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        import qdrant_edge

        with self._turn, engine_errors(self._folder, "deleting from the index"):
            for document_id in document_ids:
                require_space(self._folder)
                gone = of_document(document_id)
                self._update(
                    [document_id], qdrant_edge.UpdateOperation.delete_points_by_filter(gone)
                )

    def set_citation(
        self, document_id: str, citation: CitationMeta | None, source_path: str
    ) -> None:
        import qdrant_edge

        payload = citation_payload(citation, source_path)
        with self._turn, engine_errors(self._folder, "writing to the index"):
            require_space(self._folder)
            self._update(
                [document_id],
                qdrant_edge.UpdateOperation.set_payload_by_filter(
                    of_document(document_id), payload
                ),
            )

    def set_page_labels(self, document_id: str, labels: Mapping[int, str | None]) -> bool:
        import qdrant_edge

        changed = list(other_labels(self.passages(document_id), labels))
        if not changed:
            return False
        with self._turn, engine_errors(self._folder, "writing to the index"):
            require_space(self._folder)
            for id, payload in changed:
                set_payload = qdrant_edge.UpdateOperation.set_payload([UUID(id)], payload)
                self._update([document_id], set_payload)
        return True

    def set_sparse(self, vectors: Mapping[str, SparseVector]) -> None:
        import qdrant_edge

        with self._turn, engine_errors(self._folder, "writing to the index"):
            there = self._retrieve(list(vectors), with_payload=["document"])
            documents = {str((record.payload or {})["document"]) for record in there.values()}
            points = [
                qdrant_edge.PointVectors(UUID(id), {SPARSE: _sparse(vectors[id])}) for id in there
            ]
            for start in range(0, len(points), BATCH):
                batch = points[start : start + BATCH]
                require_space(self._folder, sum(8 * len(vectors[id].indices) for id in there))
                self._update(documents, qdrant_edge.UpdateOperation.update_vectors(batch))

    def search(
        self,
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
        filter: Filter,
        limit: int,
        among: AbstractSet[str] | None = None,
    ) -> list[CandidatePassage]:

        asked: dict[str, Any] = {}
        if dense is not None:
            check_dimension(dense, self.dimension)
            asked[DENSE] = plain_floats(dense)
        if sparse is not None and len(sparse.indices):
            asked[SPARSE] = _sparse(sparse)
        if not asked or limit < 1:
            return []
        with self._turn, engine_errors(self._folder, "searching the index"):
            condition = compile_filter(filter, among)
            scores = {
                name: self._nearest(name, vector, condition, limit)
                for name, vector in asked.items()
            }
            pool = list(dict.fromkeys(id for found in scores.values() for id in found))
            for name, found in scores.items():
                found.update(
                    self._scored(name, asked[name], [id for id in pool if id not in found])
                )
            if DENSE in asked:
                scores[SENTENCES] = self._scored(SENTENCES, [asked[DENSE]], pool)
        dense_scores, sparse_scores = scores.get(DENSE, {}), scores.get(SPARSE, {})
        sentence_scores = scores.get(SENTENCES, {})
        return [
            CandidatePassage(
                id, dense_scores.get(id), sparse_scores.get(id), sentence_scores.get(id)
            )
            for id in pool
        ]

    def fetch(self, ids: Sequence[str]) -> list[Passage]:
        with self._turn, engine_errors(self._folder, "reading the index"):
            records = self._retrieve(ids, with_payload=list(CONTENT))
        return [to_passage(records[id].payload or {}) for id in ids if id in records]

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        with self._turn, engine_errors(self._folder, "reading the index"):
            records = self._retrieve(ids, with_payload=list(POSITION))
        return to_positions(records)

    def sentence_scores(
        self, dense: Sequence[float], ids: Sequence[str]
    ) -> Mapping[str, Sequence[float]]:
        import numpy as np

        with self._turn, engine_errors(self._folder, "reading the index"):
            records = self._retrieve(ids, with_vector=[SENTENCES])
        asked = np.asarray(dense, dtype=np.float32)
        found = {id: vector_of(record, SENTENCES) for id, record in records.items()}
        return {
            id: (np.asarray(vectors, dtype=np.float32) @ asked).tolist()
            for id, vectors in found.items()
            if vectors
        }

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        with self._turn, engine_errors(self._folder, "reading the index"):
            records = self._retrieve(ids, with_vector=[DENSE])
        return {id: vector_of(record, DENSE) for id, record in records.items()}

    def passages(self, document_id: str | None = None) -> Iterator[Passage]:
        documents = sorted(self.counts()) if document_id is None else [document_id]
        for each in documents:
            found = [to_passage(record.payload or {}) for record in self._scroll(each)]
            yield from sorted(found, key=lambda passage: passage.chunk.chunk_idx)

    def export(self, document_id: str | None = None) -> Iterator[EmbeddedPassage]:
        documents = sorted(self.counts()) if document_id is None else [document_id]
        for each in documents:
            found = [_embedded(record) for record in self._scroll(each, with_vector=True)]
            yield from sorted(found, key=lambda embedded: embedded.passage.chunk.chunk_idx)

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

    def outgrown(self, exact_up_to: int) -> bool:
        """Whether a (new) graph is due."""
        with self._turn, engine_errors(self._folder, "reading the index"):
            return is_outgrown(self._shard, self._folder / "shard", exact_up_to)

    def compact(self) -> bool:
        if has_graph(self._folder / "shard"):  # it would be built anew, here and now
            return False
        with self._turn, engine_errors(self._folder, "compacting the index"):
            require_space(self._folder)
            done = self._shard.optimize()
            self._params.forget()
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

    def _upsert(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        import qdrant_edge

        for start in range(0, len(passages), BATCH):
            batch = passages[start : start + BATCH]
            require_space(self._folder, sum(map(self._size, batch)))
            points = [self._point(each) for each in batch]
            self._update([document_id], qdrant_edge.UpdateOperation.upsert_points(points))

    def _update(
        self, document_ids: Iterable[str], operation: "qdrant_edge.UpdateOperation"
    ) -> None:
        """A change of these documents, and of no others."""
        if self._log is not None:
            self._log.note(document_ids)
        self._unflushed = True
        self._params.forget()
        self._shard.update(operation)

    def _size(self, embedded: EmbeddedPassage) -> int:
        """About how many bytes a passage takes, its citation included."""
        text = len(embedded.passage.chunk.text)
        dense = self.dimension * (4 + 4 * len(embedded.sentences))
        return 4096 + dense + 8 * len(embedded.sparse.indices) + 4 * text

    def _point(self, embedded: EmbeddedPassage) -> "qdrant_edge.Point":
        import qdrant_edge

        dense = plain_floats(embedded.dense)
        vectors: dict[str, Any] = {DENSE: dense, SPARSE: _sparse(embedded.sparse)}
        if embedded.sentences:
            vectors[SENTENCES] = [plain_floats(each) for each in embedded.sentences]
        payload = to_payload(embedded.passage)
        return qdrant_edge.Point(embedded.passage.chunk.id, vectors, payload)

    def _nearest(
        self, using: str, vector: Any, condition: "qdrant_edge.Filter | None", limit: int
    ) -> dict[str, float]:
        import qdrant_edge

        nearest = qdrant_edge.Query.Nearest(vector, using)
        request = qdrant_edge.QueryRequest(
            limit=limit, query=nearest, filter=condition, params=self._params.of(using)
        )
        return {str(point.id): point.score for point in self._shard.query(request)}

    def _scored(self, using: str, vector: Any, ids: Sequence[str]) -> dict[str, float]:
        """The scores of these points, as far as they have such a vector."""
        import qdrant_edge

        if not ids:
            return {}
        wanted: set[int | UUID | str] = set(ids)
        among = qdrant_edge.Filter(must=[qdrant_edge.HasIdCondition(wanted)])
        return self._nearest(using, vector, among, len(ids))

    def _retrieve(
        self,
        ids: Sequence[str],
        *,
        with_payload: list[str] | bool = False,
        with_vector: list[str] | bool = False,
    ) -> "dict[str, qdrant_edge.Record]":
        records = self._shard.retrieve(
            list(ids), with_payload=with_payload, with_vector=with_vector
        )
        return {str(record.id): record for record in records}

    def _scroll(
        self, document_id: str, *, with_vector: bool = False
    ) -> "Iterator[qdrant_edge.Record]":
        import qdrant_edge

        offset: qdrant_edge.PointId | None = None
        while True:
            request = qdrant_edge.ScrollRequest(
                offset=offset,
                limit=PAGE,
                filter=of_document(document_id),
                with_payload=list(CONTENT),
                with_vector=with_vector,
            )
            with self._turn, engine_errors(self._folder, "reading the index"):
                records, offset = self._shard.scroll(request)
            yield from records
            if offset is None:
                return


def _embedded(record: "qdrant_edge.Record") -> EmbeddedPassage:
    sparse = vector_of(record, SPARSE)
    terms = SparseVector(sparse.indices, sparse.values) if sparse else SparseVector([], [])
    passage = to_passage(record.payload or {})
    return EmbeddedPassage(passage, vector_of(record, DENSE), terms, vector_of(record, SENTENCES))


def _sparse(vector: SparseVector) -> "qdrant_edge.SparseVector":
    import qdrant_edge

    indices: list[int] = [int(index) for index in vector.indices]
    return qdrant_edge.SparseVector(indices, [float(value) for value in vector.values])
