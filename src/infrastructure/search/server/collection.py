"""An open collection on a Qdrant server."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
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
from citeloom.infrastructure.search.edge.shard import DENSE, SENTENCES, SPARSE
from citeloom.infrastructure.search.payload import (
    CONTENT,
    POSITION,
    Payload,
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
from citeloom.infrastructure.search.server.calls import Server
from citeloom.infrastructure.search.server.filters import (
    TENANT,
    of_documents,
    of_tenant,
    server_filter,
)

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models

T = TypeVar("T")

# A server takes requests of up to 32 MB (its default); a number in JSON takes about 20 bytes.
REQUEST_BYTES: Final = 8 * 2**20
NUMBER_BYTES: Final = 22
# Passages read in one request, without and with vectors.
PAGE: Final = 512
PAGE_WITH_VECTORS: Final = 64
_EVERYTHING: Final = Filter()


class ServerCollection:
    """The points of one project. With a ``tenant``, those of it in a collection that
    others share: whatever is read or written is narrowed to it, and the ids of its points
    are the chunk ids mixed with its name, since two projects may hold the same document."""

    def __init__(
        self, server: Server, name: str, dimension: int, *, tenant: str | None = None
    ) -> None:
        self._server = server
        self._name = name
        self.dimension = dimension
        self._tenant = tenant
        digest = hashlib.sha256((tenant or "").encode()).digest()[:16]
        self._mask = int.from_bytes(digest, "big") if tenant is not None else 0

    def replace_document(self, document_id: str, passages: Sequence[EmbeddedPassage]) -> None:
        self._replace(document_id, passages)

    def annotate(
        self,
        document_id: str,
        passages: Sequence[EmbeddedPassage],
        marks: Mapping[str, Sequence[Mark]],
    ) -> None:
        self._replace(document_id, passages, ChunkKind.ANNOTATION.value)
        self._set_payloads(list(other_marks(self.passages(document_id), marks)))

    def delete_documents(self, document_ids: Iterable[str]) -> None:
        ids = list(document_ids)
        for start in range(0, len(ids), PAGE):
            self._delete(of_documents(ids[start : start + PAGE], self._tenant))

    def set_citation(
        self, document_id: str, citation: CitationMeta | None, source_path: str
    ) -> None:
        payload = citation_payload(citation, source_path)
        which = of_documents([document_id], self._tenant)
        self._call("writing", lambda c: c.set_payload(self._name, payload, which, wait=True))

    def set_page_labels(self, document_id: str, labels: Mapping[int, str | None]) -> bool:
        changed = list(other_labels(self.passages(document_id), labels))
        self._set_payloads(changed)
        return bool(changed)

    def set_sparse(self, vectors: Mapping[str, SparseVector]) -> None:
        ids = list(vectors)
        for start in range(0, len(ids), PAGE):
            there = self._retrieve(ids[start : start + PAGE], PAGE)
            self._reweigh({id: vectors[id] for id in there})

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
        some = None if among is None else [self._point_id(id) for id in among]
        condition = server_filter(filter, self._tenant, ids=some)
        scores = self._nearest(
            {name: (vector, condition, limit, False) for name, vector in asked.items()}
        )
        pool = list(dict.fromkeys(id for found in scores.values() for id in found))
        rest = {name: [id for id in pool if id not in found] for name, found in scores.items()}
        if DENSE in asked:
            asked[SENTENCES] = [asked[DENSE]]
            rest[SENTENCES] = pool
        crossed = {
            name: (asked[name], server_filter(_EVERYTHING, self._tenant, ids=ids), len(ids), True)
            for name, ids in rest.items()
            if ids
        }
        scored = self._nearest(crossed)
        every = {name: {**scores.get(name, {}), **scored.get(name, {})} for name in asked}
        return [
            CandidatePassage(
                self._chunk_id(id),
                every.get(DENSE, {}).get(id),
                every.get(SPARSE, {}).get(id),
                every.get(SENTENCES, {}).get(id),
            )
            for id in pool
        ]

    def fetch(self, ids: Sequence[str]) -> list[Passage]:
        records = self._retrieve(ids, PAGE, with_payload=list(CONTENT))
        return [to_passage(records[id].payload or {}) for id in ids if id in records]

    def positions(self, ids: Sequence[str]) -> Mapping[str, ChunkPosition]:
        records = self._retrieve(ids, PAGE, with_payload=list(POSITION))
        return to_positions(records)

    def sentence_scores(
        self, dense: Sequence[float], ids: Sequence[str]
    ) -> Mapping[str, Sequence[float]]:
        import numpy as np

        records = self._retrieve(ids, PAGE_WITH_VECTORS, with_vectors=[SENTENCES])
        asked = np.asarray(dense, dtype=np.float32)
        found = {id: vector_of(record, SENTENCES) for id, record in records.items()}
        return {
            id: (np.asarray(vectors, dtype=np.float32) @ asked).tolist()
            for id, vectors in found.items()
            if vectors
        }

    def vectors(self, ids: Sequence[str]) -> Mapping[str, Sequence[float]]:
        records = self._retrieve(ids, PAGE, with_vectors=[DENSE])
        return {id: vector_of(record, DENSE) for id, record in records.items()}

    def passages(self, document_id: str | None = None) -> Iterator[Passage]:
        for each in self._documents(document_id):
            records = self._scroll(each, PAGE, with_payload=list(CONTENT))
            found = [to_passage(record.payload or {}) for record in records]
            yield from sorted(found, key=lambda passage: passage.chunk.chunk_idx)

    def export(self, document_id: str | None = None) -> Iterator[EmbeddedPassage]:
        for each in self._documents(document_id):
            records = self._scroll(
                each, PAGE_WITH_VECTORS, with_payload=list(CONTENT), with_vectors=True
            )
            found = [_embedded(record) for record in records]
            yield from sorted(found, key=lambda embedded: embedded.passage.chunk.chunk_idx)

    def counts(self) -> Mapping[str, int]:
        points = self._points()
        mine = None if self._tenant is None else of_tenant(self._tenant)
        facet = self._call(
            "counting",
            lambda c: c.facet(
                self._name, "document", facet_filter=mine, limit=max(1, points), exact=True
            ),
        )
        return {str(hit.value): hit.count for hit in facet.hits if hit.count}

    def info(self) -> CollectionInfo:
        found = self._call("reading", lambda c: c.get_collection(self._name))
        fields = tuple(sorted(set(found.payload_schema) - {TENANT}))
        return CollectionInfo(
            points=self._points(), documents=len(self.counts()), indexed_fields=fields
        )

    def flush(self) -> None:
        """Nothing to do: a write returns when the server has it in its log and applied it."""

    def compact(self) -> bool:
        """Nothing to do: the server compacts by itself."""
        return False

    def _call(self, doing: str, operation: "Callable[[QdrantClient], T]") -> T:
        # Without statuses to accept, a call returns what the operation does.
        return cast(T, self._server.call(f"{doing} in {self._name}", operation))

    def _replace(
        self, document_id: str, passages: Sequence[EmbeddedPassage], kind: str | None = None
    ) -> None:
        """Write these, then remove all others of the document (of one kind)."""
        for each in passages:
            check_vectors(each, self.dimension)
        for batch in self._batches(passages):
            self._upsert([self._point(each) for each in batch])
        kept = [self._point_id(each.passage.chunk.id) for each in passages]
        self._delete(of_documents([document_id], self._tenant, without=kept, kind=kind))

    def _upsert(self, points: "list[models.PointStruct]") -> None:
        self._call("writing", lambda client: client.upsert(self._name, points, wait=True))

    def _delete(self, which: "models.Filter") -> None:
        self._call("deleting", lambda client: client.delete(self._name, which, wait=True))

    def _set_payloads(self, payloads: Sequence[tuple[str, Payload]]) -> None:
        """Change these parts of points that are there, by chunk id."""
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
        """Give points that are there other sparse vectors, in one request."""
        from qdrant_client import models

        points = [
            models.PointVectors(id=self._point_id(id), vector={SPARSE: _sparse(vector)})
            for id, vector in vectors.items()
        ]
        if points:
            self._call("writing", lambda client: client.update_vectors(self._name, points))

    def _point_id(self, chunk_id: str) -> str:
        return str(UUID(int=UUID(chunk_id).int ^ self._mask))

    # Mixing in twice takes out again.
    _chunk_id = _point_id

    def _point(self, embedded: EmbeddedPassage) -> "models.PointStruct":
        from qdrant_client import models

        vectors: dict[str, Any] = {
            DENSE: plain_floats(embedded.dense),
            SPARSE: _sparse(embedded.sparse),
        }
        if embedded.sentences:
            vectors[SENTENCES] = [plain_floats(each) for each in embedded.sentences]
        payload = to_payload(embedded.passage)
        if self._tenant is not None:
            payload[TENANT] = self._tenant
        id = self._point_id(embedded.passage.chunk.id)
        # Without validation, which tries each list of numbers as every kind of vector there is:
        # 60 points a second against 6,000, and what is sent is the same.
        return models.PointStruct.model_construct(id=id, vector=vectors, payload=payload)

    def _batches(self, passages: Sequence[EmbeddedPassage]) -> Iterator[list[EmbeddedPassage]]:
        batch: list[EmbeddedPassage] = []
        size = 0
        for each in passages:
            takes = self._size(each)
            if batch and size + takes > REQUEST_BYTES:
                yield batch
                batch, size = [], 0
            batch.append(each)
            size += takes
        if batch:
            yield batch

    def _size(self, embedded: EmbeddedPassage) -> int:
        """About how many bytes of JSON a passage takes, its citation included."""
        numbers = self.dimension * (1 + len(embedded.sentences)) + 2 * len(embedded.sparse.indices)
        return 4096 + NUMBER_BYTES * numbers + 4 * len(embedded.passage.chunk.text)

    def _nearest(
        self, asked: "Mapping[str, tuple[Any, models.Filter | None, int, bool]]"
    ) -> dict[str, dict[str, float]]:
        """By vector name, the scores of the nearest points by their ids: one request for
        all. ``asked`` are vector, filter, limit, and whether no graph may be used."""
        from qdrant_client import models

        if not asked:
            return {}
        requests = [
            models.QueryRequest(
                query=models.NearestQuery(nearest=vector),
                using=name,
                filter=condition,
                limit=limit,
                params=self._params(name, exact=exact),
                with_payload=False,
            )
            for name, (vector, condition, limit, exact) in asked.items()
        ]
        answers = self._call("searching", lambda c: c.query_batch_points(self._name, requests))
        return {
            name: {str(point.id): point.score for point in answer.points}
            for name, answer in zip(asked, answers, strict=True)
        }

    def _params(self, name: str, *, exact: bool) -> "models.SearchParams | None":
        """How rare a term is, is counted among the project's own passages."""
        from qdrant_client import models

        if name == SPARSE:
            if self._tenant is None:
                return None
            corpus = models.IdfCorpusParams(corpus=of_tenant(self._tenant))
            return models.SearchParams(idf=corpus)
        return models.SearchParams(exact=True) if exact else None

    def _retrieve(self, ids: Sequence[str], page: int, **what: Any) -> "dict[str, models.Record]":
        what = {"with_payload": False, "with_vectors": False} | what
        wanted = [self._point_id(id) for id in ids]
        found: dict[str, models.Record] = {}
        for start in range(0, len(wanted), page):
            records = self._points_of(wanted[start : start + page], what)
            found.update((self._chunk_id(str(record.id)), record) for record in records)
        return found

    def _scroll(self, document_id: str, page: int, **what: Any) -> "Iterator[models.Record]":
        condition = of_documents([document_id], self._tenant)
        offset: Any = None
        while True:
            records, offset = self._page(condition, page, offset, what)
            yield from records
            if offset is None:
                return

    def _points_of(
        self, point_ids: Sequence[str], what: Mapping[str, Any]
    ) -> "list[models.Record]":
        return self._call("reading", lambda client: client.retrieve(self._name, point_ids, **what))

    def _page(
        self, condition: "models.Filter", limit: int, offset: Any, what: Mapping[str, Any]
    ) -> "tuple[list[models.Record], Any]":
        return self._call(
            "reading",
            lambda client: client.scroll(
                self._name, scroll_filter=condition, limit=limit, offset=offset, **what
            ),
        )

    def _documents(self, document_id: str | None) -> Sequence[str]:
        return sorted(self.counts()) if document_id is None else [document_id]

    def _points(self) -> int:
        mine = None if self._tenant is None else of_tenant(self._tenant)
        counted = self._call("counting", lambda c: c.count(self._name, count_filter=mine))
        return counted.count


def _embedded(record: "models.Record") -> EmbeddedPassage:
    sparse = vector_of(record, SPARSE)
    terms = SparseVector(sparse.indices, sparse.values) if sparse else SparseVector([], [])
    passage = to_passage(record.payload or {})
    return EmbeddedPassage(passage, vector_of(record, DENSE), terms, vector_of(record, SENTENCES))


def _sparse(vector: SparseVector) -> "models.SparseVector":
    from qdrant_client import models

    return models.SparseVector(
        indices=[int(index) for index in vector.indices],
        values=[float(value) for value in vector.values],
    )
