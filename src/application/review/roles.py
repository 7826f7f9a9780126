"""Who plans, writes and checks a review. Each has a form that needs no language model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from citeloom.application.ports.verification import Judge
from citeloom.application.review.answer_cache import Memory
from citeloom.application.verification.cited_documents import Sources
from citeloom.application.verification.evidence_search import EvidenceSearch
from citeloom.domain.projects.project import Project
from citeloom.domain.research.session import Depth
from citeloom.domain.review.evidence.agreement import Closeness
from citeloom.domain.review.planning.facets import Seen
from citeloom.domain.review.report.model import (
    Checked,
    GatheredEvidence,
    Plan,
    ReportDraft,
    Statement,
)

#: The writer that quotes, and the one that is the language model that is configured.
EXTRACTIVE = "extractive"
MODEL = "model"


def nothing() -> None: ...


class Planner(Protocol):
    def plan(self, question: str, depth: Depth, seen: Sequence[Seen]) -> Plan:
        """Steps that answer ``question``. ``seen`` are the passages that it finds at first
        sight, the best first."""


class Writer(Protocol):
    @property
    def name(self) -> str:
        """``extractive``, or a model's name."""

    def write(
        self, plan: Plan, gathered: GatheredEvidence, go_on: Callable[[], None] = nothing
    ) -> ReportDraft:
        """Statements in the order of the steps. Of the same plan and evidence a writer that
        needs no model makes the same draft. ``go_on`` is called before each part that takes
        long and after what was asked of a model; what it raises goes through."""


class Checker(Protocol):
    def check(self, statement: Statement, gathered: GatheredEvidence) -> Checked:
        """One statement, whatever else the report says."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What lies ready for the review of one project: its documents, how they are searched for
    what bears a sentence out, who judges that, and how close sentences are by its vectors."""

    project: Project
    sources: Sources
    evidence: EvidenceSearch
    judge: Judge
    closeness: Closeness


@dataclass(frozen=True, slots=True)
class Staff:
    """``memory`` has what a language model answered to the writer, where one is asked."""

    planner: Planner
    writer: Writer
    checker: Checker
    memory: Memory = field(default_factory=Memory)


#: Who works on a review, by the writer: EXTRACTIVE or MODEL.
Staffing = Callable[[Desk, str], Staff]
