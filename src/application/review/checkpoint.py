"""How far a review is: all that is needed to go on with it, as the record keeps it."""

from enum import StrEnum

from pydantic import Field

from citeloom.application.review.answer_cache import Answers
from citeloom.domain.review.report.model import Checked, Gap, GatheredEvidence, Plan, ReportDraft
from citeloom.domain.value import Value


class ReviewStage(StrEnum):
    """What is to be done next."""

    PLAN = "plan"
    SEARCH = "search"
    WRITE = "write"
    CHECK = "check"
    REPORT = "report"


class ReviewProgress(Value):
    """``step`` is the step to do, or to do again with those of its queries after the first
    ``asked``; ``dry`` counts the steps in a row that found nothing new. ``done`` are the steps
    that were searched, ``gaps`` what some of them did not find. ``answers`` are what a language
    model has answered so far to the writer of a draft that is not there yet."""

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
