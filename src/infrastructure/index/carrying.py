"""From one shard to another: documents, and proof that both hold the same."""

from typing import TYPE_CHECKING, Any, Final

from citeloom.infrastructure.index.compile_filter import of_document
from citeloom.infrastructure.index.shard import DENSE, SPARSE

if TYPE_CHECKING:
    import qdrant_edge

_PAGE: Final = 256
# Of how many documents a passage is asked for in both shards, how many are found, and how
# many of those the graph may miss: less than a tenth, or it is no use.
_SAMPLES: Final = 20
_DEPTH: Final = 10
_RECALL: Final = 0.9
_TOLERANCE: Final = 1e-4


def carry_over(
    document_id: str, old: "qdrant_edge.EdgeShard", new: "qdrant_edge.EdgeShard"
) -> None:
    """Make the document in ``new`` what it is in ``old``: changed, added or gone."""
    import qdrant_edge

    kept: list[Any] = []
    offset: qdrant_edge.PointId | None = None
    while True:
        records, offset = old.scroll(
            qdrant_edge.ScrollRequest(
                offset=offset,
                limit=_PAGE,
                filter=of_document(document_id),
                with_payload=True,
                with_vector=True,
            )
        )
        points = [qdrant_edge.Point(r.id, r.vector or {}, r.payload) for r in records]
        if points:
            new.update(qdrant_edge.UpdateOperation.upsert_points(points))
        kept += [record.id for record in records]
        if offset is None:
            break
    others = of_document(document_id, without=kept)
    new.update(qdrant_edge.UpdateOperation.delete_points_by_filter(others))


def verify(old: "qdrant_edge.EdgeShard", new: "qdrant_edge.EdgeShard") -> None:
    """Raise RuntimeError unless both hold as many passages of each document, and find the
    same ones for a sample of them."""
    counts = _counts(old)
    if _counts(new) != counts:
        raise RuntimeError("the new index does not hold the same passages")
    documents = sorted(counts)
    sampled = documents[:: max(1, len(documents) // _SAMPLES)]
    recalls = [_compare(document_id, old, new) for document_id in sampled]
    if recalls and sum(recalls) < _RECALL * len(recalls):
        raise RuntimeError("the graph of the new index misses too much")


def _compare(document_id: str, old: "qdrant_edge.EdgeShard", new: "qdrant_edge.EdgeShard") -> float:
    """The share of a passage's nearest that the graph finds. RuntimeError if the passage or
    the exact answer differs."""
    import qdrant_edge

    [mine], _ = old.scroll(
        qdrant_edge.ScrollRequest(
            limit=1, filter=of_document(document_id), with_payload=True, with_vector=True
        )
    )
    [theirs] = new.retrieve([mine.id], with_payload=True, with_vector=True)
    vectors, others = mine.vector, theirs.vector
    assert isinstance(vectors, dict)
    assert isinstance(others, dict)
    if mine.payload != theirs.payload or vectors.keys() != others.keys():
        raise RuntimeError(f"the new index holds other passages of {document_id}")
    dense: Any = vectors[DENSE]
    wanted = _nearest(old, dense, exact=True)
    found = _nearest(new, dense, exact=True)
    scores = zip(sorted(wanted.values()), sorted(found.values()), strict=False)
    if len(wanted) != len(found) or any(abs(a - b) > _TOLERANCE for a, b in scores):
        raise RuntimeError("the new index finds other passages")
    words: Any = vectors.get(SPARSE)
    if words is not None and words.indices and not _by_words(new, words, mine.id):
        raise RuntimeError("the new index does not find a passage by its words")
    worst = min(wanted.values()) - _TOLERANCE
    graph = _nearest(new, dense, exact=False)
    return sum(score >= worst for score in graph.values()) / max(1, len(wanted))


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


def _by_words(shard: "qdrant_edge.EdgeShard", words: Any, id: Any) -> bool:
    import qdrant_edge

    only = qdrant_edge.Filter(must=[qdrant_edge.HasIdCondition({id})])
    nearest = qdrant_edge.Query.Nearest(words, SPARSE)
    return bool(shard.query(qdrant_edge.QueryRequest(limit=1, query=nearest, filter=only)))


def _counts(shard: "qdrant_edge.EdgeShard") -> dict[Any, int]:
    import qdrant_edge

    points = shard.count(qdrant_edge.CountRequest(exact=True))
    facet = qdrant_edge.FacetRequest("document", limit=max(1, points), exact=True)
    return {hit.value: hit.count for hit in shard.facet(facet).hits if hit.count}
