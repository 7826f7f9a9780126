"""What servers of OpenAI's chat completions take, and how they answer."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeGuard

from pydantic import BaseModel

from citeloom.application.ports.models import AnswerLimits, Completion, PromptMessage, Usage

# Models that think aloud do so before their answer.
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
_SHAPES = ("json_schema", "json_object", "text")
_LOST = {
    "temperature": "the server takes no temperature: its answers may differ from time to time",
    "seed": "the server takes no seed: its answers may differ from time to time",
}


class NoAnswer(ValueError):
    """A response that holds none, with the reason."""


class Dialect:
    """The parameters that one server takes; ``learn`` leaves out what it complains of.

    JSON of a shape is asked for as ``json_schema`` (OpenAI, Ollama, vLLM, LM Studio), then as
    ``json_object``, then not at all. The length of an answer is ``max_tokens``, or with some
    models ``max_completion_tokens``.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._length = "max_tokens"
        self._shape = _SHAPES[0]
        self._lost: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(_LOST[name] for name in self._lost)

    def body(
        self,
        messages: Sequence[PromptMessage],
        schema: type[BaseModel] | None,
        limits: AnswerLimits,
    ) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": one.role, "content": one.text} for one in messages],
            "stream": False,
            self._length: limits.max_tokens,
            "temperature": 0,
            "seed": limits.seed,
        }
        if schema is not None and self._shape == "json_schema":
            shape = {"name": schema.__name__, "schema": schema.model_json_schema(), "strict": True}
            asked["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif schema is not None and self._shape == "json_object":
            asked["response_format"] = {"type": "json_object"}
        return {name: value for name, value in asked.items() if name not in self._lost}

    def learn(self, complaint: str, body: dict[str, Any]) -> bool:
        """Whether something else can be tried after ``complaint``, the server's answer to a
        ``body`` that it did not take. Each thing is tried once."""
        said = complaint.casefold()
        shape = body.get("response_format", {}).get("type")
        if shape and re.search(r"response_format|json_(schema|object)", said):
            self._shape = _SHAPES[_SHAPES.index(shape) + 1]
            return True
        if "max_tokens" in body and "max_completion_tokens" in said:
            self._length = "max_completion_tokens"
            return True
        for name in _LOST:
            if name in body and name in said:
                self._lost = (*dict.fromkeys((*self._lost, name)),)
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
            said = message.get("refusal")
            reason = f"it refuses ({' '.join(said.split())[:200]})" if _is_text(said) else "empty"
            raise NoAnswer(f"no answer: {reason}")
        model = answer.get("model")
        return Completion(
            text=_THOUGHTS.sub("", text),
            model=model if _is_text(model) else self._model,
            ended=choice.get("finish_reason") != "length",
            usage=_usage(answer.get("usage")),
            warnings=self.warnings,
        )


def complaint_of(content: bytes) -> str:
    """What a server says that refuses a request, on one line."""
    text = content.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        error = found["error"]
        said = error["message"] if isinstance(error, dict) else error
        param = error.get("param") if isinstance(error, dict) else None
        text = str(said)
        if _is_text(param) and param not in text:
            text = f"{text} [{param}]"
    except (ValueError, RecursionError, LookupError, TypeError):
        pass
    return " ".join(text.split())[:300]


def _text(content: object) -> str | None:
    """A string, or the texts of a list of parts."""
    if isinstance(content, list):
        parts = [one.get("text") for one in content if isinstance(one, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if _is_text(content) else None


def _is_text(found: object) -> TypeGuard[str]:
    return isinstance(found, str) and bool(found.strip())


def _usage(found: object) -> Usage:
    if not isinstance(found, dict):
        return Usage()
    counts = {
        name: value
        for name in Usage.model_fields
        if isinstance(value := found.get(name), int) and value >= 0
    }
    return Usage(**counts)
