"""Checkpoint of a review: the state from which it can be resumed."""

from enum import StrEnum

from pydantic import Field

from citeloom.application.review.answer_cache import Answers
from citeloom.domain.review.report.model import Checked, Gap, GatheredEvidence, Plan, ReportDraft
from citeloom.domain.value import Value


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
