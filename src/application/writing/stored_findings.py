"""Findings on the claims of a draft that is being written."""

from collections.abc import Iterable

from citeloom.application.ports.verification import DraftReader, DraftText, FindingCache, Judge
from citeloom.application.verification.citation_resolution import with_resolved_citations
from citeloom.application.verification.known_findings import FindingKeys, known_findings
from citeloom.application.writing.library_view import LibraryViews
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.verification.drafts.claim_extraction import extract_claims
from citeloom.domain.verification.drafts.findings import Finding
from citeloom.domain.writing.placed_findings import PlacedFinding, placed


class StoredFindings:
    """Looks findings up; checks nothing."""

    def __init__(
        self, views: LibraryViews, *, drafts: DraftReader, judge: Judge, cache: FindingCache
    ) -> None:
        self._views = views
        self._drafts = drafts
        self._judge = judge
        self._cache = cache

    def of(self, project_id: ProjectId, written: DraftText) -> tuple[PlacedFinding, ...]:
        """Those that hold for the text as it is. Raises ProjectNotFound, StorageFailed, and
        InvalidSource for a text that cannot be read as a draft."""
        view = self._views.view(project_id)
        stored = self._cache.load()
        if not stored:
            return ()
        draft = with_resolved_citations(self._drafts.parse(written), view.sources)
        keys = FindingKeys(view.project, self._judge.fingerprint, view.sources)
        return placed(draft, known_findings(extract_claims(draft), stored, keys))

    def place(
        self, project_id: ProjectId, written: DraftText, findings: Iterable[Finding]
    ) -> tuple[PlacedFinding, ...]:
        """The ``findings`` of a verification of the text, with its corrections. Raises
        ProjectNotFound, and InvalidSource for a text that cannot be read as a draft."""
        sources = self._views.view(project_id).sources
        return placed(with_resolved_citations(self._drafts.parse(written), sources), findings)
