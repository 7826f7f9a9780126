"""The verb *verify*, and what an editor asks while a draft is being written."""

from citeloom.application.ports.verification import DraftReader, FindingCache, Judge
from citeloom.application.verification.judges import (
    LANGUAGE_MODEL,
    EntailmentJudge,
    LanguageModelJudge,
    RuleJudge,
    notice,
)
from citeloom.application.verification.verify import Verify
from citeloom.application.writing import LibraryViews, StoredFindings
from citeloom.infrastructure.verification.drafts.reader import DraftFiles
from citeloom.infrastructure.verification.finding_cache import FindingFile

from .models import ModelVerbs
from .search import SearchVerbs
from .workspace import Stores, lazy


class VerificationVerbs:
    """Verification of drafts against the documents of a project."""

    def __init__(self, stores: Stores, models: ModelVerbs, search: SearchVerbs) -> None:
        self._stores = stores
        self._models = models
        self._search = search

    @lazy
    def judge(self) -> Judge:
        """The configured judge of claims. Raises ConfigurationError if a model is to judge and none
        is configured."""
        rules = RuleJudge()
        if self._stores.settings.verify.judge == LANGUAGE_MODEL:
            return LanguageModelJudge(rules, self._models.language_model, self._stores.clock)
        model = self._models.entailment
        if model is None:
            return rules
        is_bundled = self._stores.settings.verify.judge == "bundled"
        return EntailmentJudge(rules, model, is_measured=is_bundled)

    def model_notice(self) -> str | None:
        """What a verification sends to which language model; None if nothing. Raises
        ConfigurationError as ``judge``."""
        if self._stores.settings.verify.judge != LANGUAGE_MODEL:
            return None
        return notice(self._models.language_model)

    @lazy
    def drafts(self) -> DraftReader:
        return DraftFiles()

    @lazy
    def cache(self) -> FindingCache:
        return FindingFile(self._stores.workspace.findings)

    @lazy
    def verify(self) -> Verify:
        return Verify(
            catalogue=self._stores.catalogue,
            bundles=self._stores.bundles,
            searcher=self._search.searcher,
            references=self._stores.references,
            drafts=self.drafts,
            judge=self.judge,
            cache=self.cache,
            clock=self._stores.clock,
            offers_judge=self._stores.settings.verify.judge in ("rules", "bundled"),
        )


class WritingVerbs:
    """Stored findings of drafts, over one view of each project's library."""

    def __init__(
        self, stores: Stores, search: SearchVerbs, verification: VerificationVerbs
    ) -> None:
        self._stores = stores
        self._search = search
        self._verification = verification

    @lazy
    def views(self) -> LibraryViews:
        return LibraryViews(
            catalogue=self._stores.catalogue,
            bundles=self._stores.bundles,
            references=self._stores.references,
            searcher=self._search.searcher,
        )

    @lazy
    def findings(self) -> StoredFindings:
        return StoredFindings(
            self.views,
            drafts=self._verification.drafts,
            judge=self._verification.judge,
            cache=self._verification.cache,
        )
