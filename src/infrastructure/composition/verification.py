"""The verb *verify*, and what an editor asks while a draft is being written."""

from citeloom.application.ports.verification import DraftReader, FindingCache, Judge
from citeloom.application.verification.judges import EntailmentJudge, RuleJudge
from citeloom.application.verification.language_model_judge import (
    LANGUAGE_MODEL,
    LanguageModelJudge,
    notice,
)
from citeloom.application.verification.second_reader import SecondReaderJudge
from citeloom.application.verification.verify import Verify
from citeloom.application.writing import LibraryViews, StoredFindings

from .models import ModelVerbs
from .search import SearchVerbs
from .workspace import Stores, lazy, part


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
        name, models = self._stores.settings.verify.judge, self._models
        if models.entailment is None:
            return RuleJudge()
        bundled = EntailmentJudge(RuleJudge(), models.entailment)
        if name == LANGUAGE_MODEL:
            return LanguageModelJudge(bundled, models.language_model, self._stores.clock)
        second = models.second_reader
        return SecondReaderJudge(bundled, second) if second else bundled

    def model_notice(self) -> str | None:
        """What a verification sends to which language model; None if nothing. Raises
        ConfigurationError as ``judge``."""
        if self._stores.settings.verify.judge != LANGUAGE_MODEL:
            return None
        return notice(self._models.language_model)

    drafts: DraftReader = part("verification.drafts.reader:DraftFiles", "infrastructure")
    cache: FindingCache = part(
        "verification.finding_cache:FindingFile",
        "infrastructure",
        path="_stores.workspace.findings",
    )
    verify: Verify = part(
        "verification.verify:Verify", searcher="_search.searcher", offers_judge="_offers_judge"
    )

    @property
    def _offers_judge(self) -> bool:
        return self._stores.settings.verify.judge in ("rules", "bundled")


class WritingVerbs:
    """Stored findings of drafts, over one view of each project's library."""

    def __init__(
        self, stores: Stores, search: SearchVerbs, verification: VerificationVerbs
    ) -> None:
        self._stores = stores
        self._search = search
        self._verification = verification

    views: LibraryViews = part("writing:LibraryViews", searcher="_search.searcher")

    findings: StoredFindings = part(
        "writing:StoredFindings",
        drafts="_verification.drafts",
        judge="_verification.judge",
        cache="_verification.cache",
    )
