"""Checkpoint of a review, from which it can be resumed, and its cache of model answers."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from citeloom.application.ports.models import Completion
from citeloom.domain.review.report.model import Checked, Gap, GatheredEvidence, Plan, ReportDraft
from citeloom.domain.value import Value

#: Answers by digest of the request; equal requests have several, in their order.
Answers = Mapping[str, tuple[Completion, ...]]


class AnswerCache:
    """The cached answers of one review. ``is_new`` is set by ``add`` and cleared by
    ``answers`` and ``restore``."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[Completion, ...]] = {}
        self.is_new = False

    def restore(self, answers: Answers) -> None:
        """Start from the answers of an earlier run of the review."""
        self._answers = dict(answers)
        self.is_new = False

    def answers(self) -> Answers:
        """All answers, for storage."""
        self.is_new = False
        return dict(self._answers)

    def answer(self, request: str, number: int) -> Completion | None:
        """The answer to the ``number``-th equal request, from 0; None if there is none."""
        known = self._answers.get(request, ())
        return known[number] if number < len(known) else None

    def add(self, request: str, answer: Completion) -> None:
        self._answers[request] = (*self._answers.get(request, ()), answer)
        self.is_new = True


class ReviewStage(StrEnum):
    """The next stage to run."""

    PLAN = "plan"
    SEARCH = "search"
    WRITE = "write"
    CHECK = "check"
    REPORT = "report"


class ReviewProgress(Value):
    """The progress of a review. ``step`` is the next step, of which the first ``asked`` queries
    were run already; ``dry`` counts the last steps in a row without new evidence. ``done`` are
    the searched steps, ``gaps`` what some of them did not find. ``answers`` are a language
    model's answers to the writer of an unfinished draft."""

    stage: ReviewStage = ReviewStage.PLAN
    plan: Plan | None = None
    step: int = 0
    asked: int = 0
    dry: int = 0
    done: tuple[int, ...] = ()
    gathered: GatheredEvidence = GatheredEvidence()
    gaps: tuple[Gap, ...] = ()
    answers: Answers = Field(default_factory=dict)
    draft: ReportDraft | None = None
    checked: tuple[Checked, ...] = ()
    warnings: tuple[str, ...] = ()
