"""Variants of OpenAI's chat completions API: request parameters and responses."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeGuard

from pydantic import BaseModel

from citeloom.application.ports.models import AnswerLimits, Completion, PromptMessage, TokenUsage

# Reasoning that precedes the answer.
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
_OUTPUT_FORMATS = ("json_schema", "json_object", "text")
_DROPPABLE = {
    "temperature": "the server takes no temperature: its answers may differ from time to time",
    "seed": "the server takes no seed: its answers may differ from time to time",
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
            raise NoAnswer("the answer is no chat completion; check llm.url") from error
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
