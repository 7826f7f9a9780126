"""The index at a server, as the settings have it."""

from typing import Final

from citeloom.application.ports.index import Index
from citeloom.application.ports.system import ProcessLocks
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.domain.projects.index_place import IndexPlace
from citeloom.infrastructure.settings.index_section import IndexSettings
from citeloom_server.application.guarded_index import GuardedIndex
from citeloom_server.infrastructure.index.calls import Server
from citeloom_server.infrastructure.index.definition import CollectionStorage
from citeloom_server.infrastructure.index.index import ServerIndex


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
