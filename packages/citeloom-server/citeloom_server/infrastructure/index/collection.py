"""Open collection on a Qdrant server."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from uuid import UUID

from citeloom.application.ports.index import CollectionInfo, EmbeddedPassage, SparseVector
from citeloom.infrastructure.search.passage_collection import (
    PAGE,
    NearestQuery,
    PassageCollection,
    plain_sparse,
)
from citeloom.infrastructure.search.payload import (
    CONTENT,
    SENTENCES,
    SPARSE,
    TENANT,
    Payload,
    server_filters,
    to_payload,
)

from .server import Server

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

T = TypeVar("T")

# A server takes requests of up to 32 MB (its default); a number in JSON takes about 20 bytes.
REQUEST_BYTES: Final = 8 * 2**20
NUMBER_BYTES: Final = 22
# Share of the hits that are chosen by quantized vectors, where there are such.
OVERSAMPLING: Final = 2.0
# Passages read in one request with their vectors.
PAGE_WITH_VECTORS: Final = 64


class ServerCollection(PassageCollection):
    """The points of one project. With a ``tenant``, its points in a collection shared with other
    projects: all reads and writes are restricted to it, and point ids are the chunk ids combined
    with its name, since two projects may have the same document."""

    def __init__(
        self, server: Server, name: str, dimension: int, *, tenant: str | None = None
    ) -> None:
        super().__init__(dimension, server_filters(tenant))
        self._server = server
        self._name = name
        self._tenant = tenant
        digest = hashlib.sha256((tenant or "").encode()).digest()[:16]
        self._mask = int.from_bytes(digest, "big") if tenant is not None else 0

    def set_sparse(self, vectors: Mapping[str, SparseVector]) -> None:
        ids = list(vectors)
        for start in range(0, len(ids), PAGE):
            existing = self._retrieve(ids[start : start + PAGE])
            self._reweigh({id: vectors[id] for id in existing})

    def counts(self) -> Mapping[str, int]:
        points = self._points()
        condition = self._filters.of_tenant()
        facet = self._call(
            "counting",
            lambda c: c.facet(
                self._name, "document", facet_filter=condition, limit=max(1, points), exact=True
            ),
        )
        return {str(hit.value): hit.count for hit in facet.hits if hit.count}

    def count(self) -> int:
        return self._points()

    def info(self) -> CollectionInfo:
        collection = self._call("reading", lambda c: c.get_collection(self._name))
        fields = tuple(sorted(set(collection.payload_schema) - {TENANT}))
        return CollectionInfo(
            points=self._points(), documents=len(self.counts()), indexed_fields=fields
        )

    def flush(self) -> None:
        """Does nothing: a write returns after it is logged and applied."""

    def compact(self) -> bool:
        """Does nothing: the server compacts by itself."""
        return False

    def _call(self, doing: str, operation: "Callable[[QdrantClient], T]") -> T:
        # Without statuses to accept, a call returns what the operation does.
        return cast(
            T, self._server.call(f"{doing} in {self._name}", operation, collection=self._name)
        )

    def _upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        for batch in self._batches(passages):
            self._upsert_points([self._point(each) for each in batch])

    def _upsert_points(self, points: "list[models.PointStruct]") -> None:
        self._call("writing", lambda client: client.upsert(self._name, points, wait=True))

    def _delete(self, condition: "models.Filter") -> None:
        self._call("deleting", lambda client: client.delete(self._name, condition, wait=True))

    def _set_payload(self, document_id: str, payload: Payload) -> None:
        condition = self._filters.of_documents([document_id])
        self._call("writing", lambda c: c.set_payload(self._name, payload, condition, wait=True))

    def _set_payloads(self, payloads: Sequence[tuple[str, Payload]]) -> None:
        from qdrant_client import models

        operations: list[models.UpdateOperation] = [
            models.SetPayloadOperation(
                set_payload=models.SetPayload(payload=payload, points=[self._point_id(id)])
            )
            for id, payload in payloads
        ]
        for start in range(0, len(operations), PAGE):
            self._batch(operations[start : start + PAGE])

    def _batch(self, operations: "Sequence[models.UpdateOperation]") -> None:
        self._call("writing", lambda c: c.batch_update_points(self._name, operations, wait=True))

    def _reweigh(self, vectors: Mapping[str, SparseVector]) -> None:
        """Replace the sparse vectors of existing points, in one request."""
        from qdrant_client import models

        points = [
            models.PointVectors(id=self._point_id(id), vector={SPARSE: self._sparse(vector)})
            for id, vector in vectors.items()
        ]
        if points:
            self._call("writing", lambda client: client.update_vectors(self._name, points))

    def _point_id(self, chunk_id: str) -> str:
        return str(UUID(int=UUID(chunk_id).int ^ self._mask))

    def _chunk_id(self, point_id: str) -> str:
        return self._point_id(point_id)  # XOR is its own inverse

    def _point(self, embedded: EmbeddedPassage) -> "models.PointStruct":
        from qdrant_client import models

        payload = to_payload(embedded.passage)
        if self._tenant is not None:
            payload[TENANT] = self._tenant
        id = self._point_id(embedded.passage.chunk.id)
        # Without validation, which tries each list of numbers as every kind of vector: 60 instead
        # of 6,000 points a second, for the same request.
        return models.PointStruct.model_construct(
            id=id, vector=self._vectors(embedded), payload=payload
        )

    def _batches(self, passages: Sequence[EmbeddedPassage]) -> Iterator[list[EmbeddedPassage]]:
        batch: list[EmbeddedPassage] = []
        size = 0
        for each in passages:
            bytes_needed = self._size(each)
            if batch and size + bytes_needed > REQUEST_BYTES:
                yield batch
                batch, size = [], 0
            batch.append(each)
            size += bytes_needed
        if batch:
            yield batch

    def _size(self, embedded: EmbeddedPassage) -> int:
        """Approximate size of a passage in bytes of JSON, including its citation."""
        numbers = self.dimension * (1 + len(embedded.sentences)) + 2 * len(embedded.sparse.indices)
        return 4096 + NUMBER_BYTES * numbers + 4 * len(embedded.passage.chunk.text)

    def _nearest(self, queries: Mapping[str, NearestQuery]) -> dict[str, dict[str, float]]:
        from qdrant_client import models

        if not queries:
            return {}
        requests = [
            models.QueryRequest(
                query=models.NearestQuery(nearest=query.vector),
                using=name,
                filter=query.condition,
                limit=query.limit,
                params=self._params(name, exact=query.exact),
                with_payload=False,
            )
            for name, query in queries.items()
        ]
        answers = self._call("searching", lambda c: c.query_batch_points(self._name, requests))
        return {
            name: {str(point.id): point.score for point in answer.points}
            for name, answer in zip(queries, answers, strict=True)
        }

    def _params(self, name: str, *, exact: bool) -> "models.SearchParams | None":
        """Term statistics are restricted to the project's own passages. Of a quantized collection
        twice as many are chosen, and scored by their whole vectors, which is not the default."""
        from qdrant_client import models

        if name == SPARSE:
            if self._tenant is None:
                return None
            corpus = models.IdfCorpusParams(corpus=self._filters.of_tenant())
            return models.SearchParams(idf=corpus)
        if exact:
            return models.SearchParams(exact=True)
        rescored = models.QuantizationSearchParams(rescore=True, oversampling=OVERSAMPLING)
        return models.SearchParams(quantization=rescored)

    def _retrieve(
        self, ids: Sequence[str], *, payload: Sequence[str] = (), vectors: Sequence[str] = ()
    ) -> "dict[str, models.Record]":
        parts = {"with_payload": list(payload) or False, "with_vectors": list(vectors) or False}
        page = PAGE_WITH_VECTORS if SENTENCES in vectors else PAGE
        point_ids = [self._point_id(id) for id in ids]
        records: dict[str, models.Record] = {}
        for start in range(0, len(point_ids), page):
            answer = self._points_of(point_ids[start : start + page], parts)
            records.update((self._chunk_id(str(record.id)), record) for record in answer)
        return records

    def _scroll(self, document_id: str, *, vectors: bool = False) -> "Iterator[models.Record]":
        condition = self._filters.of_documents([document_id])
        parts = {"with_payload": list(CONTENT), "with_vectors": vectors}
        offset: Any = None
        while True:
            page = PAGE_WITH_VECTORS if vectors else PAGE
            records, offset = self._page(condition, page, offset, parts)
            yield from records
            if offset is None:
                return

    def _points_of(
        self, point_ids: Sequence[str], parts: Mapping[str, Any]
    ) -> "list[models.Record]":
        return self._call("reading", lambda client: client.retrieve(self._name, point_ids, **parts))

    def _page(
        self, condition: "models.Filter", limit: int, offset: Any, parts: Mapping[str, Any]
    ) -> "tuple[list[models.Record], Any]":
        return self._call(
            "reading",
            lambda client: client.scroll(
                self._name, scroll_filter=condition, limit=limit, offset=offset, **parts
            ),
        )

    def _points(self) -> int:
        condition = self._filters.of_tenant()
        counted = self._call("counting", lambda c: c.count(self._name, count_filter=condition))
        return counted.count

    def _sparse(self, vector: SparseVector) -> "models.SparseVector":
        from qdrant_client import models

        indices, values = plain_sparse(vector)
        return models.SparseVector(indices=indices, values=values)
