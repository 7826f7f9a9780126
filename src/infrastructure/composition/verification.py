"""The verb *verify*."""

from citeloom.application.ports.verification import Judge
from citeloom.application.verification.rule_judge import RuleJudge
from citeloom.application.verification.verify import Verify
from citeloom.infrastructure.composition.search import SearchVerbs
from citeloom.infrastructure.composition.workspace import Stores, lazy
from citeloom.infrastructure.verification.drafts.reader import DraftFiles
from citeloom.infrastructure.verification.finding_cache import FindingFile


class VerificationVerbs:
    """Verification of drafts against the documents of a project."""

    def __init__(self, stores: Stores, search: SearchVerbs) -> None:
        self._stores = stores
        self._search = search

    @lazy
    def judge(self) -> Judge:
        """The judge of claims."""
        return RuleJudge()

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
