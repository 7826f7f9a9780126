"""From one shard to another: documents, and proof that both hold the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from citeloom.infrastructure.search.filters import embedded_filters
from citeloom.infrastructure.search.payload import DENSE, SPARSE

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
    """Make the document in ``new`` what it is in ``old``: changed, added or gone. Raises
    RuntimeError unless both hold as many passages of it then."""
    import qdrant_edge

    filters = embedded_filters()
    whole = filters.of_documents([document_id])
    kept: list[Any] = []
    offset: qdrant_edge.PointId | None = None
    while True:
        records, offset = old.scroll(
            qdrant_edge.ScrollRequest(
                offset=offset,
                limit=_PAGE,
                filter=whole,
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
    others = filters.of_documents([document_id], without=kept)
    new.update(qdrant_edge.UpdateOperation.delete_points_by_filter(others))
    if new.count(qdrant_edge.CountRequest(filter=whole, exact=True)) != len(kept):
        raise RuntimeError("the new index does not hold the same passages")


@dataclass(frozen=True, slots=True)
class Sample:
    """What a shard holds: passages by document; and some of them, each with the scores of what
    is nearest to it."""

    counts: Mapping[Any, int]
    passages: Sequence[tuple["qdrant_edge.Record", Mapping[Any, float]]]


def sample_of(shard: "qdrant_edge.EdgeShard") -> Sample:
    """A passage of each of some documents."""
    counts = _counts(shard)
    documents = sorted(counts)
    sampled = documents[:: max(1, len(documents) // _SAMPLES)]
    records = [_one_of(document_id, shard) for document_id in sampled]
    return Sample(counts, [(r, _nearest(shard, _vectors(r)[DENSE], exact=True)) for r in records])


def verify(wanted: Sample, shard: "qdrant_edge.EdgeShard") -> None:
    """Raise RuntimeError unless the shard holds the same, and finds it by its graph."""
    if _counts(shard) != wanted.counts:
        raise RuntimeError("the new index does not hold the same passages")
    recalls = [_compare(record, nearest, shard) for record, nearest in wanted.passages]
    if recalls and sum(recalls) < _RECALL * len(recalls):
        raise RuntimeError("the graph of the new index misses too much")


def _one_of(document_id: Any, shard: "qdrant_edge.EdgeShard") -> "qdrant_edge.Record":
    import qdrant_edge

    whole = embedded_filters().of_documents([document_id])
    [record], _ = shard.scroll(
        qdrant_edge.ScrollRequest(limit=1, filter=whole, with_payload=True, with_vector=True)
    )
    return record


def _vectors(record: "qdrant_edge.Record") -> dict[str, Any]:
    assert isinstance(record.vector, dict)
    return record.vector


def _compare(
    mine: "qdrant_edge.Record", wanted: Mapping[Any, float], new: "qdrant_edge.EdgeShard"
) -> float:
    """The share of a passage's nearest that the graph finds. RuntimeError if the passage or
    the exact answer differs."""
    [theirs] = new.retrieve([mine.id], with_payload=True, with_vector=True)
    vectors = _vectors(mine)
    if mine.payload != theirs.payload or vectors.keys() != _vectors(theirs).keys():
        raise RuntimeError("the new index holds other passages")
    found = _nearest(new, vectors[DENSE], exact=True)
    scores = zip(sorted(wanted.values()), sorted(found.values()), strict=False)
    if len(wanted) != len(found) or any(abs(a - b) > _TOLERANCE for a, b in scores):
        raise RuntimeError("the new index finds other passages")
    words: Any = vectors.get(SPARSE)
    if words is not None and words.indices and not _by_words(new, words, mine.id):
        raise RuntimeError("the new index does not find a passage by its words")
    worst = min(wanted.values()) - _TOLERANCE
    graph = _nearest(new, vectors[DENSE], exact=False)
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
