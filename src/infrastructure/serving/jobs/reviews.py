"""Review jobs."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from citeloom.application.review.requests import BegunReview, ReviewRequest
from citeloom.application.review.roles import EXTRACTIVE
from citeloom.domain.progress import Cancelled
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.events import (
    ClaimVerified,
    PlanCreated,
    ResearchCompleted,
    ResearchEvent,
    StepCompleted,
    StepStarted,
    SynthesisProgress,
    SynthesisStarted,
)
from citeloom.domain.research.session import ResearchSession, SessionStatus

from .job import Advance, Job, JobKind, request_json
from .queue import Jobs, Recorder

if TYPE_CHECKING:
    from citeloom.application.review.review import Review

TOOL: Final = "review"
# What follows the steps of the plan: writing, and checking what was written.
_AFTER_STEPS: Final = 2


#: The session is one to go on with.
Asked = ReviewRequest | BegunReview | ResearchSession
ReadyVerb = Callable[[ProjectId], "Review"]
"""The verb, once what it needs for a project is loaded."""


class EndedReview(NamedTuple):
    """The stored part of a review; its session has the rest."""

    session_id: UUID


def _asked(asked: Asked) -> str:
    if isinstance(asked, ReviewRequest):
        return request_json(asked)
    session = asked.session if isinstance(asked, BegunReview) else asked
    return json.dumps({"session_id": str(session.id)})


KIND: Final = JobKind[Asked, EndedReview](
    "review",
    TOOL,
    _asked,
    lambda ended: json.dumps({"session_id": str(ended.session_id)}),
    lambda text: EndedReview(UUID(json.loads(text)["session_id"])),
)


class ReviewJob(Job[Asked, EndedReview]):
    """One review; it listens to its events. ``session_id`` is None until it has started."""

    kind = KIND.name

    def __init__(self, asked: Asked, stopping: threading.Event, review: ReadyVerb) -> None:
        super().__init__(asked, stopping)
        self.session_id: UUID | None = None
        self.steps: int | None = None
        if not isinstance(asked, ReviewRequest):
            session = asked.session if isinstance(asked, BegunReview) else asked
            self.session_id = session.id
            self.steps = len((session.plan or {}).get("steps", ())) or None
        self.steps_done = 0
        self.doing: str | None = None
        self._written = 0
        self._checked = 0
        self._after = 0.0
        self._review = review

    @property
    def project(self) -> str:
        return str(self.asked.project_id)

    @property
    def session(self) -> str | None:
        return None if self.session_id is None else str(self.session_id)

    def work(self) -> EndedReview:
        asked = self.asked
        review = self._review(ProjectId.parse(self.project))
        if isinstance(asked, BegunReview):
            result = review.run(asked, self._hear, self._stop)
        elif isinstance(asked, ResearchSession):
            result = review.resume(asked.id, self._hear, self._stop)
        else:
            result = review(asked, self._hear, self._stop)
        if result.status is SessionStatus.CANCELLED:
            raise Cancelled
        return EndedReview(result.session_id)

    def cancel(self) -> None:
        super().cancel()
        if self.has_ended:
            self._abandon()

    def run(self) -> None:
        super().run()
        self._abandon()

    def advance(self) -> Advance:
        """In steps: those of the plan, then writing and checking."""
        total = None if self.steps is None else self.steps + _AFTER_STEPS
        return Advance(self.steps_done + self._after, total, self.doing)

    def counts(self) -> Mapping[str, Any]:
        writer = (
            writer_of(self.asked) if isinstance(self.asked, ResearchSession) else self.asked.writer
        )
        told: dict[str, Any] = {} if writer == EXTRACTIVE else {"writer": writer}
        if self.steps is not None:
            told |= {"steps_done": self.steps_done, "steps": self.steps}
        return told | ({"doing": self.doing} if self.doing else {})

    def _abandon(self) -> None:
        """A recorded session whose turn never came ends in the record too."""
        if isinstance(self.asked, BegunReview):
            self.asked.abandon()

    def _stop(self) -> bool:
        return self.is_cancelling or self._stopping.is_set()

    def _hear(self, event: ResearchEvent) -> None:
        self.session_id = event.session_id
        match event:
            case PlanCreated():
                self.steps = len(event.steps)
            case StepStarted():
                self.doing = f"searching: {event.step_title}"
            case StepCompleted():
                self.steps_done = max(self.steps_done, event.step_index + 1)
            case SynthesisStarted():
                self._searched()
                self.doing = f"writing ({event.writer})"
            case SynthesisProgress():
                self._written += 1
            case ClaimVerified():
                self._searched()
                self._checked += 1
                self._after = 1 + self._checked / max(self._checked, self._written)
                self.doing = "checking what was written"
            case ResearchCompleted():
                self._after = _AFTER_STEPS
            case _:
                pass

    def _searched(self) -> None:
        """The steps that are left were not needed."""
        self.steps_done = self.steps or self.steps_done


def writer_of(session: ResearchSession) -> str:
    return str(session.classification.get("writer", EXTRACTIVE))


def reviews(review: ReadyVerb, recorder: Recorder, most: int = 0) -> Jobs[Asked, EndedReview]:
    return Jobs(KIND, lambda asked, stopping: ReviewJob(asked, stopping, review), recorder, most)
