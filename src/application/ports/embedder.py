"""Port: vectors for texts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from citeloom.application.ports.index import SparseVector
from citeloom.domain.project import EmbeddingModel
from citeloom.domain.spans import CharSpan


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


@dataclass(frozen=True, slots=True)
class SparseText:
    """A passage by fields: its own text, the nearest headings, the document's title."""

    body: str
    headings: str = ""
    title: str = ""


class SparseEmbedder(Protocol):
    """Term weights by BM25 over fields (the IDF part is the index's).

    ``average_length`` is the mean ``length`` of the passages of a project.
    """

    @property
    def name(self) -> str:
        """Identifies tokeniser, stop words and parameters; the average length is none."""

    def embed(
        self, texts: Iterable[SparseText], language: str | None, average_length: float
    ) -> Iterator[SparseVector]: ...

    def length(self, body: str, language: str | None = None) -> int:
        """The number of words that count, stop words left out."""

    def embed_query(self, text: str, languages: Sequence[str] = ()) -> SparseVector:
        """The terms of a question as documents in these languages have them; in the
        default language where none is given."""

    def keys(self, text: str, languages: Sequence[str] = ()) -> Sequence[SparseVector]:
        """For each word of ``text`` that is no stop word in any of these languages: terms
        of which every passage has one that has the word, however it is hyphenated."""

    def matches(self, question: str, text: str, language: str | None = None) -> Sequence[CharSpan]:
        """Where words of ``text`` stand, written in ``language``, that ``question`` asks for."""
