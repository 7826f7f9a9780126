"""Port: vectors for texts."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from citeloom.application.ports.index import SparseVector
from citeloom.domain.project import EmbeddingModel


class TokenCounter(Protocol):
    """Counts tokens as the embedding model does, special tokens excluded."""

    def count(self, text: str) -> int: ...

    def ends(self, text: str) -> Sequence[int]:
        """The character offset at which each token ends, ascending."""


class Embedder(Protocol):
    """Dense vectors, normalised to length 1."""

    @property
    def model(self) -> EmbeddingModel: ...

    @property
    def tokens(self) -> TokenCounter: ...

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        """A vector a text, in the order of ``texts``, with bounded memory."""

    def embed_query(self, text: str) -> Sequence[float]: ...


class SparseEmbedder(Protocol):
    """BM25 term weights (the IDF part is the index's)."""

    @property
    def name(self) -> str:
        """Identifies tokeniser, stop words and parameters."""

    def embed(
        self, texts: Iterable[str], language: str | None = None
    ) -> Iterator[SparseVector]: ...

    def embed_query(self, text: str, languages: Sequence[str] = ()) -> SparseVector:
        """The terms of a question as documents in these languages have them; in the
        default language where none is given."""
