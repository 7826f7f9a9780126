"""Kinds of jobs: how what they are asked and what they give is kept as JSON."""

import hashlib
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from citeloom.domain.messages import NextStep, UserMessage, WarningCode
from citeloom.infrastructure.serving.jobs.view import Result

Asked = TypeVar("Asked")
_M = TypeVar("_M", bound=BaseModel)
# What is never written down, wherever in a request it stands.
_SECRET: Final = {"password", "passwords"}
# Begins a sentence of which more is kept than its text (ASCII: record separator).
_MARK: Final = "\x1e"


@dataclass(frozen=True)
class JobKind(Generic[Asked, Result]):
    """``tool`` is the tool that starts them. ``asked`` gives the JSON of a request without
    secrets, ``dump`` that of a result, which ``load`` reads."""

    name: str
    tool: str
    asked: Callable[[Asked], str]
    dump: Callable[[Result], str]
    load: Callable[[str], Result]


def request_json(request: BaseModel) -> str:
    return request.model_dump_json(exclude=_SECRET, exclude_defaults=True)


def digest_of(kind: str, asked: str) -> str:
    """The same for equal requests on one machine: a path may lead elsewhere on another."""
    told = json.dumps([kind, asked, socket.gethostname()])
    return hashlib.sha256(told.encode()).hexdigest()


def result_json(result: BaseModel) -> str:
    """With the next steps of its sentences."""
    return json.dumps(result.model_dump(mode="json", context=_marked), ensure_ascii=False)


def result_of(model: type[_M]) -> Callable[[str], _M]:
    """What reads ``result_json``."""
    return lambda text: model.model_validate(_unmarked(json.loads(text)))


def _marked(sentence: str) -> str:
    if not isinstance(sentence, UserMessage) or not (sentence.next_step or sentence.code):
        return sentence
    step = sentence.next_step
    told = {
        "text": str(sentence),
        "step": step and {"action": step.action.value, **step.arguments},
        "code": sentence.code,
    }
    return _MARK + json.dumps(told)


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unmarked(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_unmarked(part) for part in value]
    if not isinstance(value, str) or not value.startswith(_MARK):
        return value
    try:
        told = json.loads(value[1:])
        code = told["code"] and WarningCode(told["code"])
        return UserMessage(told["text"], NextStep.of(told["step"]), code)
    except (ValueError, KeyError, TypeError):  # a text that merely begins so
        return value
