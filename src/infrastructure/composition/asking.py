"""The verbs that ask a language model; part of the composition root."""

from typing import TYPE_CHECKING, Any

from citeloom.infrastructure.composition.wiring import Wired

if TYPE_CHECKING:
    from citeloom.application.maps.refine import Refine
    from citeloom.application.ports.models import LanguageModel


class ModelVerbs:
    """Of an ``Application``, which they are part of."""

    @Wired
    def language_model(self: Any) -> "LanguageModel":
        """Raises ConfigurationError where none is configured."""
        from citeloom.application.ports.models import AnswerLimits
        from citeloom.domain.errors import ConfigurationError

        wanted = self.settings.llm
        if not wanted.url or not wanted.model:
            missing = "llm.url" if not wanted.url else "llm.model"
            raise ConfigurationError(
                f"{missing}: no language model is configured; set llm.url (say "
                "http://localhost:11434/v1) and llm.model in citeloom.toml. Nothing was sent"
            )
        from citeloom.infrastructure.models.language.openai_compatible import OpenAICompatible

        return OpenAICompatible(
            wanted.url,
            wanted.model,
            wanted.api_key.get_secret_value(),
            limits=AnswerLimits(
                max_tokens=wanted.max_tokens, timeout_seconds=wanted.timeout_seconds
            ),
        )

    @Wired
    def refine(self: Any) -> "Refine":
        from citeloom.application.maps.refine import Refine
        from citeloom.infrastructure.composition.mapped import node_words
        from citeloom.infrastructure.system.clock import SystemClock

        return Refine(
            model=lambda: self.language_model,
            words=node_words(self),
            bundles=self.bundles,
            clock=SystemClock(),
        )
