"""Open collection of Qdrant Edge."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from citeloom.application.ports.index import CollectionInfo, EmbeddedPassage, SparseVector
from citeloom.domain.errors import StorageFailed
from citeloom.infrastructure.search.passage_collection import (
    PAGE,
    NearestQuery,
    PassageCollection,
    plain_sparse,
)
from citeloom.infrastructure.search.payload import (
    CONTENT,
    SPARSE,
    Payload,
    embedded_filters,
    to_payload,
)

from . import checksums
from .graph_build import give_up_build
from .hnsw_graph import EdgeParams, has_graph, is_outgrown
from .shard import close_shard, engine_errors, require_space

if TYPE_CHECKING:
    import qdrant_edge

# Passages in one operation, which is one record of the write-ahead log and hence atomic: all but
# the largest books fit into it.
BATCH: Final = 1000


class Latest:
    """Values by owner and chunk id, at most ``most`` of all owners: the longest unused go first.
    An owner (any object) reads on one thread at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[object, str], Any] = OrderedDict()
        self._lock = threading.Lock()

    def of(
        self, owner: object, ids: Sequence[str], read: Callable[[Sequence[str]], Mapping[str, Any]]
    ) -> dict[str, Any]:
        """The values of ``ids``, in their order; ``read`` gives those that are not kept. What it
        leaves out is left out."""
        with self._lock:
            kept = [id for id in dict.fromkeys(ids) if (owner, id) in self._kept]
            known = {id: self._kept.pop((owner, id)) for id in kept}
        if unread := [id for id in ids if id not in known]:
            known |= read(unread)
        found = {id: known[id] for id in ids if id in known}
        with self._lock:
            self._kept.update(((owner, id), value) for id, value in found.items())
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found


# Passages of all collections whose texts and vectors of sentences are kept, 19 KB each; a question
# reads 20.
_KEPT: Final = 2048
_POSITIONS, _PASSAGES, _SENTENCES = Latest(_KEPT), Latest(_KEPT), Latest(_KEPT)


