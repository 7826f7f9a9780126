"""Definition of a collection on a Qdrant server: vectors, graph, copies, payload indexes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from citeloom.domain.projects.index_place import VectorQuantization
from citeloom.infrastructure.search.filters import TENANT
from citeloom.infrastructure.search.payload import DENSE, INTEGERS, KEYWORDS, SENTENCES, SPARSE

if TYPE_CHECKING:
    from qdrant_client import models

# Links per point of a graph, and those of the graph of each project in a shared collection.
LINKS: Final = 16
# Removed passages count in the statistics of terms until their segment is rewritten, which is due
# when they are more than this share of it, and it has so many points (the server's least).
REMOVED_BELOW: Final = 0.05
_LEAST_SEGMENT: Final = 100
# The server takes no threshold below this one, in kilobytes.
_LEAST_THRESHOLD: Final = 10
_FLOAT_BYTES: Final = 4
_KILOBYTE: Final = 1024


@dataclass(frozen=True, slots=True)
class CollectionStorage:
    """How a new collection is kept. ``exact_up_to`` passages (of a project, in the shared layout)
    are compared one by one; more are searched through a graph. ``replicas`` of each of ``shards``
    need as many nodes."""

    exact_up_to: int = 50_000
    quantization: VectorQuantization = VectorQuantization.NONE
    on_disk: bool = False
    shards: int = 1
    replicas: int = 1

    def definition(self, dimension: int, *, shared: bool) -> dict[str, Any]:
        """Arguments of ``QdrantClient.create_collection``.

        In a shared collection there is a graph for each project and none over all: qdrant.tech,
        Multitenancy, "Calibrate performance".
        """
        from qdrant_client import models

        threshold = max(_LEAST_THRESHOLD, self.exact_up_to * dimension * _FLOAT_BYTES // _KILOBYTE)
        graph = models.HnswConfigDiff(
            m=0 if shared else LINKS,
            payload_m=LINKS if shared else None,
            full_scan_threshold=threshold,
            on_disk=self.on_disk,
        )
        dense = models.VectorParams(
            size=dimension,
            distance=models.Distance.COSINE,
            on_disk=self.on_disk,
            hnsw_config=graph,
            quantization_config=self._quantization(),
        )
        words = models.SparseVectorParams(
            modifier=models.Modifier.IDF,
            index=models.SparseIndexParams(on_disk=True) if self.on_disk else None,
        )
        return {
            "vectors_config": {DENSE: dense, SENTENCES: _sentences(dimension)},
            "sparse_vectors_config": {SPARSE: words},
            "optimizers_config": models.OptimizersConfigDiff(
                deleted_threshold=REMOVED_BELOW, vacuum_min_vector_number=_LEAST_SEGMENT
            ),
            "shard_number": self.shards,
            "replication_factor": self.replicas,
        }

    def _quantization(self) -> "models.ScalarQuantization | None":
        """Vectors of one byte a number stay in memory, and choose; the whole ones score."""
        from qdrant_client import models

        if self.quantization is VectorQuantization.NONE:
            return None
        return models.ScalarQuantization(
            scalar=models.ScalarQuantizationConfig(
                type=models.ScalarType.INT8, quantile=0.99, always_ram=True
            )
        )


DEFAULT_STORAGE: Final = CollectionStorage()
# Fields whose index the first call on a new collection needs: documents are counted by one, and
# tenants are told apart by the other. Without the rest filters are right, but slow.
NEEDED_AT_ONCE: Final = frozenset({TENANT, "document"})


def field_indexes(*, shared: bool) -> dict[str, Any]:
    """Payload indexes by field, ``NEEDED_AT_ONCE`` first."""
    from qdrant_client import models

    keyword = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD)
    number = models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER, lookup=False, range=True
    )
    tenant = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
    fields: dict[str, Any] = {TENANT: tenant} if shared else {}
    return fields | dict.fromkeys(KEYWORDS, keyword) | dict.fromkeys(INTEGERS, number)


def _sentences(dimension: int) -> "models.VectorParams":
    """Compared with candidates only: no graph of any kind, on disk, three digits."""
    from qdrant_client import models

    return models.VectorParams(
        size=dimension,
        distance=models.Distance.COSINE,
        on_disk=True,
        datatype=models.Datatype.FLOAT16,
        hnsw_config=models.HnswConfigDiff(m=0, payload_m=0),
        multivector_config=models.MultiVectorConfig(
            comparator=models.MultiVectorComparator.MAX_SIM
        ),
    )
