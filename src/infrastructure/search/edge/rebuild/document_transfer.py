"""Transfer of documents between shards, and verification that both are equal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from citeloom.infrastructure.search.filters import embedded_filters
from citeloom.infrastructure.search.payload import DENSE, SPARSE

if TYPE_CHECKING:
    import qdrant_edge

_PAGE: Final = 256
# Sampled documents, neighbours compared for each, and the least recall of the graph.
_SAMPLES: Final = 20
_DEPTH: Final = 10
_RECALL: Final = 0.9
_TOLERANCE: Final = 1e-4


def carry_over(
    document_id: str, old: "qdrant_edge.EdgeShard", new: "qdrant_edge.EdgeShard"
) -> None:
    """Make the document in ``new`` what it is in ``old``: changed, added or removed. Raises
    RuntimeError unless both then have the same number of passages."""
    import qdrant_edge

    filters = embedded_filters()
    condition = filters.of_documents([document_id])
    copied_ids: list[Any] = []
    offset: qdrant_edge.PointId | None = None
    while True:
        records, offset = old.scroll(
            qdrant_edge.ScrollRequest(
                offset=offset,
                limit=_PAGE,
                filter=condition,
                with_payload=True,
                with_vector=True,
            )
        )
        points = [qdrant_edge.Point(r.id, r.vector or {}, r.payload) for r in records]
        if points:
            new.update(qdrant_edge.UpdateOperation.upsert_points(points))
        copied_ids += [record.id for record in records]
        if offset is None:
            break
    leftovers = filters.of_documents([document_id], without=copied_ids)
    new.update(qdrant_edge.UpdateOperation.delete_points_by_filter(leftovers))
    if new.count(qdrant_edge.CountRequest(filter=condition, exact=True)) != len(copied_ids):
        raise RuntimeError("the new index does not hold the same passages")


@dataclass(frozen=True, slots=True)
class Sample:
    """The passages per document of a shard; and some passages with the scores of their nearest
    neighbours."""

    counts: Mapping[Any, int]
    passages: Sequence[tuple["qdrant_edge.Record", Mapping[Any, float]]]


def sample_of(shard: "qdrant_edge.EdgeShard") -> Sample:
    """One passage of each of some documents."""
    counts = _counts(shard)
    documents = sorted(counts)
    sampled = documents[:: max(1, len(documents) // _SAMPLES)]
    records = [_one_of(document_id, shard) for document_id in sampled]
    return Sample(counts, [(r, _nearest(shard, _vectors(r)[DENSE], exact=True)) for r in records])


def verify(expected: Sample, shard: "qdrant_edge.EdgeShard") -> None:
    """Raise RuntimeError unless the shard has the same passages, and finds them by its graph."""
    if _counts(shard) != expected.counts:
        raise RuntimeError("the new index does not hold the same passages")
    recalls = [_compare(record, nearest, shard) for record, nearest in expected.passages]
    if recalls and sum(recalls) < _RECALL * len(recalls):
        raise RuntimeError("the graph of the new index misses too much")


def _one_of(document_id: Any, shard: "qdrant_edge.EdgeShard") -> "qdrant_edge.Record":
    import qdrant_edge

    condition = embedded_filters().of_documents([document_id])
    [record], _ = shard.scroll(
        qdrant_edge.ScrollRequest(limit=1, filter=condition, with_payload=True, with_vector=True)
    )
    return record


def _vectors(record: "qdrant_edge.Record") -> dict[str, Any]:
    assert isinstance(record.vector, dict)
    return record.vector


def _compare(
    record: "qdrant_edge.Record", expected: Mapping[Any, float], new: "qdrant_edge.EdgeShard"
) -> float:
    """The share of a passage's nearest neighbours that the graph finds. RuntimeError if the passage
    or the exact result differs."""
    [copy] = new.retrieve([record.id], with_payload=True, with_vector=True)
    vectors = _vectors(record)
    if record.payload != copy.payload or vectors.keys() != _vectors(copy).keys():
        raise RuntimeError("the new index holds other passages")
    exact_neighbours = _nearest(new, vectors[DENSE], exact=True)
    scores = zip(sorted(expected.values()), sorted(exact_neighbours.values()), strict=False)
    if len(expected) != len(exact_neighbours) or any(abs(a - b) > _TOLERANCE for a, b in scores):
        raise RuntimeError("the new index finds other passages")
    term_vector: Any = vectors.get(SPARSE)
    if (
        term_vector is not None
        and term_vector.indices
        and not _finds_by_terms(new, term_vector, record.id)
    ):
        raise RuntimeError("the new index does not find a passage by its words")
    worst = min(expected.values()) - _TOLERANCE
    graph_neighbours = _nearest(new, vectors[DENSE], exact=False)
    return sum(score >= worst for score in graph_neighbours.values()) / max(1, len(expected))


def _nearest(
    shard: "qdrant_edge.EdgeShard", dense: list[float], *, exact: bool
) -> dict[Any, float]:
    import qdrant_edge

    request = qdrant_edge.QueryRequest(
        limit=_DEPTH,
        query=qdrant_edge.Query.Nearest(dense, DENSE),
        params=qdrant_edge.SearchParams(exact=exact),
    )
    return {point.id: point.score for point in shard.query(request)}


def _finds_by_terms(shard: "qdrant_edge.EdgeShard", term_vector: Any, id: Any) -> bool:
    import qdrant_edge

    condition = qdrant_edge.Filter(must=[qdrant_edge.HasIdCondition({id})])
    nearest = qdrant_edge.Query.Nearest(term_vector, SPARSE)
    return bool(shard.query(qdrant_edge.QueryRequest(limit=1, query=nearest, filter=condition)))


def _counts(shard: "qdrant_edge.EdgeShard") -> dict[Any, int]:
    import qdrant_edge

    points = shard.count(qdrant_edge.CountRequest(exact=True))
    facet = qdrant_edge.FacetRequest("document", limit=max(1, points), exact=True)
    return {hit.value: hit.count for hit in shard.facet(facet).hits if hit.count}