class EdgeCollection(PassageCollection):
    """The collection of one shard. One thread at a time: the engine holds the interpreter lock
    anyway."""

    def __init__(
        self,
        shard: "qdrant_edge.EdgeShard",
        folder: Path,
        dimension: int,
        *,
        copy_of: Path | None = None,
    ) -> None:
        """``copy_of`` is the folder that cannot be written, if ``folder`` is a copy of it: every
        change is refused."""
        super().__init__(dimension, embedded_filters())
        self._shard = shard
        self._folder = folder
        self._copy_of = copy_of
        self._lock = threading.RLock()
        self._unflushed = False
        self._params = EdgeParams(shard, folder / "shard")
        # What is kept is of this state: this process alone changes the shard while it is open.
        self._state = object()

    def positions(self, ids: Sequence[str]) -> Mapping[str, Any]:
        with self._lock:
            return _POSITIONS.of(self._state, ids, super().positions)

    def _passages(self, ids: Sequence[str]) -> Mapping[str, Any]:
        with self._lock:
            return _PASSAGES.of(self._state, ids, super()._passages)

    def _sentences(self, ids: Sequence[str]) -> Mapping[str, Any]:
        with self._lock:
            return _SENTENCES.of(self._state, ids, super()._sentences)

    def set_sparse(self, vectors: Mapping[str, SparseVector]) -> None:
        import qdrant_edge

        with self._locked("writing to the index"):
            records = self._retrieve(list(vectors))
            points = [
                qdrant_edge.PointVectors(UUID(id), {SPARSE: self._sparse(vectors[id])})
                for id in records
            ]
            for start in range(0, len(points), BATCH):
                batch = points[start : start + BATCH]
                self._require_space(sum(8 * len(vectors[id].indices) for id in records))
                self._update(qdrant_edge.UpdateOperation.update_vectors(batch))

    def counts(self) -> Mapping[str, int]:
        import qdrant_edge

        with self._locked("counting the index"):
            points = self._shard.count(qdrant_edge.CountRequest(exact=True))
            facet = qdrant_edge.FacetRequest("document", limit=max(1, points), exact=True)
            hits = self._shard.facet(facet).hits
        return {str(hit.value): hit.count for hit in hits if hit.count}

    def count(self) -> int:
        import qdrant_edge

        with self._locked("counting the index"):
            return int(self._shard.count(qdrant_edge.CountRequest(exact=True)))

    def info(self) -> CollectionInfo:
        with self._locked("reading the index"):
            points = self.count()
            fields = tuple(sorted(self._shard.info().payload_schema))
            documents = len(self.counts())
        return CollectionInfo(points=points, documents=documents, indexed_fields=fields)

    def flush(self) -> None:
        with self._locked("writing to the index"):
            if self._unflushed:
                self._shard.flush()
                self._unflushed = False

    def outgrown(self, exact_up_to: int) -> bool:
        """Whether a (new) graph is due."""
        with self._locked("reading the index"):
            return is_outgrown(self._shard, self._folder / "shard", exact_up_to)

    def compact(self) -> bool:
        if has_graph(self._folder / "shard"):  # it would be rebuilt here and now
            return False
        with self._locked("compacting the index"):
            self._require_space()
            checksums.discard(self._folder)
            compacted = self._shard.optimize()
            self._params.forget()
            self._unflushed = self._unflushed or compacted
            self.flush()
        return compacted

    def close(self) -> None:
        """Flush and close the shard; no call is possible afterwards."""
        with self._locked("closing the index"):
            try:
                self.flush()
            except BaseException:
                self._shard.close()
                raise
            close_shard(self._shard, self._folder)

    @contextmanager
    def _locked(self, doing: str) -> Iterator[None]:
        with self._lock, engine_errors(self._folder, doing):
            yield

    def _searching(self) -> AbstractContextManager[object]:
        return self._lock

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._locked("writing to the index"):
            self._require_space()
            yield

    def _require_space(self, writing: int = 0) -> None:
        if self._copy_of is not None:
            raise StorageFailed(
                f"{self._copy_of}: the index cannot be written; make the folder writable",
                path=str(self._copy_of),
            )
        require_space(self._folder, writing)

    def _upsert(self, passages: Sequence[EmbeddedPassage]) -> None:
        import qdrant_edge

        for start in range(0, len(passages), BATCH):
            batch = passages[start : start + BATCH]
            self._require_space(sum(map(self._size, batch)))
            points = [
                qdrant_edge.Point(
                    each.passage.chunk.id, self._vectors(each), to_payload(each.passage)
                )
                for each in batch
            ]
            self._update(qdrant_edge.UpdateOperation.upsert_points(points))

    def _delete(self, condition: "qdrant_edge.Filter") -> None:
        import qdrant_edge

        operation = qdrant_edge.UpdateOperation.delete_points_by_filter(condition)
        self._update(operation)

    def _set_payload(self, document_id: str, payload: Payload) -> None:
        import qdrant_edge

        condition = self._filters.of_documents([document_id])
        operation = qdrant_edge.UpdateOperation.set_payload_by_filter(condition, payload)
        self._update(operation)

    def _set_payloads(self, payloads: Sequence[tuple[str, Payload]]) -> None:
        import qdrant_edge

        for id, payload in payloads:
            operation = qdrant_edge.UpdateOperation.set_payload([UUID(id)], payload)
            self._update(operation)

    def _update(self, operation: "qdrant_edge.UpdateOperation") -> None:
        give_up_build(self._folder)
        checksums.discard(self._folder)
        self._unflushed = True
        self._params.forget()
        self._state = object()
        self._shard.update(operation)

    def _size(self, embedded: EmbeddedPassage) -> int:
        """Approximate size of a passage in bytes, including its citation."""
        text = len(embedded.passage.chunk.text)
        dense = self.dimension * (4 + 4 * len(embedded.sentences))
        return 4096 + dense + 8 * len(embedded.sparse.indices) + 4 * text

    def _nearest(self, queries: Mapping[str, NearestQuery]) -> dict[str, dict[str, float]]:
        import qdrant_edge

        scores = {}
        for name, query in queries.items():
            request = qdrant_edge.QueryRequest(
                limit=query.limit,
                query=qdrant_edge.Query.Nearest(query.vector, name),
                filter=query.condition,
                params=self._params.of(name),
            )
            with self._locked("searching the index"):
                points = self._shard.query(request)
            scores[name] = {str(point.id): point.score for point in points}
        return scores

    def _retrieve(
        self, ids: Sequence[str], *, payload: Sequence[str] = (), vectors: Sequence[str] = ()
    ) -> "dict[str, qdrant_edge.Record]":
        with self._locked("reading the index"):
            records = self._shard.retrieve(
                list(ids), with_payload=list(payload) or False, with_vector=list(vectors) or False
            )
        return {str(record.id): record for record in records}

    def _scroll(self, document_id: str, *, vectors: bool = False) -> "Iterator[qdrant_edge.Record]":
        import qdrant_edge

        offset: qdrant_edge.PointId | None = None
        while True:
            request = qdrant_edge.ScrollRequest(
                offset=offset,
                limit=PAGE,
                filter=self._filters.of_documents([document_id]),
                with_payload=list(CONTENT),
                with_vector=vectors,
            )
            with self._locked("reading the index"):
                records, offset = self._shard.scroll(request)
            yield from records
            if offset is None:
                return

    def _sparse(self, vector: SparseVector) -> Any:
        import qdrant_edge

        return qdrant_edge.SparseVector(*plain_sparse(vector))
