"""Embedding models behind an HTTP endpoint."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final, NamedTuple

from citeloom.application.ports.models import TokenCounter
from citeloom.domain.errors import ModelUnavailable
from citeloom.domain.projects.project import EmbeddingModel
from citeloom.infrastructure.models.model_server import (
    ATTEMPTS,
    CallLimits,
    ModelServer,
    NotServed,
    ServerClock,
)
from citeloom.infrastructure.models.onnx import in_parallel

from .bundled_embedder import HuggingFaceTokens
from .model_names import OPENAI, TEI, EndpointOptions, prefixes_of


class InvalidAnswer(ValueError):
    """A response that is none of its protocol; ``str`` is the reason with the next step."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """What a server reports about its model; None if nothing. ``revision`` names the weights.
    ``batch`` is the number of texts that it takes at once."""

    name: str | None = None
    revision: str | None = None
    pooling: str | None = None
    max_tokens: int | None = None
    batch: int | None = None


def _openai_vectors(content: bytes) -> tuple[list[Any], str | None]:
    answer = _json(content)
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(
        isinstance(one, dict) and "embedding" in one for one in data
    ):
        raise InvalidAnswer(_no_answer("an answer of OpenAI's embeddings API"))
    places = [one.get("index", place) for place, one in enumerate(data)]
    if sorted(map(repr, places)) != sorted(map(repr, range(len(data)))):
        raise InvalidAnswer(_no_answer("an answer with each index once"))
    ordered = sorted(zip(places, data, strict=True), key=lambda pair: pair[0])
    name = answer.get("model")
    told = name if isinstance(name, str) and name.strip() else None
    return [one["embedding"] for _, one in ordered], told


def _tei_vectors(content: bytes) -> tuple[list[Any], str | None]:
    answer = _json(content)
    if not isinstance(answer, list):
        raise InvalidAnswer(_no_answer("a list of vectors, as TEI's /embed gives it"))
    return answer, None


def _tei_model(content: bytes) -> ServedModel:
    told = _json(content)
    if not isinstance(told, dict) or not isinstance(told.get("model_id"), str):
        raise InvalidAnswer(_no_answer("a description with model_id, as TEI's /info gives it"))
    kind = told.get("model_type")
    embedding = kind.get("embedding") if isinstance(kind, dict) else None
    return ServedModel(
        name=told["model_id"],
        revision=_text(told.get("model_sha")),
        pooling=_text(embedding.get("pooling")) if isinstance(embedding, dict) else None,
        max_tokens=_count(told.get("max_input_length")),
        batch=_count(told.get("max_client_batch_size")),
    )


class EndpointProtocol(NamedTuple):
    """Requests and responses of one kind of server. ``vectors`` returns them unchecked, in the
    order of the texts, and the model's name if given; ``info`` is the path and the reader of
    descriptions of the model, if there are any. Readers raise InvalidAnswer."""

    path: str
    body: Callable[[Sequence[str], str], Mapping[str, object]]
    vectors: Callable[[bytes], tuple[list[Any], str | None]]
    info: tuple[str, Callable[[bytes], ServedModel]] | None = None


PROTOCOLS: Final[Mapping[str, EndpointProtocol]] = {
    # OpenAI, vLLM, Ollama, llama.cpp, LM Studio.
    OPENAI: EndpointProtocol(
        "/embeddings", lambda texts, model: {"model": model, "input": list(texts)}, _openai_vectors
    ),
    # Text Embeddings Inference.
    TEI: EndpointProtocol(
        "/embed",
        lambda texts, _: {"inputs": list(texts), "truncate": True},
        _tei_vectors,
        ("/info", _tei_model),
    ),
}


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise InvalidAnswer(_no_answer("JSON")) from None


def _no_answer(expected: str) -> str:
    return f"its answer is not {expected}; check embedding.endpoint and embedding.protocol"


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return value if whole and isinstance(value, int) else None


def digest_of(name: str, url: str, served: ServedModel, told: str | None, *, prefix: str) -> str:
    """The digest of ``EmbeddingModel`` for the model ``name`` (with its protocol).

    - Where the server reports the revision of the weights (TEI: ``model_sha``), the digest is of
      name, revision, pooling and the prefix of passages. The address is not a part of it: the model
      may move to another machine.
    - Otherwise (OpenAI's API; TEI with a local folder) the weights cannot be told apart, and the
      digest is of name, address, the name that answers give (``told``), pooling and the prefix.
      The model at that address is then known by its name and dimension alone.
    """
    if served.revision:
        parts = ["revision", name, served.revision, served.pooling or "", prefix]
    else:
        parts = ["address", name, url, told or "", served.pooling or "", prefix]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


# Pieces that subword vocabularies rarely split further: up to four letters of a word in the Latin
# alphabet without diacritics; any other character by itself (digits, signs, other scripts).
_PIECES: Final = re.compile(r"[A-Za-z]{1,4}|\S")


class EstimatedTokens:
    """Counts pieces of up to four letters, and each other visible character, as a token. In
    English papers that is a quarter more than WordPiece needs (of 367 windows of 254 tokens two
    held more), so that passages are rather too short than cut."""

    def count(self, text: str) -> int:
        return len(self.ends(text))

    def ends(self, text: str) -> Sequence[int]:
        return [match.end() for match in _PIECES.finditer(text)]


def unit_vectors(
    values: Sequence[object], count: int, dimension: int | None
) -> list[Sequence[float]]:
    """``count`` vectors of length 1 with ``dimension`` components (None: any number).

    Raises InvalidAnswer for another number of vectors or components, for components that are not
    finite numbers, and for vectors of length 0.
    """
    import numpy as np

    if len(values) != count:
        raise InvalidAnswer(
            f"it gives {len(values)} vectors for {count} texts; update the server, or set "
            "embedding.batch to 1"
        )
    try:
        rows = [np.asarray(value, dtype=np.float64) for value in values]
    except (TypeError, ValueError):
        raise InvalidAnswer(
            "its vectors are not lists of numbers; check embedding.endpoint and embedding.protocol"
        ) from None
    expected = dimension or (rows[0].size if rows else 0)
    for row in rows:
        if row.ndim != 1 or row.size != expected or not row.size:
            raise InvalidAnswer(
                f"its vectors have {row.size if row.ndim == 1 else list(row.shape)} components, "
                f"not {expected}; another model answers there, check embedding.model"
            )
        if not np.isfinite(row).all() or not np.any(row):
            raise InvalidAnswer(
                "a vector has components that are not finite, or only zeros; check the model on "
                "the server"
            )
    return [(row / np.linalg.norm(row)).astype(np.float32).tolist() for row in rows]


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
            options.url,
            options.api_key,
            "embedding",
            "embedding.endpoint",
            interval=interval,
            clock=self._clock,
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

    def embed_query(self, text: str, _is_claim: bool = False) -> Sequence[float]:
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
        """The server's description of its model, which must be the requested one."""
        if self._protocol.info is None:
            return ServedModel()
        path, read = self._protocol.info
        limits = CallLimits(ATTEMPTS * self._options.seconds, _INFO_BYTES, self._options.seconds)
        try:
            served = read(self._server.get(path, limits))
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
