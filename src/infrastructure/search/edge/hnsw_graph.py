"""The graph (HNSW) of a large collection: when one is wanted, and what it is made of.

Up to some ten thousand passages every vector is compared: exact, and fast enough. Beyond,
the dense vectors get a graph. It is not kept up: what is written later is compared one by
one beside it, until that is so much that a new graph is due.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from citeloom.infrastructure.search.edge.shard import engine_config, index_fields

if TYPE_CHECKING:
    import qdrant_edge

EXACT_UP_TO: Final = 50_000
# The share of a graph's points that may be removed from it or be missing in it. As the
# collection grows, each graph is larger by as much than the last: all of them together cost
# a fixed number of times what the last one does.
STALE_ABOVE: Final = 0.2
# The share of points that may be removed before words are counted anew.
FEW: Final = 0.01
# Links a point, and candidates kept while building, and while searching.
LINKS: Final = 16
BREADTH: Final = 128
SEARCHED: Final = 192
_MADE: Final = "graph.json"


def is_outgrown(shard: "qdrant_edge.EdgeShard", files: Path, exact_up_to: int) -> bool:
    """Whether the shard in ``files`` wants a (new) graph."""
    made = _made(files)
    if made is None:
        return shard.info().points_count > exact_up_to
    outside, removed = _changed(shard.info(), made)
    return outside + removed > STALE_ABOVE * made[0]


def counts_what_is_there(shard: "qdrant_edge.EdgeShard", files: Path) -> bool:
    """Whether what the engine knows by itself of how rare a word is, which counts points that
    were removed, is as good as a count of those that are there. That takes the engine longer
    than the search, the longer the more passages there are."""
    made, info = _made(files), shard.info()
    if made is not None:
        return _changed(info, made)[1] <= FEW * made[0]
    # Without a graph, the engine counts the sparse vectors of points, removed ones as well.
    return 0 <= info.indexed_vectors_count - info.points_count <= FEW * info.points_count


def _changed(info: "qdrant_edge.ShardInfo", made: tuple[int, int]) -> tuple[int, int]:
    """How many points were written since the graph was made, and how many of it removed."""
    inside, indexed = made
    # The engine counts the vectors of a graph's segment whether removed or not, and one,
    # the sparse one, of each point that was written later.
    outside = info.indexed_vectors_count - indexed
    return outside, inside - (info.points_count - outside)


def has_graph(files: Path) -> bool:
    return (files / _MADE).is_file()


def build_graph(files: Path, dimension: int) -> "qdrant_edge.EdgeShard":
    """Load the shard in ``files`` and give it a graph of all its points; still open.

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
    graph = qdrant_edge.HnswIndexConfig(m=LINKS, ef_construct=BREADTH, full_scan_threshold=10_000)
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
    made = {"points": info.points_count, "indexed": info.indexed_vectors_count}
    (files / _MADE).write_text(json.dumps(made), encoding="utf-8")
    return shard


def _made(files: Path) -> tuple[int, int] | None:
    """How many points the graph was made of, and the engine's count of vectors then."""
    if not has_graph(files):
        return None
    made = json.loads((files / _MADE).read_text(encoding="utf-8"))
    return int(made["points"]), int(made["indexed"])
