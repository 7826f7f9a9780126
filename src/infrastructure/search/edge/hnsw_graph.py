"""HNSW graph of a large collection: when it is due, and how it is built.

Up to some ten thousand passages all vectors are compared, which is exact and fast enough. Beyond,
the dense vectors get a graph. It is not updated: later passages are compared one by one beside it,
until there are enough of them for a new graph.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.infrastructure.search.payload import DENSE, SPARSE

from .shard import engine_config, index_fields

if TYPE_CHECKING:
    import qdrant_edge

EXACT_UP_TO: Final = 50_000
# Share of a graph's points that may be removed from it or missing in it. As the collection grows,
# each graph is larger than the last by this factor: the total cost of all graphs is a constant
# multiple of that of the last one.
STALE_ABOVE: Final = 0.2
# Links per point, and candidates during building and during search.
LINKS: Final = 16
EF_CONSTRUCT: Final = 128
EF_SEARCH: Final = 192
_GRAPH_FILE: Final = "graph.json"


def is_outgrown(shard: "qdrant_edge.EdgeShard", files: Path, exact_up_to: int) -> bool:
    """Whether the shard in ``files`` needs a (new) graph."""
    graph = _graph_sizes(files)
    if graph is None:
        return shard.info().points_count > exact_up_to
    outside, removed = _changed(shard.info(), graph)
    return outside + removed > STALE_ABOVE * graph[0]


def has_current_statistics(shard: "qdrant_edge.EdgeShard", files: Path) -> bool:
    """Whether the engine's own term statistics, which include removed points, are those of existing
    points. Computing the latter takes as long as the search, in proportion to the passages."""
    graph, info = _graph_sizes(files), shard.info()
    if graph is not None:
        return not _changed(info, graph)[1]
    # Without a graph, the engine counts the sparse vectors of points, removed ones as well.
    return info.indexed_vectors_count == info.points_count


def _changed(info: "qdrant_edge.ShardInfo", graph: tuple[int, int]) -> tuple[int, int]:
    """Number of points written since the graph was built, and of those removed from it."""
    inside, indexed = graph
    # The engine counts the vectors of a graph's segment whether removed or not, and one,
    # the sparse one, of each point that was written later.
    outside = info.indexed_vectors_count - indexed
    return outside, inside - (info.points_count - outside)


def has_graph(files: Path) -> bool:
    return (files / _GRAPH_FILE).is_file()


def build_graph(files: Path, dimension: int) -> "qdrant_edge.EdgeShard":
    """Load the shard in ``files`` and build a graph of all its points; the shard stays open.

    Takes minutes, and holds the interpreter lock throughout: for a process of its own.
    """
    import qdrant_edge

    # Every point that is outside of the graph goes into it, and all into one segment.
    optimizers = qdrant_edge.EdgeOptimizersConfig(
        deleted_threshold=0.0001,
        vacuum_min_vector_number=1,
        default_segment_number=1,
        max_segment_size=2**40,
        indexing_threshold=1,
    )
    graph = qdrant_edge.HnswIndexConfig(
        m=LINKS, ef_construct=EF_CONSTRUCT, full_scan_threshold=10_000
    )
    config = engine_config(dimension, dense=graph, optimizers=optimizers)
    shard = qdrant_edge.EdgeShard.load(str(files), config)
    try:
        index_fields(shard, on_disk=True)
        shard.optimize()
        shard.flush()
        info = shard.info()
    except BaseException:
        shard.close()
        raise
    sizes = {"points": info.points_count, "indexed": info.indexed_vectors_count}
    (files / _GRAPH_FILE).write_text(json.dumps(sizes), encoding="utf-8")
    return shard


def _graph_sizes(files: Path) -> tuple[int, int] | None:
    """Number of points in the graph, and the engine's count of vectors when it was built."""
    if not has_graph(files):
        return None
    sizes = json.loads((files / _GRAPH_FILE).read_text(encoding="utf-8"))
    return int(sizes["points"]), int(sizes["indexed"])


class EdgeParams:
    """Parameters of searches in a shard, whose files are in ``files``."""

    def __init__(self, shard: "qdrant_edge.EdgeShard", files: Path) -> None:
        self._shard = shard
        self._files = files
        # Whether the engine's own term statistics are current; None while unknown.
        self._statistics_current: bool | None = None

    def forget(self) -> None:
        """Call after each change of the shard."""
        self._statistics_current = None

    def of(self, using: str) -> "qdrant_edge.SearchParams | None":
        """Parameters of a search by this vector; None for the defaults of the engine."""
        import qdrant_edge

        if using == DENSE:
            return qdrant_edge.SearchParams(hnsw_ef=EF_SEARCH)
        return self._existing_points() if using == SPARSE else None

    def _existing_points(self) -> "qdrant_edge.SearchParams | None":
        """Term statistics over existing points: the default includes points removed since the last
        graph or compaction."""
        import qdrant_edge

        if self._statistics_current is None:
            self._statistics_current = has_current_statistics(self._shard, self._files)
        if self._statistics_current:
            return None
        return qdrant_edge.SearchParams(idf=qdrant_edge.IdfParams(corpus=qdrant_edge.Filter()))
