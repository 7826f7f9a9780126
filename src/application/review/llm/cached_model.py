"""Language model with the answer cache of a review."""

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from pydantic import BaseModel

from citeloom.application.ports.models import AnswerLimits, Completion, LanguageModel, PromptMessage
from citeloom.application.review.checkpoint import AnswerCache
from citeloom.application.review.llm.responses import LONGEST_ANSWER


class CachedLanguageModel:
    """Returns cached answers, and caches those of ``model``. Equal requests in one run have
    separate answers: the second is made because the first was unusable. Errors are not
    cached."""

    def __init__(self, model: LanguageModel, answer_cache: AnswerCache) -> None:
        self._model = model
        self._answer_cache = answer_cache
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
        request = _digest(self._model.name, messages)
        answer = self._answer_cache.answer(request, self._times[request])
        if answer is None:
            answer = self._model.complete(messages, schema=schema, limits=limits)
            # Longer answers are not read either.
            truncated = answer.model_copy(update={"text": answer.text[: LONGEST_ANSWER + 1]})
            self._answer_cache.add(request, truncated)
        self._times[request] += 1
        return answer


def _digest(model: str, messages: Sequence[PromptMessage]) -> str:
    """The digest of a request; another model has other digests."""
    written = "\n".join([model, *(one.model_dump_json() for one in messages)])
    return sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
