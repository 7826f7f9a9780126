"""Language models behind an OpenAI-compatible API."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Final, TypeGuard

from pydantic import BaseModel

from citeloom.application.ports.models import AnswerLimits, Completion, PromptMessage
from citeloom.domain.errors import LanguageModelUnavailable

from .model_server import (
    CallLimits,
    ModelServer,
    NotServed,
    ServerClock,
    complaint_of,
)

# Reasoning that precedes the answer.
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
_OUTPUT_FORMATS = ("json_schema", "json_object", "text")
_TOO_LONG = re.compile(
    r"context (?:size|length|window)|context_length|n_ctx|maximum context|too many tokens", re.I
)
_DROPPABLE = {
    "temperature": "the server ignores the temperature, so its answers may vary",
    "seed": "the server ignores the seed, so its answers may vary",
}


class NoAnswer(ValueError):
    """A response without an answer, with the reason."""


class Dialect:
    """The parameters that one server accepts; ``learn`` drops those it rejects.

    Structured output is requested as ``json_schema`` (OpenAI, Ollama, vLLM, LM Studio), then as
    ``json_object``, then not at all. The length limit is ``max_tokens``, with some models
    ``max_completion_tokens``.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._length_parameter = "max_tokens"
        self._output_format = _OUTPUT_FORMATS[0]
        self._dropped: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(_DROPPABLE[name] for name in self._dropped)

    def body(
        self,
        messages: Sequence[PromptMessage],
        schema: type[BaseModel] | None,
        limits: AnswerLimits,
        *,
        stream: bool = False,
    ) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": one.role, "content": one.text} for one in messages],
            "stream": stream,
            self._length_parameter: limits.max_tokens,
            "temperature": 0,
            "seed": limits.seed,
        }
        if schema is not None and self._output_format == "json_schema":
            shape = {"name": schema.__name__, "schema": schema.model_json_schema(), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif schema is not None and self._output_format == "json_object":
            request["response_format"] = {"type": "json_object"}
        return {name: value for name, value in request.items() if name not in self._dropped}

    def learn(self, complaint: str, body: dict[str, Any]) -> bool:
        """Whether to retry with other parameters after ``complaint``, the server's response to a
        rejected ``body``. Each change is tried once."""
        message = complaint.casefold()
        output_format = body.get("response_format", {}).get("type")
        if output_format and re.search(r"response_format|json_(schema|object)", message):
            self._output_format = _OUTPUT_FORMATS[_OUTPUT_FORMATS.index(output_format) + 1]
            return True
        if "max_tokens" in body and "max_completion_tokens" in message:
            self._length_parameter = "max_completion_tokens"
            return True
        for name in _DROPPABLE:
            if name in body and name in message:
                self._dropped = (*dict.fromkeys((*self._dropped, name)),)
                return True
        return False

    def read(self, content: bytes) -> Completion:
        """Raises NoAnswer."""
        try:
            answer = json.loads(content)
            choice = answer["choices"][0]
            message = choice["message"]
            text = _text(message.get("content"))
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
            raise NoAnswer("the answer is not a chat completion; check llm.url") from error
        if text is None:
            refusal = message.get("refusal")
            reason = (
                f"it refuses ({' '.join(refusal.split())[:200]})" if _is_text(refusal) else "empty"
            )
            raise NoAnswer(f"no answer: {reason}")
        model = answer.get("model")
        return Completion(
            text=_THOUGHTS.sub("", text),
            model=model if _is_text(model) else self._model,
            ended=choice.get("finish_reason") != "length",
            warnings=self.warnings,
        )


class StreamedAnswer:
    """The text of an answer, piece by piece, from the lines of a response: server-sent events, or
    the whole answer from a server that does not stream."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._reason: str | None = None
        self._has_ended = False

    def pieces(self, lines: Iterator[str]) -> Iterator[str]:
        """Raises NoAnswer for an error within the stream, an answer that is cut off, and none."""
        whole, is_empty = list[str](), True
        for line in lines:
            if not line.startswith("data:"):
                whole += [line] if not line.startswith((":", "event:", "id:", "retry:")) else []
            elif piece := self._piece(line.removeprefix("data:").strip()):
                is_empty = is_empty and not piece.strip()
                yield piece
        if is_empty and any(line.strip() for line in whole):
            completion = self._dialect.read("\n".join(whole).encode())
            yield completion.text
            self._reason = None if completion.ended else "length"
        elif is_empty:
            raise NoAnswer("no answer: empty")
        elif not self._has_ended:
            raise NoAnswer("the connection broke in the middle of the answer; try again")
        if self._reason == "length":
            raise NoAnswer("the answer was cut off; raise llm.max_tokens")

    def _piece(self, event: str) -> str | None:
        if event == "[DONE]":
            self._has_ended = True
            return None
        try:
            told = json.loads(event)
            error = told.get("error")
            choice: dict[str, Any] = next(iter(told.get("choices") or ()), {})
            self._reason = choice.get("finish_reason") or self._reason
            content = (choice.get("delta") or {}).get("content")
        except (ValueError, RecursionError, TypeError, AttributeError) as wrong:
            raise NoAnswer("the answer is not a chat completion; check llm.url") from wrong
        if error:
            raise NoAnswer(f"it broke off ({complaint_of(event.encode())})")
        self._has_ended |= self._reason is not None
        return _joined(content)


def _text(content: object) -> str | None:
    """A string, or the texts of a list of parts."""
    text = _joined(content)
    return text if _is_text(text) else None


def _joined(content: object) -> str | None:
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else None


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


_PATH: Final = "/chat/completions"
REFUSED: Final = frozenset({400, 422})
#: Limit of an answer: about a hundred times the size of 4,096 tokens.
MAX_BYTES: Final = 4 * 2**20


class OpenAICompatible:
    """The model ``model`` at ``url``, the base URL of ``/chat/completions``; retries, limits and
    proxies are those of ``ModelServer``."""

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str | None = None,
        *,
        limits: AnswerLimits,
        clock: ServerClock | None = None,
    ) -> None:
        self._model = model
        self._limits = limits
        self._dialect = Dialect(model)
        self._server = ModelServer(url, api_key, "llm", "llm.url", clock=clock)

    @property
    def name(self) -> str:
        return self._model

    @property
    def place(self) -> str:
        return self._server.place

    @property
    def limits(self) -> AnswerLimits:
        return self._limits

    def close(self) -> None:
        self._server.close()

    def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        schema: type[BaseModel] | None = None,
        limits: AnswerLimits | None = None,
    ) -> Completion:
        effective_limits = limits or self._limits
        body, adapt = self._request(messages, schema, effective_limits, stream=False)
        try:
            call_limits = CallLimits(effective_limits.timeout_seconds, MAX_BYTES)
            return self._dialect.read(self._server.post(_PATH, body, call_limits, adapt))
        except (NoAnswer, NotServed) as error:
            raise self._failed(error) from error

    def stream(self, messages: Sequence[PromptMessage]) -> Iterator[str]:
        body, adapt = self._request(messages, None, self._limits, stream=True)
        call_limits = CallLimits(self._limits.timeout_seconds, MAX_BYTES)
        try:
            with closing(self._server.lines(_PATH, body, call_limits, adapt)) as lines:
                yield from StreamedAnswer(self._dialect).pieces(lines)
        except (NoAnswer, NotServed) as error:
            raise self._failed(error) from error

    def _request(
        self,
        messages: Sequence[PromptMessage],
        schema: type[BaseModel] | None,
        limits: AnswerLimits,
        *,
        stream: bool,
    ) -> tuple[Callable[[], dict[str, Any]], Callable[[int, str], bool]]:
        """The body of each attempt, and its changes after a refusal."""

        def body() -> dict[str, Any]:
            return self._dialect.body(messages, schema, limits, stream=stream)

        def adapt(status: int, complaint: str) -> bool:
            is_too_long = _TOO_LONG.search(complaint)
            return status in REFUSED and not is_too_long and self._dialect.learn(complaint, body())

        return body, adapt

    def _failed(self, error: NoAnswer | NotServed) -> LanguageModelUnavailable:
        reason, details = str(error), dict[str, object]()
        if isinstance(error, NotServed):
            stated = {"status": error.status, "retry_after": error.retry_after}
            details = {name: value for name, value in stated.items() if value is not None}
        if _TOO_LONG.search(reason):
            reason += (
                "; what was sent is longer than the context of the model: start its server with a "
                "larger one (llama-server -c 8192, OLLAMA_CONTEXT_LENGTH=8192)"
            )
        return LanguageModelUnavailable(
            f"{self._model} at {self.place}: {reason}",
            model=self._model,
            url=self._server.url,
            **details,
        )
