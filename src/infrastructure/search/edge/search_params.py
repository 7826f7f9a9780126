"""How the engine is to search a shard: how wide in a graph, and by which count of words."""

from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.infrastructure.search.edge.hnsw_graph import SEARCHED, counts_what_is_there
from citeloom.infrastructure.search.payload import DENSE, SPARSE

if TYPE_CHECKING:
    import qdrant_edge


class EdgeParams:
    """What the engine is told with each search of a shard, whose files lie in ``files``."""

    def __init__(self, shard: "qdrant_edge.EdgeShard", files: Path) -> None:
        self._shard = shard
        self._files = files
        # Whether the engine knows by itself how rare a word is; None until it is asked.
        self._knows_words: bool | None = None

    def forget(self) -> None:
        """To be called with each change of the shard."""
        self._knows_words = None

    def of(self, using: str) -> "qdrant_edge.SearchParams | None":
        """Of a search by this vector; None for the engine's own."""
        import qdrant_edge

        if using == DENSE:
            return qdrant_edge.SearchParams(hnsw_ef=SEARCHED)
        return self._of_all_there() if using == SPARSE else None

    def _of_all_there(self) -> "qdrant_edge.SearchParams | None":
        """How rare a term is, among what is there: what was removed since the last graph or
        compacting would else be counted."""
        import qdrant_edge

        if self._knows_words is None:
            self._knows_words = counts_what_is_there(self._shard, self._files)
        if self._knows_words:
            return None
        return qdrant_edge.SearchParams(idf=qdrant_edge.IdfParams(corpus=qdrant_edge.Filter()))
