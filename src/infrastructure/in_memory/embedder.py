"""Vectors without a model: hashed bags of words, for tests and for machines without weights.

Obeys the same contract as the real embedder. Texts are alike as far as they share words;
what words mean is not known to it.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence

from citeloom.domain.projects.embedding_model import EmbeddingModel

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\S+")
# Vectors made by other rules are not comparable; part of the model's digest.
_RULES = "words-1"


class WordTokens:
    """Counts words, parted by white space."""

    def count(self, text: str) -> int:
        return len(self.ends(text))

    def ends(self, text: str) -> Sequence[int]:
        return [match.end() for match in _TOKEN.finditer(text)]


class HashingEmbedder:
    """Counts words by their hash; deterministic on every machine and in every process."""

    def __init__(
        self, name: str = "hashing", *, dimension: int = 64, max_tokens: int = 256
    ) -> None:
        rules = f"{_RULES}:{name}:{dimension}:{max_tokens}"
        self._model = EmbeddingModel(
            name=name,
            dimension=dimension,
            digest=hashlib.sha256(rules.encode()).hexdigest(),
            max_tokens=max_tokens,
        )
        self._tokens = WordTokens()

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    @property
    def tokens(self) -> WordTokens:
        return self._tokens

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        return (self.embed_query(text) for text in texts)

    def embed_query(self, text: str) -> Sequence[float]:
        """What lies beyond the window is not seen. Without words, all parts are equal."""
        ends = self._tokens.ends(text)[: self._model.max_tokens]
        words = _WORD.findall(text[: ends[-1]].casefold()) if ends else []
        counts = [0.0] * self._model.dimension if words else [1.0] * self._model.dimension
        for word in words:
            counts[self._place(word)] += 1.0
        length = math.sqrt(sum(x * x for x in counts))
        return [x / length for x in counts]

    def _place(self, word: str) -> int:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self._model.dimension
