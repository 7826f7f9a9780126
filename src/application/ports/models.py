"""Ports of models: embedders, rerankers, language models, and the catalogue of models."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from citeloom.application.ports.index import SparseVector
from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.domain.value import Value


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


class PromptMessage(Value):
    """One turn of a conversation; ``system`` says what the model is to do."""

    role: Literal["system", "user", "assistant"]
    text: str


class AnswerLimits(Value):
    """``max_tokens`` of the answer; ``timeout_seconds`` for all attempts together, waiting
    included. The same ``seed`` asks for the same answer, which not all servers give."""

    max_tokens: int = Field(default=2048, ge=1)
    timeout_seconds: float = Field(default=120.0, gt=0)
    seed: int = 0


class Usage(Value):
    """Tokens as the server counts them; None where it does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Completion(Value):
    """An answer: its text, the model that says it wrote it, and whether it came to its end
    (False: it was cut off at ``max_tokens``). ``warnings`` say what was asked for in vain."""

    text: str
    model: str
    ended: bool = True
    usage: Usage = Usage()
    warnings: tuple[str, ...] = ()


class LanguageModel(Protocol):
    """Asked without chance: temperature 0 and a seed. May be asked by several threads."""

    @property
    def name(self) -> str:
        """The model, as configured."""

    @property
    def place(self) -> str:
        """Where the messages go, for people: ``http://localhost:11434``."""

    @property
    def limits(self) -> AnswerLimits:
        """What holds where ``complete`` is given none."""

    def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        schema: type[BaseModel] | None = None,
        limits: AnswerLimits | None = None,
    ) -> Completion:
        """The answer to ``messages``. With a ``schema`` the server is asked for JSON of that
        shape as far as it can; the text may be anything all the same.

        Raises LanguageModelUnavailable where there is no answer in time, or none at all.
        """


class ModelKind(StrEnum):
    EMBEDDING = "embedding"
    RERANKER = "reranker"


class Availability(StrEnum):
    """Where the weights are."""

    BUNDLED = "bundled"  # installed with the package
    FOLDER = "folder"  # named by its path
    FETCHED = "fetched"  # in the cache
    TO_FETCH = "to fetch"
    MISSING = "missing"  # neither here nor in the catalogue


class KnownModel(Value):
    """What is known of a model without loading it. ``size_mb`` are megabytes (10⁶ bytes) of
    weights, ``max_tokens`` the longest input; None is what is not stated. ``place`` is the
    folder where it lies."""

    name: str
    kind: ModelKind
    availability: Availability
    dimension: int | None = None
    size_mb: int | None = None
    max_tokens: int | None = None
    languages: str | None = None
    licence: str | None = None
    description: str | None = None
    place: str | None = None

    @property
    def offline(self) -> bool:
        """Whether it can be used without a network."""
        return self.availability not in (Availability.TO_FETCH, Availability.MISSING)


class ModelCatalogue(Protocol):
    """The models of one or more kinds. Nothing but ``fetch`` asks the network."""

    def models(self) -> Sequence[KnownModel]:
        """All that have a name; folders are found by ``find`` only."""

    def find(self, name: str) -> KnownModel | None:
        """By name in any case, or by path."""

    def fetch(self, name: str) -> KnownModel:
        """Bring the weights into the cache and check that they load. Raises
        ModelUnavailable, saying what to do."""


class Reranker(Protocol):
    """Scores pairs of query and passage; slower and better than comparing vectors.

    A pair's score does not depend on the other passages of the call.
    """

    @property
    def name(self) -> str:
        """What a user calls it."""

    @property
    def fingerprint(self) -> str:
        """sha256 (hex) of all that decides the scores: weights, tokenizer, calibration."""

    def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        """A score in 0..1 for each passage, in their order.

        What lies beyond the model's window is not read; a passage should hold what is most
        like the query (see ``citeloom.domain.search.reranking.evidence_text``). Raises
        ModelUnavailable where the model cannot be loaded.
        """
