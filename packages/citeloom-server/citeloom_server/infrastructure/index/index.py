"""Index on a Qdrant server: a collection per project, or one shared by several."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from citeloom.application.ports.index import Index
from citeloom.application.ports.system import ProcessLocks
from citeloom.domain.errors import IndexUnavailable, WorkspaceTooNew
from citeloom.domain.projects.project import (
    EmbeddingModel,
    IndexLayout,
    IndexPlace,
    ServerCondition,
    VectorQuantization,
)
from citeloom.infrastructure.search.payload import (
    DENSE,
    INTEGERS,
    KEYWORDS,
    SENTENCES,
    SPARSE,
    TENANT,
    server_filters,
)
from citeloom.infrastructure.settings.sections import IndexSettings
from citeloom_server.application.guarded_index import GuardedIndex

from .collection import ServerCollection
from .server import OLDEST, OLDEST_SHARED, Server, collection_condition

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


FORMAT: Final = 1
_FORMAT_KEY: Final = "citeloom_format"
_SHARED_PREFIX: Final = "citeloom-"
_CONFLICT: Final = 409
_MISSING: Final = 404


class ServerIndex:
    """All collections on ``server``.

    With ``IndexLayout.SHARED`` all projects of an embedding model share one collection, named after
    ``model`` (any text that identifies it); each sees its own points only. ``storage`` is how new
    collections are kept. No call waits for another process: the server handles them concurrently.
    """

    def __init__(
        self,
        server: Server,
        *,
        layout: IndexLayout = IndexLayout.PROJECT,
        model: str,
        storage: CollectionStorage = DEFAULT_STORAGE,
    ) -> None:
        self._server = server
        self._storage = storage
        self._shared = shared_name(model) if layout is IndexLayout.SHARED else None

    @contextmanager
    def open(
        self,
        collection: str,
        *,
        dimension: int,
        writing: bool = False,  # noqa: ARG002
    ) -> Iterator[ServerCollection]:
        """Never waits: ``GuardedIndex`` keeps writers apart. Raises IndexUnavailable (no server,
        wrong key, too old, another dimension, not created by CiteLoom) and WorkspaceTooNew."""
        self._require_version()
        name = self._shared or collection
        info = self._info(name)
        if info is None:
            self._create(name, dimension)
            info = self._info(name)
        if info is None:
            raise self._unusable(name, "it was deleted while it was being created")
        self._check(name, info, dimension)
        self._complete(name, info)
        yield ServerCollection(
            self._server, name, dimension, tenant=collection if self._shared else None
        )

    def exists(self, collection: str) -> bool:
        self._require_version()
        name = self._shared or collection
        collection_exists = self._server.call(
            "looking for a collection", lambda client: client.collection_exists(name)
        )
        if not collection_exists or not self._shared:
            return bool(collection_exists)
        counted = self._server.call(
            "counting passages",
            lambda client: client.count(
                name, count_filter=server_filters(collection).of_tenant(), exact=True
            ),
            collection=name,
            accept=(_MISSING,),
        )
        return counted is not None and counted.count > 0

    def optimize(
        self,
        collection: str,  # noqa: ARG002
        *,
        dimension: int,  # noqa: ARG002
        on_start: Callable[[], None] | None = None,  # noqa: ARG002
    ) -> bool:
        """False, because a server does this by itself."""
        return False

    @contextmanager
    def renewal(self, collection: str, *, dimension: int) -> "Iterator[ServerIndex]":
        """This index: a server repairs its own files."""
        with self.open(collection, dimension=dimension):
            pass
        yield self

    def condition(self, collection: str, *, try_write: bool = False) -> ServerCondition | None:
        self._require_version()
        name = self._shared or collection
        info = self._info(name)
        if info is None:
            return None
        return collection_condition(self._server, name, info, try_write=try_write)

    def drop(self, collection: str) -> None:
        """In the shared layout, remove its points, whatever their model."""
        self._require_version()
        if not self._shared:
            self._server.call(
                "deleting a collection",
                lambda client: client.delete_collection(collection),
                collection=collection,
                accept=(_MISSING,),
            )
            return
        response = self._server.call("listing collections", lambda client: client.get_collections())
        names = [each.name for each in response.collections] if response else []
        for name in names:
            if name.startswith(_SHARED_PREFIX):
                self._delete_points(name, collection)

    def close(self) -> None:
        self._server.close()

    def _delete_points(self, name: str, tenant: str) -> None:
        from qdrant_client import models

        selector = models.FilterSelector(filter=server_filters(tenant).of_tenant())
        self._server.call(
            "deleting passages",
            lambda client: client.delete(name, selector, wait=True),
            collection=name,
            accept=(_MISSING,),
        )

    def _require_version(self) -> None:
        if self._shared:
            self._server.require(OLDEST_SHARED, 'index.layout = "shared"')
        else:
            self._server.require(OLDEST, "CiteLoom")

    def _info(self, name: str) -> "models.CollectionInfo | None":
        return self._server.call(
            "opening a collection",
            lambda client: client.get_collection(name),
            collection=name,
            accept=(_MISSING,),
        )

    def _create(self, name: str, dimension: int) -> None:
        """Losing a race against another process is not an error: both create the same."""
        definition = self._storage.definition(dimension, shared=self._shared is not None)
        self._server.call(
            "making a collection",
            lambda client: client.create_collection(
                name, **definition, metadata={_FORMAT_KEY: FORMAT}
            ),
            collection=name,
            accept=(_CONFLICT,),
        )

    def _complete(self, name: str, info: "models.CollectionInfo") -> None:
        """Create the missing payload indexes: all of them after ``_create``, the rest after an
        interruption. Each takes a server tens of milliseconds, one after another. The call waits
        only for those that an empty collection needs; the server makes the rest before the next
        write, because it applies changes in order."""
        for field, schema in field_indexes(shared=self._shared is not None).items():
            if field not in info.payload_schema:
                self._index_field(name, field, schema, wait=field in NEEDED_AT_ONCE)

    def _index_field(self, name: str, field: str, schema: Any, *, wait: bool) -> None:
        self._server.call(
            "making an index of a field",
            lambda client: client.create_payload_index(
                name, field_name=field, field_schema=schema, wait=wait
            ),
            collection=name,
        )

    def _check(self, name: str, info: "models.CollectionInfo", dimension: int) -> None:
        version = (info.config.metadata or {}).get(_FORMAT_KEY)
        if not isinstance(version, int):
            raise self._unusable(name, "CiteLoom did not make it; use another server or project")
        if version > FORMAT:
            raise WorkspaceTooNew(
                f"{name} at {self._server.url}: the collection has format {version}, this version "
                f"knows up to {FORMAT}; upgrade citeloom",
                collection=name,
            )
        vectors = info.config.params.vectors
        dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
        if dense is None:
            raise self._unusable(name, f"it has no vectors named {DENSE}")
        if dense.size != dimension:
            raise self._unusable(name, f"its vectors have {dense.size} dimensions, not {dimension}")

    def _unusable(self, name: str, reason: str) -> IndexUnavailable:
        return IndexUnavailable(
            f"{name} at {self._server.url}: {reason}", collection=name, url=self._server.url
        )


def shared_name(model: str) -> str:
    """Name of the collection that all projects of a model share."""
    return _SHARED_PREFIX + re.sub(r"[^A-Za-z0-9._-]+", "-", model)[-180:]


def index_at(
    place: IndexPlace, model: EmbeddingModel, options: IndexSettings, locks: ProcessLocks
) -> Index:
    """The API key goes only to the configured server, or else to the one that a project names."""
    key = options.api_key.get_secret_value() if options.url in ("", place.url) else ""
    server = Server(place.url, key or None, timeout_seconds=options.timeout_seconds)
    storage = CollectionStorage(
        exact_up_to=options.exact_up_to,
        quantization=options.quantization,
        on_disk=options.on_disk,
        shards=options.shards,
        replicas=options.replicas,
    )
    index = ServerIndex(server, layout=place.layout, model=model.fingerprint, storage=storage)
    return GuardedIndex(index, locks, place=place.url, wait_seconds=options.wait_seconds)


#: Seconds that a server has for saying its version, repeats included.
_CHECK_SECONDS: Final = 2.0


def check(url: str, options: IndexSettings) -> None:
    """Raises IndexUnavailable unless the server at ``url`` says its version."""
    key = options.api_key.get_secret_value() if options.url in ("", url) else ""
    server = Server(url, key or None, timeout_seconds=_CHECK_SECONDS)
    try:
        server.call("asking for the version", lambda client: client.info())
    finally:
        server.close()
