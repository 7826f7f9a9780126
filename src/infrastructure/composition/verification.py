"""The verb *verify*."""

from citeloom.application.ports.verification import Judge
from citeloom.application.verification.entailment_judge import EntailmentJudge
from citeloom.application.verification.language_model_judge import (
    LANGUAGE_MODEL,
    LanguageModelJudge,
    notice,
)
from citeloom.application.verification.rule_judge import RuleJudge
from citeloom.application.verification.verify import Verify
from citeloom.infrastructure.composition.models import ModelVerbs
from citeloom.infrastructure.composition.search import SearchVerbs
from citeloom.infrastructure.composition.workspace import Stores, lazy
from citeloom.infrastructure.verification.drafts.reader import DraftFiles
from citeloom.infrastructure.verification.finding_cache import FindingFile


class VerificationVerbs:
    """Verification of drafts against the documents of a project."""

    def __init__(self, stores: Stores, models: ModelVerbs, search: SearchVerbs) -> None:
        self._stores = stores
        self._models = models
        self._search = search

    @lazy
    def judge(self) -> Judge:
        """The configured judge of claims. Raises ConfigurationError where a model is to judge and
        none is configured."""
        rules = RuleJudge()
        if self._stores.settings.verify.judge == LANGUAGE_MODEL:
            return LanguageModelJudge(rules, self._models.language_model, self._stores.clock)
        model = self._models.entailment
        return rules if model is None else EntailmentJudge(rules, model)

    def model_notice(self) -> str | None:
        """What a verification sends to which language model; None if nothing. Raises
        ConfigurationError as ``judge``."""
        if self._stores.settings.verify.judge != LANGUAGE_MODEL:
            return None
        return notice(self._models.language_model)

    @lazy
    def verify(self) -> Verify:
        findings = self._stores.workspace.home / "verified" / "findings.jsonl"
        return Verify(
            catalogue=self._stores.catalogue,
            bundles=self._stores.bundles,
            searcher=self._search.searcher,
            references=self._stores.references,
            drafts=DraftFiles(),
            judge=self.judge,
            cache=FindingFile(findings),
            clock=self._stores.clock,
        )
