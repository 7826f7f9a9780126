"""Models: embedders, rerankers, entailment and language models, and their catalogue."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from citeloom.domain.errors import ConfigurationError, ProjectNotFound
from citeloom.infrastructure.system.workspace import has_home, user_cache_folder

from .workspace import Stores, lazy, made_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from citeloom.application.models import Models
    from citeloom.application.ports.models import (
        AnswerReader,
        Embedder,
        Reranker,
        SparseEmbedder,
        StreamingModel,
    )
    from citeloom.application.ports.verification import EntailmentModel
    from citeloom.domain.projects.project import ProjectId
    from citeloom.infrastructure.models.embedding.model_names import EndpointOptions


class ModelVerbs:
    """Models of one workspace, loaded on request; those of ``loaded`` if given."""

    def __init__(self, stores: Stores, loaded: "ModelVerbs | None" = None) -> None:
        self._stores = stores
        self._settings = stores.settings
        self._loaded = loaded

    @lazy
    def embedder(self) -> "Callable[[str], Embedder]":
        """Dense embedders by the name of their model, each made once."""
        if self._loaded:
            return self._loaded.embedder
        return self._stores.overrides.embedder or made_once(self._embedder)

    def _embedder(self, name: str) -> "Embedder":
        from citeloom.infrastructure.models.embedding.catalogue import embedder_named

        options = self._settings.embedding
        return embedder_named(
            name,
            threads=options.threads,
            cache=self.cache_folder,
            endpoint=self._endpoint,
            device=options.device,
        )

    def sending(self, project_id: "ProjectId", model: str | None) -> str | None:
        """The destination and the data of embedding for a project, in words; None if nothing is
        sent. ``model`` is the model of a project to be created (None: the default)."""
        from citeloom.infrastructure.models.embedding.model_names import endpoint_name

        options = self._settings.embedding
        try:
            name = self._stores.catalogue.project(project_id).embedding_model.name
        except ProjectNotFound:
            name = model or options.default_model
        if not options.endpoint or not endpoint_name(name):
            return None
        return f"passages and questions are sent to {name} at {options.endpoint}"

    @property
    def _endpoint(self) -> "EndpointOptions | None":
        from citeloom.infrastructure.models.embedding.model_names import EndpointOptions

        options = self._settings.embedding
        if not options.endpoint:
            return None
        return EndpointOptions(
            url=options.endpoint,
            api_key=options.api_key.get_secret_value(),
            tokenizer=Path(options.tokenizer).expanduser() if options.tokenizer else None,
            max_tokens=options.max_tokens,
            batch=options.batch,
            parallel=options.parallel,
            per_second=options.per_second,
            seconds=options.timeout_seconds,
        )

    @lazy
    def passage_embedder(self) -> "Callable[[str], Embedder]":
        """Like ``embedder``, for stored texts: a cache has the vectors of known texts."""
        if self._loaded:
            return self._loaded.passage_embedder
        if self._stores.overrides.embedder or not self._settings.embedding.vector_cache_mb:
            return self.embedder
        return made_once(self._caching)

    def _caching(self, name: str) -> "Embedder":
        from citeloom.infrastructure.models.vectors import CachingEmbedder

        return CachingEmbedder(self.embedder(name), self._stores.vector_cache)

    def load_ahead(self, name: str) -> None:
        """Begin to load an embedding model in the background, where it can be."""
        from citeloom.infrastructure.models.embedding.bundled_embedder import BundledEmbedder

        embedder = self.embedder(name)
        if isinstance(embedder, BundledEmbedder):
            embedder.load_ahead()

    def load_reranker_ahead(self) -> None:
        """The same for the reranker."""
        from citeloom.infrastructure.models.reranking.rerankers import BundledReranker

        if isinstance(self.reranker, BundledReranker):
            self.reranker.load_ahead()

    @lazy
    def sparse(self) -> "SparseEmbedder":
        if self._loaded:
            return self._loaded.sparse
        from citeloom.infrastructure.models.embedding.bm25 import Bm25Embedder

        return self._stores.overrides.sparse or Bm25Embedder()

    @lazy
    def reranker(self) -> "Reranker":
        """The configured one; its weights are loaded with the first question."""
        if self._loaded:
            return self._loaded.reranker
        from citeloom.infrastructure.models.embedding.bundled_embedder import tokenizer_folder
        from citeloom.infrastructure.models.reranking import rerankers as bundled

        if self._stores.overrides.reranker:
            return self._stores.overrides.reranker
        name, threads = self._settings.query.reranker, self._settings.embedding.threads
        if name.lower() in bundled.ALIASES:
            return bundled.BundledReranker(tokenizer_folder(), threads=threads)
        return bundled.FastEmbedReranker(name, threads=threads, cache=self.cache_folder)

    @lazy
    def answer_reader(self) -> "AnswerReader | None":
        """The bundled reader of answers, loaded with the first sentence; None if the settings
        forbid reading again."""
        if self._loaded:
            return self._loaded.answer_reader
        if self._stores.overrides.answer_reader or not self._settings.query.rerank:
            return self._stores.overrides.answer_reader
        from citeloom.infrastructure.models.embedding.bundled_embedder import tokenizer_folder
        from citeloom.infrastructure.models.reranking.answer_reader import BundledAnswerReader

        return BundledAnswerReader(tokenizer_folder(), threads=self._settings.embedding.threads)

    @lazy
    def entailment(self) -> "EntailmentModel | None":
        """The bundled judge, loaded with the first claim; None if rules alone are to judge."""
        if self._loaded:
            return self._loaded.entailment
        if self._settings.verify.judge == "rules":
            return None
        from citeloom.infrastructure.models.embedding.bundled_embedder import tokenizer_folder
        from citeloom.infrastructure.models.judging.entailment import BundledEntailmentModel

        threads = self._settings.embedding.threads
        bundled = self._stores.overrides.entailment
        return bundled or BundledEntailmentModel(tokenizer_folder(), threads=threads)

    @lazy
    def second_reader(self) -> "EntailmentModel | None":
        """The model of ``judge_folder``, which reads beside the bundled one; None if none is to.
        Raises ConfigurationError if its folder is not configured."""
        if self._loaded:
            return self._loaded.second_reader
        options, threads = self._settings.verify, self._settings.embedding.threads
        if options.judge != "local":
            return None
        if not options.judge_folder:
            raise ConfigurationError(
                "verify.judge_folder: verify.judge is local, but no folder is named; set it to one "
                "with config.json, tokenizer.json and model.onnx of an NLI cross-encoder"
            )
        from citeloom.infrastructure.models.judging.entailment import LocalEntailmentModel

        return LocalEntailmentModel(Path(options.judge_folder), threads=threads)

    @property
    def has_language_model(self) -> bool:
        return bool(self._settings.llm.url)

    @lazy
    def language_model(self) -> "StreamingModel":
        """Raises ConfigurationError if none is configured."""
        if self._loaded:
            return self._loaded.language_model
        from citeloom.application.ports.models import AnswerLimits

        options = self._settings.llm
        if not options.url or not options.model:
            missing = "llm.url" if not options.url else "llm.model"
            raise ConfigurationError(
                f"{missing}: no language model is configured; set llm.url (say "
                "http://localhost:11434/v1) and llm.model in citeloom.toml. Nothing was sent"
            )
        from citeloom.infrastructure.models.language import OpenAICompatible

        limits = AnswerLimits(
            max_tokens=options.max_tokens, timeout_seconds=options.timeout_seconds
        )
        key = options.api_key.get_secret_value()
        model = OpenAICompatible(options.url, options.model, key, limits=limits)
        return self._stores.closing(model)

    @lazy
    def catalogue(self) -> "Models":
        from citeloom.application.models import Models
        from citeloom.infrastructure.models.embedding.catalogue import EmbeddingCatalogue
        from citeloom.infrastructure.models.reranking.rerankers import RerankerCatalogue

        # Rerankers first: they recognise a folder of theirs, where the others take any.
        folder, share = self.cache_folder, None
        if self._settings.storage.url:
            share = self._stores.shared_files.models(self._stores.blobs("models"))
        return Models(
            catalogue=self._stores.catalogue,
            catalogues=(
                RerankerCatalogue(folder, share),
                EmbeddingCatalogue(folder, self._endpoint, share),
            ),
        )

    @property
    def cache_folder(self) -> Path:
        """Where fetched models are kept: in the workspace where the user has no home."""
        named = self._settings.embedding.cache or os.environ.get("FASTEMBED_CACHE_PATH", "")
        if named:
            return Path(named).expanduser()
        return (user_cache_folder() if has_home() else self._stores.workspace.home) / "models"
