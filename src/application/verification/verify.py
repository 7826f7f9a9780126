"""The verb *verify*: the claims of a draft checked against the works that it cites."""

from collections.abc import Callable, Iterator
from pathlib import Path

from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.system import Clock
from citeloom.application.ports.verification import DraftReader, DraftText, FindingCache, Judge
from citeloom.application.search.searcher import Searcher
from citeloom.application.verification.citation_resolution import with_resolved_citations
from citeloom.application.verification.cited_documents import CitedDocuments
from citeloom.application.verification.claim_check import ClaimCheck
from citeloom.application.verification.evidence_search import EvidenceSearch
from citeloom.application.verification.known_findings import (
    FindingKeys,
    cited_items,
    known_finding,
)
from citeloom.domain.cancellation import checkpoint
from citeloom.domain.errors import NoCitations
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.value import Value
from citeloom.domain.verification.drafts.citation_forms import nothing_recognised
from citeloom.domain.verification.drafts.claim_extraction import Claim, extract_claims
from citeloom.domain.verification.drafts.factual_sentences import is_factual
from citeloom.domain.verification.drafts.findings import (
    Finding,
    Uncited,
    Verification,
    provisional_warning,
    verdict_counts,
)

CheckProgress = Callable[[int, int], None]


class VerifyRequest(Value):
    """A draft to verify. ``uncited`` also lists factual sentences without citation; ``fresh``
    ignores cached findings."""

    project_id: ProjectId
    draft: Path | DraftText
    uncited: bool = False
    fresh: bool = False


class Verify:
    """Extracts claims, checks each against the works that it cites, and caches findings."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        bundles: BundleStore,
        searcher: Searcher,
        references: ReferenceReader,
        drafts: DraftReader,
        judge: Judge,
        cache: FindingCache,
        clock: Clock,
    ) -> None:
        self._catalogue = catalogue
        self._bundles = bundles
        self._searcher = searcher
        self._references = references
        self._drafts = drafts
        self._judge = judge
        self._cache = cache
        self._clock = clock

    def __call__(self, request: VerifyRequest, report: CheckProgress | None = None) -> Verification:
        """``report`` is called with the checks done and their total. Raises what the draft
        reader and the search raise, and ProjectNotFound."""
        began = self._clock.monotonic()
        project = self._catalogue.project(request.project_id)
        written = request.draft
        drafts = self._drafts
        draft = drafts.read(written) if isinstance(written, Path) else drafts.parse(written)
        sources = CitedDocuments(
            project,
            catalogue=self._catalogue,
            bundles=self._bundles,
            references=self._references,
        )
        claims = extract_claims(with_resolved_citations(draft, sources))
        if not request.uncited and not any(claim.cited for claim in claims):
            raise NoCitations(
                f"{draft.path}: {nothing_recognised(draft.format)}",
                NextStep(Action.LIST_UNCITED),
                draft=draft.path,
            )
        checking = ClaimCheck(
            sources, EvidenceSearch(project, self._searcher, sources), self._judge
        )
        cached_findings = {} if request.fresh else dict(self._cache.load())
        keys = FindingKeys(project, self._judge.fingerprint, sources)
        checks = [(claim, item) for claim in claims for item in cited_items(claim)]
        findings: list[Finding] = []
        try:
            for number, (claim, item) in enumerate(checks, start=1):
                checkpoint()
                known = known_finding(cached_findings, keys, claim, item)
                found = known or checking.finding(claim, item)
                findings.append(found.model_copy(update={"written": item.written}))
                if report is not None:
                    report(number, len(checks))
        finally:  # what was checked before it was stopped is kept
            fresh = {keys.of(f): f for f in findings if not (f.cached or f.provisional)}
            if fresh:
                self._cache.save(cached_findings | fresh)
        return Verification(
            draft=draft.path,
            format=draft.format,
            project=str(project.id),
            model=project.embedding_model.name,
            judge=self._judge.fingerprint,
            claims=sum(1 for claim in claims if claim.cited),
            counts=verdict_counts(findings),
            findings=tuple(findings),
            uncited=tuple(_uncited(claims, checking)) if request.uncited else None,
            cached=sum(1 for finding in findings if finding.cached),
            duration_seconds=round(self._clock.monotonic() - began, 3),
            warnings=(*draft.warnings, *sources.warnings, *provisional_warning(findings)),
        )


def _uncited(claims: tuple[Claim, ...], checking: ClaimCheck) -> Iterator[Uncited]:
    for claim in claims:
        if not claim.cited and is_factual(claim.text):
            checkpoint()
            yield Uncited(claim=claim, candidates=tuple(checking.candidates(claim)))
