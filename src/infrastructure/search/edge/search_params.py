"""Search parameters of Qdrant Edge: graph width, term statistics."""

from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.search.edge.hnsw_graph import EF_SEARCH, has_current_statistics
from citeloom.infrastructure.search.payload import DENSE, SPARSE

if TYPE_CHECKING:
    import qdrant_edge


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
