"""Extractive planner and writer, without a language model."""

from collections.abc import Callable, Sequence

from citeloom.application.review.roles import EXTRACTIVE, ReviewResources, ReviewRoles, nothing
from citeloom.application.review.statement_check import SourceChecker
from citeloom.domain.research.session import Depth
from citeloom.domain.review.planning.plan import InitialPassage, plan_of
from citeloom.domain.review.report.model import GatheredEvidence, Plan, ReportDraft, Statement


class ExtractivePlanner:
    """Plans by the words of the question and of the passages first found for it."""

    def plan(self, question: str, depth: Depth, seen: Sequence[InitialPassage]) -> Plan:
        return plan_of(question, depth, seen)


class ExtractiveWriter:
    """Writes a draft of quotations; those of a step are ordered by relevance."""

    name = EXTRACTIVE

    def write(
        self, plan: Plan, gathered: GatheredEvidence, check_stop: Callable[[], None] = nothing
    ) -> ReportDraft:
        statements: list[Statement] = []
        for step in range(len(plan.steps)):
            check_stop()
            spans = [span for span in gathered.spans if span.step_index == step]
            spans.sort(key=lambda span: -span.relevance_score)
            statements += [
                Statement(text=span.quote, spans=(span.id,), step_index=step, quoted=True)
                for span in spans
            ]
        return ReportDraft(writer=self.name, statements=tuple(statements))


def extractive_roles(resources: ReviewResources) -> ReviewRoles:
    """The planner, writer and checker that need no language model."""
    return ReviewRoles(ExtractivePlanner(), ExtractiveWriter(), SourceChecker(resources))
