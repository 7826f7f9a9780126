"""Hashed bags of words as embeddings (port ``Embedder``), without a model.

For tests and for machines without weights; passes the contract tests of the port. Texts are similar
as far as they share words; meaning is not modelled.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence

from citeloom.domain.projects.project import EmbeddingModel

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\S+")
# Vectors made by other rules are not comparable; part of the model's digest.
_RULES = "words-1"


class WordTokens:
    """Token counts by white space."""

    def count(self, text: str) -> int:
        return len(self.ends(text))

    def ends(self, text: str) -> Sequence[int]:
        return [match.end() for match in _TOKEN.finditer(text)]


class HashingEmbedder:
    """Counts words by their hash; deterministic across machines and processes."""

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

    def embed_query(self, text: str, _is_claim: bool = False) -> Sequence[float]:
        """Text beyond the token limit is ignored. A text without words has equal components."""
        ends = self._tokens.ends(text)[: self._model.max_tokens]
        words = _WORD.findall(text[: ends[-1]].casefold()) if ends else []
        counts = [0.0] * self._model.dimension if words else [1.0] * self._model.dimension
        for word in words:
            counts[self._component(word)] += 1.0
        norm = math.sqrt(sum(x * x for x in counts))
        return [x / norm for x in counts]

    def _component(self, word: str) -> int:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self._model.dimension
