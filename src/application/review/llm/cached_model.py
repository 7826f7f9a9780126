"""A language model that is not asked again what it has answered in the same review."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from pydantic import BaseModel

from citeloom.application.ports.models import AnswerLimits, Completion, LanguageModel, PromptMessage
from citeloom.application.review.answer_cache import Memory
from citeloom.application.review.llm.responses import LONGEST_ANSWER


class RememberingModel:
    """Gives the answers that ``memory`` has, and puts those of ``model`` there. The same asked
    twice in one run has two answers, for the second is wanted where the first was of no use. A
    model that gave no answer is asked again."""

    def __init__(self, model: LanguageModel, memory: Memory) -> None:
        self._model = model
        self._memory = memory
        self._times: Counter[str] = Counter()

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def place(self) -> str:
        return self._model.place

    @property
    def limits(self) -> AnswerLimits:
        return self._model.limits

    def complete(
        self,
        messages: Sequence[PromptMessage],
        *,
        schema: type[BaseModel] | None = None,
        limits: AnswerLimits | None = None,
    ) -> Completion:
        asked = _digest(self._model.name, messages)
        answer = self._memory.answer(asked, self._times[asked])
        if answer is None:
            answer = self._model.complete(messages, schema=schema, limits=limits)
            # What is longer is not read, and need not be kept.
            kept = answer.model_copy(update={"text": answer.text[: LONGEST_ANSWER + 1]})
            self._memory.add(asked, kept)
        self._times[asked] += 1
        return answer


def _digest(model: str, messages: Sequence[PromptMessage]) -> str:
    """Another model, chosen before a review goes on, gives answers of its own."""
    written = "\n".join([model, *(one.model_dump_json() for one in messages)])
    return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
