"""The index at a server, as the settings have it."""

from citeloom.application.index.guarded_index import GuardedIndex
from citeloom.application.ports.index import Index
from citeloom.application.ports.system import ProcessLocks
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.domain.projects.index_place import IndexPlace
from citeloom.infrastructure.search.server.calls import Server
from citeloom.infrastructure.search.server.definition import CollectionStorage
from citeloom.infrastructure.search.server.index import ServerIndex
from citeloom.infrastructure.settings.index_section import IndexSettings


def index_at(
    place: IndexPlace, model: EmbeddingModel, options: IndexSettings, locks: ProcessLocks
) -> Index:
    """The API key goes to the configured server only; where none is configured, to the one that a
    project names."""
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
    return GuardedIndex(index, locks, place=place.url)
