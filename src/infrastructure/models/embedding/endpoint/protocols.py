"""Protocols of embedding servers: OpenAI's embeddings API and Text Embeddings Inference (TEI)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

#: Before the name of a model whose vectors come from an endpoint: ``tei:BAAI/bge-m3``.
OPENAI: Final = "openai"
TEI: Final = "tei"


class InvalidAnswer(ValueError):
    """A response that is none of its protocol; ``str`` is the reason with the next step."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """What a server tells of its model; None where it does not. ``revision`` names the weights.
    ``batch`` is the number of texts that it takes at once."""

    name: str | None = None
    revision: str | None = None
    pooling: str | None = None
    max_tokens: int | None = None
    batch: int | None = None


class EndpointProtocol(Protocol):
    """Requests and responses of one kind of server."""

    #: The path of descriptions of the model; None where there is none.
    info_path: str | None
    path: str

    def info(self, content: bytes, /) -> ServedModel:
        """Raises InvalidAnswer."""

    def body(self, texts: Sequence[str], model: str, /) -> Mapping[str, object]: ...

    def vectors(self, content: bytes) -> tuple[list[Any], str | None]:
        """The vectors, unchecked, in the order of the texts, and the model's name if it is told.
        Raises InvalidAnswer."""


class OpenAIProtocol:
    """``POST /embeddings`` of OpenAI, vLLM, Ollama, llama.cpp, LM Studio."""

    info_path: str | None = None
    path = "/embeddings"

    def info(self, _content: bytes, /) -> ServedModel:
        return ServedModel()

    def body(self, texts: Sequence[str], model: str) -> Mapping[str, object]:
        return {"model": model, "input": list(texts)}

    def vectors(self, content: bytes) -> tuple[list[Any], str | None]:
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


class TeiProtocol:
    """``POST /embed`` and ``GET /info`` of Text Embeddings Inference."""

    info_path: str | None = "/info"
    path = "/embed"

    def info(self, content: bytes) -> ServedModel:
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

    def body(self, texts: Sequence[str], _model: str, /) -> Mapping[str, object]:
        return {"inputs": list(texts), "truncate": True}

    def vectors(self, content: bytes) -> tuple[list[Any], str | None]:
        answer = _json(content)
        if not isinstance(answer, list):
            raise InvalidAnswer(_no_answer("a list of vectors, as TEI's /embed gives it"))
        return answer, None


PROTOCOLS: Final[Mapping[str, EndpointProtocol]] = {OPENAI: OpenAIProtocol(), TEI: TeiProtocol()}


def endpoint_name(name: str) -> tuple[str, str] | None:
    """Protocol and model of a name such as ``tei:BAAI/bge-m3``; None for models of this
    machine."""
    protocol, colon, model = name.partition(":")
    return (protocol, model) if colon and model and protocol in PROTOCOLS else None


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
