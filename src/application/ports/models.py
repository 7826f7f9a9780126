"""Ports of models: embedders, rerankers, language models, and the catalogue of models."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from citeloom.domain.documents.spans import CharSpan
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.domain.value import Value

from .index import SparseVector


class TokenCounter(Protocol):
    """The tokenizer of an embedding model, without special tokens."""

    def count(self, text: str) -> int: ...

    def ends(self, text: str) -> Sequence[int]:
        """The character offset at which each token ends, ascending."""


class Embedder(Protocol):
    """Dense vectors of texts, normalised to length 1."""

    @property
    def model(self) -> EmbeddingModel: ...

    @property
    def tokens(self) -> TokenCounter: ...

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        """A vector a text, in the order of ``texts``, with bounded memory."""

    def embed_query(self, text: str, is_claim: bool = False, /) -> Sequence[float]:
        """The vector of a question, or of a claim."""


@dataclass(frozen=True, slots=True)
class SparseText:
    """The BM25 fields of a passage: its own text, the nearest headings, the document title."""

    body: str
    headings: str = ""
    title: str = ""


class SparseEmbedder(Protocol):
    """Term weights of BM25 over fields; the index applies the IDF factor.

    ``average_length`` is the mean ``length`` of the passages of a project.
    """

    @property
    def name(self) -> str:
        """Names tokeniser, stop words and parameters, not the average length."""

    def embed(
        self, texts: Iterable[SparseText], language: str | None, average_length: float
    ) -> Iterator[SparseVector]: ...

    def length(self, body: str, language: str | None = None) -> int:
        """The number of words without stop words."""

    def embed_query(self, text: str, languages: Sequence[str] = ()) -> SparseVector:
        """The terms of a question, normalised as in documents of these languages; of the
        default language if none is given."""

    def keys(self, text: str, languages: Sequence[str] = ()) -> Sequence[SparseVector]:
        """For each word of ``text`` that is not a stop word in these languages, the terms of its
        spellings. Every passage with the word, however hyphenated, has one of them."""

    def matches(self, question: str, text: str, language: str | None = None) -> Sequence[CharSpan]:
        """Spans of the words of ``text``, in ``language``, that match terms of ``question``."""


class PromptMessage(Value):
    """One message of a conversation; role ``system`` holds the instructions."""

    role: Literal["system", "user", "assistant"]
    text: str


class AnswerLimits(Value):
    """Limits of a completion: ``max_tokens`` of the answer, ``timeout_seconds`` for all
    attempts and pauses together. ``seed`` requests a reproducible answer, which not all servers
    give."""

    max_tokens: int = Field(default=2048, ge=1)
    timeout_seconds: float = Field(default=120.0, gt=0)
    seed: int = 0


class Completion(Value):
    """An answer. ``model`` is the name that the server reports; ``ended`` is False if the text
    was cut off at ``max_tokens``. ``warnings`` name options that the server did not honour."""

    text: str
    model: str
    ended: bool = True
    warnings: tuple[str, ...] = ()


class LanguageModel(Protocol):
    """A language model with deterministic decoding (temperature 0, seed). Thread-safe."""

    @property
    def name(self) -> str:
        """The model name, as configured."""

    @property
    def place(self) -> str:
        """The address of the server, as shown to people: ``http://localhost:11434``."""

    @property
    def limits(self) -> AnswerLimits:
        """The default limits of ``complete``."""

    def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        schema: type[BaseModel] | None = None,
        limits: AnswerLimits | None = None,
    ) -> Completion:
        """The answer to ``messages``. With a ``schema`` JSON of that shape is requested, if the
        server supports it; the text is not validated.

        Raises LanguageModelUnavailable if there is no answer, or none in time.
        """


class StreamingModel(LanguageModel, Protocol):
    """A language model whose answers can be read while they are written."""

    def stream(self, messages: Sequence[PromptMessage]) -> Iterator[str]:
        """The answer piece by piece, within ``limits``: only the time of waiting counts.

        Raises LanguageModelUnavailable if nothing comes, or what came is not the whole answer.
        """


class ModelKind(StrEnum):
    EMBEDDING = "embedding"
    RERANKER = "reranker"


class Availability(StrEnum):
    """Where the weights of a model are."""

    BUNDLED = "bundled"  # installed with the package
    FOLDER = "folder"  # named by its path
    FETCHED = "fetched"  # in the cache
    TO_FETCH = "to fetch"
    ENDPOINT = "endpoint"  # on the server of embedding.endpoint
    MISSING = "missing"  # neither here nor in the catalogue


class KnownModel(Value):
    """Facts of a model, without loading it. ``size_mb`` is the size of the weights in megabytes
    (10⁶ bytes), ``max_tokens`` the longest input; None means unknown. ``place`` is its
    folder."""

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
        return self.availability in (
            Availability.BUNDLED,
            Availability.FOLDER,
            Availability.FETCHED,
        )


class ModelCatalogue(Protocol):
    """The known models of one or more kinds. Only ``fetch`` uses the network."""

    def models(self) -> Sequence[KnownModel]:
        """All named models; a folder is known to ``find`` only."""

    def find(self, name: str) -> KnownModel | None:
        """A model by name, in any case, or by path; None if unknown."""

    def fetch(self, name: str) -> KnownModel:
        """Download the weights to the cache and check that they load. Raises ModelUnavailable
        with the next step."""


#: The places of the passages to read to the end, by the scores of a first look at all of them.
GoingOn = Callable[[Sequence[float]], Sequence[int]]


class AnswerReader(Protocol):
    """A cross-encoder that reads a question, or the head of a column, with single sentences."""

    @property
    def fingerprint(self) -> str:
        """sha256 (hex) of weights and tokenizer."""

    def odds(self, question: str, sentences: Sequence[str], /) -> list[float]:
        """The log-odds that each sentence answers, which do not depend on the others; English.
        Raises ModelUnavailable if the model cannot be loaded."""


class Reranker(Protocol):
    """A cross-encoder: scores pairs of query and passage.

    A pair's score does not depend on the other passages of the call.
    """

    @property
    def name(self) -> str:
        """The name under which users configure it."""

    @property
    def fingerprint(self) -> str:
        """sha256 (hex) of weights, tokenizer and calibration."""

    def rerank(
        self, query: str, passages: Sequence[str], going_on: GoingOn | None = None, /
    ) -> list[float]:
        """A score in 0..1 for each passage, in their order. With ``going_on`` a model may read
        the others in part.

        Text beyond the model's window is not read; callers put the most relevant sentences
        first (``citeloom.domain.search.ranking.evidence_text``). Raises ModelUnavailable if
        the model cannot be loaded.
        """
