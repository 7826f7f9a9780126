"""Port: a language model that answers messages.

Nothing needs one. What it writes is never taken as it is: whoever asks checks the answer.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

from pydantic import BaseModel, Field

from citeloom.domain.values import Value


class Message(Value):
    """One turn of a conversation; ``system`` says what the model is to do."""

    role: Literal["system", "user", "assistant"]
    text: str


class AnswerLimits(Value):
    """``max_tokens`` of the answer; ``timeout_seconds`` for all attempts together, waiting
    included. The same ``seed`` asks for the same answer, which not all servers give."""

    max_tokens: int = Field(default=2048, ge=1)
    timeout_seconds: float = Field(default=120.0, gt=0)
    seed: int = 0


class Usage(Value):
    """Tokens as the server counts them; None where it does not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Completion(Value):
    """An answer: its text, the model that says it wrote it, and whether it came to its end
    (False: it was cut off at ``max_tokens``). ``warnings`` say what was asked for in vain."""

    text: str
    model: str
    ended: bool = True
    usage: Usage = Usage()
    warnings: tuple[str, ...] = ()


class LanguageModel(Protocol):
    """Asked without chance: temperature 0 and a seed. May be asked by several threads."""

    @property
    def name(self) -> str:
        """The model, as configured."""

    @property
    def place(self) -> str:
        """Where the messages go, for people: ``http://localhost:11434``."""

    @property
    def limits(self) -> AnswerLimits:
        """What holds where ``complete`` is given none."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None = None,
        limits: AnswerLimits | None = None,
    ) -> Completion:
        """The answer to ``messages``. With a ``schema`` the server is asked for JSON of that
        shape as far as it can; the text may be anything all the same.

        Raises LanguageModelUnavailable where there is no answer in time, or none at all.
        """
