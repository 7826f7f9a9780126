"""Embedder that takes the vectors of known texts from a cache."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from citeloom.application.ports.models import Embedder, TokenCounter
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.infrastructure.models.vectors.vector_cache import VectorCache, key_of

# Texts of one look-up. At most so many vectors are held, and lost by a kill.
_WINDOW = 1000


class CachingEmbedder:
    """``embedder``, which is asked only for texts that ``cache`` does not have. Questions are
    not cached."""

    def __init__(self, embedder: Embedder, cache: VectorCache) -> None:
        self._embedder = embedder
        self._cache = cache

    @property
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    @property
    def tokens(self) -> TokenCounter:
        return self._embedder.tokens

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        stream = iter(texts)
        while window := list(islice(stream, _WINDOW)):
            yield from self._window(window)

    def embed_query(self, text: str) -> Sequence[float]:
        return self._embedder.embed_query(text)

    def _window(self, texts: Sequence[str]) -> Iterator[Sequence[float]]:
        model = self._embedder.model
        keys = [key_of(model.fingerprint, text) for text in texts]
        vectors = self._cache.vectors(keys, model.dimension)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        if missing:
            made: dict[bytes, Sequence[float]] = {}
            try:
                made.update(zip(missing, self._embedder.embed(missing.values()), strict=True))
            finally:  # what was embedded before it was stopped is kept
                self._cache.add(made)
            vectors = {**vectors, **made}
        return (vectors[key] for key in keys)
