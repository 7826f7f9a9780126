"""Language models behind OpenAI's chat completions API: Ollama, vLLM, LM Studio, hosted ones."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel

from citeloom.application.ports.models import AnswerLimits, Completion, PromptMessage
from citeloom.domain.errors import LanguageModelUnavailable
from citeloom.infrastructure.models.language.dialect import Dialect, NoAnswer
from citeloom.infrastructure.models.model_server import (
    CallLimits,
    ModelServer,
    NotServed,
    ServerClock,
    ServerSettings,
)

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
