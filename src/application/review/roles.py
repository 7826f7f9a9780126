"""Roles of a review: planner, writer, checker, and the resources that they share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from citeloom.application.documents.stores import SecondReading
from citeloom.application.ports.catalogue import Catalogue
from citeloom.application.ports.citation import ReferenceReader
from citeloom.application.ports.ingest import BundleStore
from citeloom.application.ports.models import Embedder
from citeloom.application.ports.verification import Judge
from citeloom.application.review.checkpoint import AnswerCache
from citeloom.application.review.sentence_relevance import Closeness, VectorCloseness
from citeloom.application.search.searcher import Searcher
from citeloom.application.verification.cited_documents import CitedDocuments
from citeloom.application.verification.evidence_search import EvidenceSearch
from citeloom.domain.projects.project import Project
from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.plan import InitialPassage
from citeloom.domain.review.report.model import (
    Checked,
    GatheredEvidence,
    Plan,
    ReportDraft,
    Statement,
)

#: The writer that quotes, and the configured language model.
EXTRACTIVE = "extractive"
MODEL = "model"


def nothing() -> None: ...


class Planner(Protocol):
    """Plans the steps of a review."""

    def plan(self, question: str, depth: Depth, seen: Sequence[InitialPassage]) -> Plan:
        """Steps that answer ``question``. ``seen`` are passages found for the question itself,
        the best first."""


class Writer(Protocol):
    """Writes the draft of a review."""

    @property
    def name(self) -> str:
        """``extractive``, or a model's name."""

    def write(
        self, plan: Plan, gathered: GatheredEvidence, check_stop: Callable[[], None] = nothing
    ) -> ReportDraft:
        """Statements in the order of the steps; without a model the draft is deterministic.
        ``check_stop`` is called before each long part and after each request to a model; its
        exceptions propagate."""


class Checker(Protocol):
    """Checks the statements of a draft."""

    def check(self, statement: Statement, gathered: GatheredEvidence) -> Checked:
        """Check one statement, independently of all others."""


@dataclass(frozen=True, slots=True)
class ReviewResources:
    """Resources for the review of one project: its documents, evidence search, judge of claims,
    closeness of sentences by the project's embedding model, and a second reading of pages."""

    project: Project
    sources: CitedDocuments
    evidence: EvidenceSearch
    judge: Judge
    closeness: Closeness
    reading: SecondReading


class ProjectResources:
    """Makes the resources for the review of a project."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        bundles: BundleStore,
        references: ReferenceReader,
        searcher: Searcher,
        embedder: Callable[[str], Embedder],
        judge: Judge,
        reading: SecondReading,
    ) -> None:
        self._catalogue = catalogue
        self._bundles = bundles
        self._references = references
        self._searcher = searcher
        self._embedder = embedder
        self._judge = judge
        self._reading = reading

    def __call__(self, project: Project) -> ReviewResources:
        sources = CitedDocuments(
            project,
            catalogue=self._catalogue,
            bundles=self._bundles,
            references=self._references,
        )
        closeness = VectorCloseness(self._embedder(project.embedding_model.name))
        evidence = EvidenceSearch(project, self._searcher, sources)
        return ReviewResources(project, sources, evidence, self._judge, closeness, self._reading)


@dataclass(frozen=True, slots=True)
class ReviewRoles:
    """The roles of one review. ``answer_cache`` is the answer cache of the writer's language model,
    if it has one."""

    planner: Planner
    writer: Writer
    checker: Checker
    answer_cache: AnswerCache = field(default_factory=AnswerCache)


#: Makes the roles of a review, by writer: EXTRACTIVE or MODEL.
RolesFactory = Callable[[ReviewResources, str], ReviewRoles]
