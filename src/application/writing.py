"""Questions of a person who writes with a library: works, pages, citations, facts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

from citeloom.domain.projects.project import Project, ProjectId
from citeloom.domain.verification.drafts.draft import Finding, extract_claims
from citeloom.domain.writing import CitableWork, PlacedFinding, citable, placed

from .ports.catalogue import Catalogue
from .ports.citation import ReferenceReader
from .ports.ingest import BundleStore
from .ports.verification import DraftReader, DraftText, FindingCache, Judge
from .search.searcher import Searcher
from .verification.cited_documents import CitedDocuments, EvidenceSearch
from .verification.verify import FindingKeys, known_findings, with_resolved_citations


class LibraryView:
    """The documents of a project as they were at one time, and the search for evidence in
    them."""

    def __init__(self, project: Project, sources: CitedDocuments, searcher: Searcher) -> None:
        self.project = project
        self.sources = sources
        self.evidence = EvidenceSearch(project, searcher, sources)

    @cached_property
    def works(self) -> Sequence[CitableWork]:
        """All works that can be cited, those with text first."""
        with_text = {
            document.citation.citekey
            for document in self.sources.documents
            if document.citation and document.chunks
        }
        return [
            citable(work, has_text=key in with_text) for key, work in self.sources.works.items()
        ]

    def is_as(self, other: "LibraryView") -> bool:
        return (
            self.project == other.project
            and self.sources.documents == other.sources.documents
            and self.sources.works == other.sources.works
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryViews:
    """The views of projects, each read once and again when ``refresh`` is asked for. A view that
    has not changed is kept with the conversions that it has loaded. For several threads."""

    catalogue: Catalogue
    bundles: BundleStore
    references: ReferenceReader
    searcher: Searcher
    _views: dict[ProjectId, LibraryView] = field(default_factory=dict, init=False)
    _reading: Lock = field(default_factory=Lock, init=False)

    def view(self, project_id: ProjectId) -> LibraryView:
        """Raises ProjectNotFound."""
        return self._views.get(project_id) or self.refresh(project_id)

    def refresh(self, project_id: ProjectId) -> LibraryView:
        """The current view. Raises ProjectNotFound."""
        with self._reading:
            fresh = self._read(project_id)
            known = self._views.get(project_id)
            if known is not None and known.is_as(fresh):
                return known
            self._views[project_id] = fresh
            return fresh

    def _read(self, project_id: ProjectId) -> LibraryView:
        project = self.catalogue.project(project_id)
        sources = CitedDocuments(
            project,
            catalogue=self.catalogue,
            bundles=self.bundles,
            references=self.references,
        )
        return LibraryView(project, sources, self.searcher)


@dataclass(frozen=True, slots=True)
class StoredFindings:
    """Looks findings up; checks nothing."""

    views: LibraryViews
    drafts: DraftReader
    judge: Judge
    cache: FindingCache

    def of(self, project_id: ProjectId, written: DraftText) -> tuple[PlacedFinding, ...]:
        """The findings that hold for the present text. Raises ProjectNotFound, StorageFailed, and
        InvalidSource for a text that cannot be read as a draft."""
        view = self.views.view(project_id)
        stored = self.cache.load()
        if not stored:
            return ()
        draft = with_resolved_citations(self.drafts.parse(written), view.sources)
        again = view.evidence.is_read_again
        keys = FindingKeys(view.project, self.judge.fingerprint, view.sources, again)
        return placed(draft, known_findings(extract_claims(draft), stored, keys))

    def place(
        self, project_id: ProjectId, written: DraftText, findings: Iterable[Finding]
    ) -> tuple[PlacedFinding, ...]:
        """The ``findings`` of a verification of the text, with its corrections. Raises
        ProjectNotFound, and InvalidSource for a text that cannot be read as a draft."""
        sources = self.views.view(project_id).sources
        return placed(with_resolved_citations(self.drafts.parse(written), sources), findings)
