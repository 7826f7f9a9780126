"""Language models behind an OpenAI-compatible API."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, TypeGuard

from pydantic import BaseModel

from citeloom.application.ports.models import AnswerLimits, Completion, PromptMessage, TokenUsage
from citeloom.domain.errors import LanguageModelUnavailable

from .model_server import CallLimits, ModelServer, NotServed, ServerClock, ServerSettings

# Reasoning that precedes the answer.
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
_OUTPUT_FORMATS = ("json_schema", "json_object", "text")
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
    ) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": one.role, "content": one.text} for one in messages],
            "stream": False,
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
            usage=_usage(answer.get("usage")),
            warnings=self.warnings,
        )


def _text(content: object) -> str | None:
    """A string, or the texts of a list of parts."""
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if _is_text(content) else None


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _usage(value: object) -> TokenUsage:
    if not isinstance(value, dict):
        return TokenUsage()
    counts = {
        name: count
        for name in TokenUsage.model_fields
        if isinstance(count := value.get(name), int) and count >= 0
    }
    return TokenUsage(**counts)


REFUSED: Final = frozenset({400, 422})
#: Limit of an answer: about a hundred times the size of 4,096 tokens.
MAX_BYTES: Final = 4 * 2**20
_SETTINGS: Final = ServerSettings("llm", "llm.url")


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
        self._server = ModelServer(url, api_key, _SETTINGS, clock=clock)

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

        def adapt(status: int, complaint: str) -> bool:
            body = self._dialect.body(messages, schema, effective_limits)
            return status in REFUSED and self._dialect.learn(complaint, body)

        try:
            content = self._server.post(
                "/chat/completions",
                lambda: self._dialect.body(messages, schema, effective_limits),
                CallLimits(effective_limits.timeout_seconds, MAX_BYTES),
                adapt,
            )
            return self._dialect.read(content)
        except NoAnswer as error:
            raise self._failed(str(error)) from error
        except NotServed as error:
            raise self._failed(
                str(error), status=error.status, retry_after=error.retry_after
            ) from error

    def _failed(self, reason: str, **details: object) -> LanguageModelUnavailable:
        stated_details = {name: value for name, value in details.items() if value is not None}
        return LanguageModelUnavailable(
            f"{self._model} at {self.place}: {reason}",
            model=self._model,
            url=self._server.url,
            **stated_details,
        )
