"""Embedder on an HTTP endpoint: OpenAI's embeddings API, or Text Embeddings Inference (TEI)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import Final

from citeloom.application.ports.models import TokenCounter
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.projects.embedding_model import EmbeddingModel
from citeloom.infrastructure.models.embedding.endpoint.identity import digest_of
from citeloom.infrastructure.models.embedding.endpoint.options import EndpointOptions
from citeloom.infrastructure.models.embedding.endpoint.protocols import (
    PROTOCOLS,
    InvalidAnswer,
    ServedModel,
)
from citeloom.infrastructure.models.embedding.endpoint.tokens import EstimatedTokens
from citeloom.infrastructure.models.embedding.endpoint.vectors import unit_vectors
from citeloom.infrastructure.models.embedding.prefixes import prefixes_of
from citeloom.infrastructure.models.embedding.tokens import HuggingFaceTokens
from citeloom.infrastructure.models.model_server import (
    ATTEMPTS,
    CallLimits,
    ModelServer,
    NotServed,
    ServerClock,
    ServerSettings,
)
from citeloom.infrastructure.models.parallel_runs import in_parallel

_SETTINGS: Final = ServerSettings("embedding", "embedding.endpoint")
_WINDOW: Final = 512
#: Limits of an answer: a vector of 8,192 components in JSON takes less.
_VECTOR_BYTES: Final = 2**18
_INFO_BYTES: Final = 2**18
# Servers refuse empty inputs.
_BLANK: Final = "."
_SPECIAL_TOKENS: Final = 2
# How long a server's description of its model is relied on, in seconds.
_RELIED_ON: Final = 60.0
# A refusal (400, 413, 422) of a text for its length.
_TOO_LONG: Final = re.compile(r"too (long|large|many tokens)|context|max\w* .*(length|token)", re.I)
_SHORTEST: Final = 64
_FEWEST_TOKENS: Final = 8
_ONE_MODEL: Final = "run it again when the server has one model"


class EndpointEmbedder:
    """The model ``model`` behind ``protocol`` (a key of ``PROTOCOLS``). Asks the server with the
    first use. Thread-safe.

    Texts are cut at the window and have the prefixes of the model; blank ones are sent as a full
    stop. Vectors are checked and normalised. Raises ModelUnavailable if the server does not
    answer, answers wrongly, or serves another model than ``model``; see ``digest_of`` for what
    else is told apart.
    """

    def __init__(
        self,
        protocol: str,
        model: str,
        options: EndpointOptions,
        clock: ServerClock | None = None,
    ) -> None:
        self._name = f"{protocol}:{model}"
        self._requested = model
        self._protocol = PROTOCOLS[protocol]
        self._options = options
        self._prefixes = prefixes_of(model)
        self._clock = clock or ServerClock()
        self._described_at = self._clock.monotonic()
        interval = 1 / options.per_second if options.per_second else 0.0
        self._server = ModelServer(
            options.url, options.api_key, _SETTINGS, interval=interval, clock=self._clock
        )

    @property
    def place(self) -> str:
        return self._server.place

    def close(self) -> None:
        self._server.close()

    @cached_property
    def model(self) -> EmbeddingModel:
        served, window, passage = self._served, self._options.max_tokens, self._prefixes.passage
        dimension, told = self._probe
        room = min(window, served.max_tokens or window) - self.tokens.count(passage)
        return EmbeddingModel(
            name=self._name,
            dimension=dimension,
            digest=digest_of(self._name, self._options.url, served, told, prefix=passage),
            max_tokens=max(_FEWEST_TOKENS, room),
        )

    @cached_property
    def tokens(self) -> TokenCounter:
        folder = self._options.tokenizer
        return HuggingFaceTokens(folder) if folder else EstimatedTokens()

    def embed(self, texts: Iterable[str]) -> Iterator[Sequence[float]]:
        stream = iter(texts)
        while window := list(islice(stream, _WINDOW)):
            self._confirm()
            inputs = [self._prefixes.passage + self._cut(text) for text in window]
            size = min(self._options.batch, self._served.batch or self._options.batch)
            order = sorted(range(len(inputs)), key=lambda i: (len(inputs[i]), i))
            batches = [order[start : start + size] for start in range(0, len(order), size)]
            vectors: dict[int, Sequence[float]] = {}
            texts_of = ([inputs[i] for i in batch] for batch in batches)
            results = in_parallel(self._vectors, texts_of, self._options.parallel)
            for batch, batch_vectors in zip(batches, results, strict=True):
                vectors.update(zip(batch, batch_vectors, strict=True))
            yield from (vectors[i] for i in range(len(window)))

    def embed_query(self, text: str) -> Sequence[float]:
        self._confirm()
        (vector,) = self._vectors([self._prefixes.query + self._cut(text)])
        return vector

    def _vectors(self, texts: list[str]) -> list[Sequence[float]]:
        """Where the server refuses a text for its length, which was estimated, its first half is
        embedded."""
        try:
            content, told = self._answer(texts)
        except _TooLong as error:
            if len(texts) > 1:
                middle = len(texts) // 2
                return [*self._vectors(texts[:middle]), *self._vectors(texts[middle:])]
            if len(texts[0]) < _SHORTEST:
                raise self._failed(str(error)) from error
            return self._vectors([texts[0][: len(texts[0]) // 2]])
        dimension, expected = self._probe
        if told != expected:
            raise self._failed(f"{told} answers now, before it was {expected}; {_ONE_MODEL}")
        return self._checked(content, len(texts), dimension)

    def _answer(self, texts: list[str]) -> tuple[list[object], str | None]:
        seconds = self._options.seconds
        limits = CallLimits(ATTEMPTS * seconds, _VECTOR_BYTES * (len(texts) + 1), seconds)
        try:
            content = self._server.post(
                self._protocol.path, lambda: self._protocol.body(texts, self._requested), limits
            )
            return self._protocol.vectors(content)
        except NotServed as error:
            if error.status in (400, 413, 422) and _TOO_LONG.search(str(error)):
                raise _TooLong(
                    f"{error}; set embedding.max_tokens lower, or embedding.tokenizer"
                ) from error
            raise self._failed(str(error)) from error
        except InvalidAnswer as error:
            raise self._failed(str(error)) from error

    def _checked(
        self, vectors: list[object], count: int, dimension: int | None
    ) -> list[Sequence[float]]:
        try:
            return unit_vectors(vectors, count, dimension)
        except InvalidAnswer as error:
            raise self._failed(str(error)) from error

    @cached_property
    def _probe(self) -> tuple[int, str | None]:
        """The dimension, and the model that answers name."""
        vectors, told = self._answer([self._prefixes.passage + "dimension"])
        (vector,) = self._checked(vectors, 1, None)
        return len(vector), told

    @cached_property
    def _served(self) -> ServedModel:
        return self._described()

    def _described(self) -> ServedModel:
        """What the server tells of its model, which must be the requested one."""
        if self._protocol.info_path is None:
            return ServedModel()
        limits = CallLimits(ATTEMPTS * self._options.seconds, _INFO_BYTES, self._options.seconds)
        try:
            served = self._protocol.info(self._server.get(self._protocol.info_path, limits))
        except (NotServed, InvalidAnswer) as error:
            raise self._failed(str(error)) from error
        if served.name != self._requested:
            raise self._failed(
                f"{served.name} is served there; start the server with {self._requested}, or name "
                f"{served.name} as the model of another project"
            )
        self._described_at = self._clock.monotonic()
        return served

    def _confirm(self) -> None:
        """A server may be started with another model while this process runs."""
        served = self._served
        if self._clock.monotonic() - self._described_at < _RELIED_ON:
            return
        if self._described() != served:
            raise self._failed(f"it has other weights than before; {_ONE_MODEL}")

    def _cut(self, text: str) -> str:
        room = self.model.max_tokens - _SPECIAL_TOKENS
        if len(text) > room:
            ends = self.tokens.ends(text)
            text = text[: ends[room - 1]] if len(ends) > room else text
        return text if text.strip() else _BLANK

    def _failed(self, reason: str) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._name} at {self.place}: {reason}", model=self._name, url=self._server.url
        )


class _TooLong(Exception):
    """A request was refused for the length of its texts."""
