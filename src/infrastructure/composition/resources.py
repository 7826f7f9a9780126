"""What the verbs are made of: the stores and models of a workspace.

With ``bootstrap`` the composition root: nothing is made before it is asked for, so that a
query never loads what only an ingest needs.
"""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.infrastructure.composition import recording
from citeloom.infrastructure.composition.wiring import WIRING, Wired
from citeloom.infrastructure.settings.sections import Settings
from citeloom.infrastructure.settings.settings import Configuration
from citeloom.infrastructure.system.workspace import Workspace, user_cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from citeloom.application.index.placed_index import PlacedIndex
    from citeloom.application.ports.catalogue import Catalogue
    from citeloom.application.ports.index import Index
    from citeloom.application.ports.ingest import BundleStore
    from citeloom.application.ports.library import AnnotationStore, FollowedLibraries
    from citeloom.application.ports.models import Embedder, Reranker, SparseEmbedder
    from citeloom.application.ports.resources import LabelStore
    from citeloom.domain.projects.embedding_model import EmbeddingModel
    from citeloom.domain.projects.index_place import IndexPlace
    from citeloom.domain.projects.project import Project

#: What is given up at the end, where it was made.
_CLOSED = (
    "index",
    "catalogue",
    "labels",
    "followed",
    "annotations",
    "research_record",
    "user_record",
    "language_model",
)


class Resources:
    """Catalogue, index, bundles and models of one workspace. ``owner`` names this process to
    others that wait.

    What is put into ``made`` before it is asked for is used as it is.
    """

    def __init__(
        self, workspace: Workspace, configuration: Configuration, *, owner: str = "citeloom"
    ) -> None:
        self.workspace = workspace
        self.configuration = configuration
        self._owner = owner
        self.made: dict[str, Any] = {}

    @property
    def settings(self) -> Settings:
        return self.configuration.settings

    @property
    def catalogue_url(self) -> str:
        """The database of the catalogue and of the record of research."""
        return self.settings.catalogue.url or self.workspace.catalogue_url

    @Wired
    def catalogue(self) -> "Catalogue":
        from citeloom.infrastructure.storage.catalogue import SqlCatalogue

        return SqlCatalogue(self.catalogue_url)

    @Wired
    def labels(self) -> "LabelStore":
        from citeloom.infrastructure.storage.labels import SqlLabels

        return SqlLabels(self.catalogue_url)

    @Wired
    def followed(self) -> "FollowedLibraries":
        from citeloom.infrastructure.storage.followed_libraries import SqlFollowed

        return SqlFollowed(self.catalogue_url)

    @Wired
    def annotations(self) -> "AnnotationStore":
        from citeloom.infrastructure.storage.annotations import SqlAnnotations

        return SqlAnnotations(self.catalogue_url)

    research_record = Wired(recording.research_record)
    user_record = Wired(recording.user_record)

    @Wired
    def index(self) -> "PlacedIndex":
        from citeloom.application.index.placed_index import PlacedIndex
        from citeloom.infrastructure.search.edge.index import EdgeIndex

        return PlacedIndex(
            catalogue=self.catalogue,
            local=EdgeIndex(
                self.workspace.index,
                owner=self._owner,
                exact_up_to=self.settings.index.exact_up_to,
            ),
            server=self.server_index,
        )

    @Wired
    def server_index(self) -> "Callable[[IndexPlace, EmbeddingModel], Index]":
        """The index at a server, connected once a place and model. The API key goes to the
        configured server only; where none is configured, to the one that a project names."""
        wanted = self.settings.index
        key = wanted.api_key.get_secret_value()

        @cache
        def make(place: "IndexPlace", model: "EmbeddingModel") -> "Index":
            from citeloom.infrastructure.search.server.calls import Server
            from citeloom.infrastructure.search.server.index import ServerIndex

            known = key if wanted.url in ("", place.url) else None
            server = Server(place.url, known or None, timeout_seconds=wanted.timeout_seconds)
            return ServerIndex(server, layout=place.layout, model=model.fingerprint)

        def connect(place: "IndexPlace", model: "EmbeddingModel") -> "Index":
            with WIRING:
                return make(place, model)

        return connect

    @Wired
    def bundles(self) -> "BundleStore":
        from citeloom.infrastructure.ingest.bundles import FileBundleStore

        return FileBundleStore(self.workspace.bundles, self.workspace.maps)

    @Wired
    def embedder(self) -> "Callable[[str], Embedder]":
        from citeloom.infrastructure.models.embedding.factory import embedder_named

        threads, fetched = self.settings.embedding.threads, self.model_cache

        @cache
        def make(name: str) -> "Embedder":
            return embedder_named(name, threads=threads, cache=fetched)

        def load(name: str) -> "Embedder":
            with WIRING:
                return make(name)

        return load

    def load_ahead(self, model: str) -> None:
        """Begin to load a model that will be asked for, if that can be done in the background."""
        from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

        embedder = self.embedder(model)
        if isinstance(embedder, BundledEmbedder):
            embedder.load_ahead()

    def open_ahead(self, project: "Project") -> None:
        """Open the index of a project in this workspace, if it has one, which a question will
        be asked of: while a model is loaded in the background, that costs no time of its own.
        Raises ShardBusy, IndexUnavailable, StorageFailed."""
        if project.retrieval.place is None and self.index.exists(project.collection):
            dimension, wait = project.embedding_model.dimension, self.wait_seconds
            with self.index.open(project.collection, dimension=dimension, wait_seconds=wait):
                pass

    @Wired
    def reranker(self) -> "Reranker":
        """The configured one; its weights are loaded with the first question."""
        from citeloom.infrastructure.models.embedding import bundled as embedding
        from citeloom.infrastructure.models.reranking import bundled

        wanted, threads = self.settings.query.reranker, self.settings.embedding.threads
        if wanted.lower() in bundled.ALIASES:
            from citeloom.infrastructure.models.reranking.bundled_reranker import BundledReranker

            return BundledReranker(embedding.tokenizer_folder(), threads=threads)
        from citeloom.infrastructure.models.reranking.fastembed import FastEmbedReranker

        return FastEmbedReranker(wanted, threads=threads, cache=self.model_cache)

    @Wired
    def sparse(self) -> "SparseEmbedder":
        from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder

        return Bm25Embedder()

    @property
    def model_cache(self) -> Path:
        named = self.settings.embedding.cache or os.environ.get("FASTEMBED_CACHE_PATH", "")
        return Path(named).expanduser() if named else user_cache_folder() / "models"

    @property
    def wait_seconds(self) -> float:
        return self.settings.index.wait_seconds

    def close(self) -> None:
        """Give up shards and connections."""
        for name in _CLOSED:
            if name in self.made:
                self.made[name].close()
