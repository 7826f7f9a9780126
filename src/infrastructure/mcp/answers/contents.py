"""What every answer is made of.

Answers are typed dictionaries: their types are the output schemas of the tools. Agents pay by the
token: what is empty is left out, except where the contract requires it.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar

import orjson
from pydantic import Field
from typing_extensions import TypedDict

from citeloom.domain.text.tokens import count_tokens

Content = Mapping[str, Any]
Entry = dict[str, Any]
T = TypeVar("T")

#: Tokens of an answer, by the estimate of ``count_tokens``. The bundled model's vocabulary, in
#: which punctuation counts in full, has 1 to 4 % more in English Markdown and in code.
MOST_TOKENS: Final = 8_000
_SHOWN: Final = 20  # warnings


def fitting(entries: Sequence[T], left: int = MOST_TOKENS - 1000) -> list[T]:
    """As many entries as fit into so many tokens, at least one."""
    shown = list[T]()
    for entry in entries:
        left -= size(entry)
        if shown and left < 0:
            break
        shown.append(entry)
    return shown


def size(part: object) -> int:
    """Tokens of a part of an answer."""
    return count_tokens(orjson.dumps(part, default=str).decode())


class Reply(TypedDict, total=False):
    """An answer; one that is an error has ``error`` and ``correlation_id`` alone."""

    correlation_id: str
    error: Annotated[dict[str, Any], Field(description="code, message, details")]
    warnings: list[str]
    next: Annotated[str, Field(description="the call that goes on")]


class JobReply(Reply, total=False):
    """What is said of a job that goes on."""

    job_id: str
    status: Annotated[str, Field(description="done, or how it stands")]
    project: str
    position: Annotated[int, Field(description="in the queue, from 1")]
    waits_for: Annotated[str, Field(description="a job")]
    doing: str


def first(texts: Sequence[str]) -> list[str]:
    """Warnings, as many as are shown, and how many there are besides."""
    more = len(texts) - _SHOWN
    return [*texts[:_SHOWN], f"and {more} more warnings"] if more > 0 else list(texts)
