"""Vectors that workers make, kept in the cache from which the embedder here takes them."""

import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice

from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.infrastructure.models.vectors.vector_cache import VectorCache, key_of

#: Texts of one task: some seconds on one processor core.
TEXTS_A_TASK = 256


class RemoteVectors:
    """The texts that are to be embedded, and their vectors in ``cache``."""

    def __init__(self, cache: VectorCache) -> None:
        self._cache = cache

    def batches_to_embed(
        self, model: EmbeddingModel, texts: Sequence[str]
    ) -> Iterator[tuple[str, ...]]:
        """The texts without a vector, in batches of one task."""
        keys = [key_of(model.fingerprint, text) for text in texts]
        known = self._cache.vectors(keys, model.dimension)
        missing = (text for key, text in zip(keys, texts, strict=True) if key not in known)
        while batch := tuple(islice(missing, TEXTS_A_TASK)):
            yield batch

    def keep(self, model: EmbeddingModel, texts: Sequence[str], answer: bytes) -> None:
        """Put the vectors of an answer into the cache. Raises ModelUnavailable where they are not
        those of the texts."""
        values = array("f")
        values.frombytes(answer)
        if sys.byteorder == "big":
            values.byteswap()
        size = model.dimension
        if len(values) != len(texts) * size:
            raise ModelUnavailable(
                f"{model.name}: a worker made {len(values)} numbers for {len(texts)} texts of "
                f"{size} dimensions; install the same version of CiteLoom on it"
            )
        vectors = {
            key_of(model.fingerprint, text): values[n * size : (n + 1) * size].tolist()
            for n, text in enumerate(texts)
        }
        self._cache.add(vectors)
