"""Events and life cycle of a review: acquire, cancel, end, delete, restore.

Events are streamed while a review runs, and kept in the record. Every event has a ``sequence``
(from 1, without gaps within a session) and a ``timestamp``, and is serialised in camelCase:
``{"eventType": "step_started", "stepIndex": 0, …}``.

::

                 acquire                 finish
    failed ────────────▶ in_progress ────────────▶ completed, cancelled, failed
    cancelled                │
                             └─ worker silent for DEAD_AFTER: failed, or cancelled if
                                that was requested

Every transition is a pure function; the store of sessions has to exclude concurrent changes.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializationInfo,
    TypeAdapter,
)
from pydantic.alias_generators import to_camel, to_snake

from citeloom.domain.errors import SessionBusy, SessionEnded, SessionNotFound
from citeloom.domain.leases import DEAD_AFTER
from citeloom.domain.messages import Action, NextStep

from .session import (
    MOST_RUNNING,
    ClaimVerdict,
    Correction,
    Depth,
    ResearchSession,
    SessionStatus,
    VerificationSummary,
)


class Reflection(StrEnum):
    """Decision after a step: continue, adjust the plan, or complete."""

    CONTINUE = "continue"
    ADJUST = "adjust"
    COMPLETE = "complete"


class _Event(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )

    session_id: UUID
    sequence: int = Field(ge=1)
    timestamp: datetime


class ResearchStarted(_Event):
    event_type: Literal["research_started"] = "research_started"
    message_id: UUID
    question: str
    project_id: str
    research_depth: Depth
    resumed: bool = False


class PlanCreated(_Event):
    """``steps`` are the titles of the steps, in order."""

    event_type: Literal["plan_created"] = "plan_created"
    steps: tuple[str, ...]


class StepStarted(_Event):
    event_type: Literal["step_started"] = "step_started"
    step_index: int = Field(ge=0)
    step_title: str


class ToolCall(_Event):
    """``tool`` is ``query`` with the query's text and filters as ``arguments``, or another verb."""

    event_type: Literal["tool_call"] = "tool_call"
    step_index: int = Field(ge=0)
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolResult(_Event):
    """``count`` is the number of results, ``summary`` is for people."""

    event_type: Literal["tool_result"] = "tool_result"
    step_index: int = Field(ge=0)
    tool: str
    count: int = Field(ge=0)
    summary: str


class StepCompleted(_Event):
    event_type: Literal["step_completed"] = "step_completed"
    step_index: int = Field(ge=0)
    step_title: str
    sources: int = Field(ge=0)
    evidence: int = Field(ge=0)


class ReflectionDecision(_Event):
    event_type: Literal["reflection_decision"] = "reflection_decision"
    step_index: int = Field(ge=0)
    decision: Reflection
    reason: str


class SynthesisStarted(_Event):
    """``writer`` is ``extractive``, or the name of the language model."""

    event_type: Literal["synthesis_started"] = "synthesis_started"
    writer: str


class SynthesisProgress(_Event):
    event_type: Literal["synthesis_progress"] = "synthesis_progress"
    content_chunk: str


class ClaimVerified(_Event):
    event_type: Literal["claim_verified"] = "claim_verified"
    claim_text: str
    verdict: ClaimVerdict
    confidence: float = Field(ge=0, le=1)
    citation_key: str | None = None


class CitationCorrected(_Event):
    """A corrected sentence; ``after`` is None if it was removed."""

    event_type: Literal["citation_corrected"] = "citation_corrected"
    correction: Correction
    before: str
    after: str | None = None
    reason: str


def _summary_in(value: Any) -> Any:
    return (
        {to_snake(name): one for name, one in value.items()} if isinstance(value, dict) else value
    )


def _summary_out(summary: VerificationSummary, info: SerializationInfo) -> dict[str, int | bool]:
    return {to_camel(name) if info.by_alias else name: one for name, one in summary}


class VerificationSummaryEvent(_Event):
    """``summary`` is serialised in camelCase too."""

    event_type: Literal["verification_summary"] = "verification_summary"
    summary: Annotated[
        VerificationSummary, BeforeValidator(_summary_in), PlainSerializer(_summary_out)
    ]


class ResearchCompleted(_Event):
    event_type: Literal["research_completed"] = "research_completed"
    message_id: UUID
    claims: int = Field(ge=0)
    sources: int = Field(ge=0)


class ErrorEvent(_Event):
    """``recoverable``: the review continues, or can be resumed."""

    event_type: Literal["error"] = "error"
    error_code: str
    error_message: str
    recoverable: bool


ResearchEvent = Annotated[
    ResearchStarted
    | PlanCreated
    | StepStarted
    | ToolCall
    | ToolResult
    | StepCompleted
    | ReflectionDecision
    | SynthesisStarted
    | SynthesisProgress
    | ClaimVerified
    | CitationCorrected
    | VerificationSummaryEvent
    | ResearchCompleted
    | ErrorEvent,
    Field(discriminator="event_type"),
]

_READER: Final[TypeAdapter[ResearchEvent]] = TypeAdapter(ResearchEvent)


def to_wire(event: ResearchEvent) -> dict[str, Any]:
    """JSON-ready, in camelCase."""
    return event.model_dump(mode="json", by_alias=True)


def from_wire(wire: dict[str, Any]) -> ResearchEvent:
    """The event that ``to_wire`` gave. Raises pydantic's ValidationError."""
    return _READER.validate_python(wire)


_DIED = "the process that worked on it ended; it can be resumed"


def acquired(session: ResearchSession, worker: str, at: datetime) -> ResearchSession:
    """The session with ``worker`` as its worker. Raises SessionNotFound if it is deleted,
    SessionBusy while another works on it, SessionEnded if it is completed."""
    _check_not_deleted(session)
    if session.status is SessionStatus.COMPLETED:
        raise SessionEnded(
            f"{session.id}: is completed",
            NextStep(Action.SHOW_SESSION, session=str(session.id)),
            session_id=str(session.id),
        )
    alive = session.status is SessionStatus.IN_PROGRESS and not session.is_dead(at)
    if alive and session.worker not in (None, worker):
        raise SessionBusy(
            f"{session.id}: another process works on it",
            NextStep(Action.CANCEL_SESSION, session=str(session.id)),
            session_id=str(session.id),
        )
    return session.model_copy(
        update={
            "status": SessionStatus.IN_PROGRESS,
            "worker": worker,
            "heartbeat_at": at,
            "cancelling": False,
            "error_message": None,
            "completed_at": None,
        }
    )


def check_running_limit(running: int, user_id: str) -> None:
    """Raises SessionBusy if ``running`` live sessions of a user reach the limit."""
    if running >= MOST_RUNNING:
        raise SessionBusy(
            f"{user_id}: {running} reviews run already, which is as many as may (one that was "
            f"killed counts for {DEAD_AFTER.total_seconds():g} s; then try again)",
            NextStep(Action.CANCEL_SESSION),
            user_id=user_id,
            running=running,
        )


def cancelled(session: ResearchSession, at: datetime) -> tuple[ResearchSession, ErrorEvent | None]:
    """Request its worker to stop; without a live worker the session ends at once, with an event.
    Raises SessionNotFound if it is deleted, SessionEnded if it does not run."""
    _check_not_deleted(session)
    if session.status is not SessionStatus.IN_PROGRESS:
        raise SessionEnded(
            f"{session.id}: does not run any more ({session.status}): there is nothing to stop",
            session_id=str(session.id),
        )
    cancelling = session.model_copy(update={"cancelling": True})
    return ended_without_worker(cancelling, at) if session.is_dead(at) else (cancelling, None)


def ended_without_worker(
    session: ResearchSession, at: datetime
) -> tuple[ResearchSession, ErrorEvent]:
    """End a running session without a worker: cancelled if that was requested, else failed. It
    can be resumed, which the event says."""
    status = SessionStatus.CANCELLED if session.cancelling else SessionStatus.FAILED
    event = ErrorEvent(
        session_id=session.id,
        sequence=session.sequence + 1,
        timestamp=at,
        error_code="SESSION_CANCELLED" if session.cancelling else "WORKER_DIED",
        error_message=_DIED,
        recoverable=True,
    )
    ended = session.model_copy(
        update={
            "status": status,
            "worker": None,
            "cancelling": False,
            "error_message": None if session.cancelling else _DIED,
            "completed_at": at,
            "sequence": event.sequence,
        }
    )
    return ended, event


def require_worker(session: ResearchSession, worker: str) -> ResearchSession:
    """The session itself. Raises SessionBusy if ``worker`` no longer works on it."""
    if session.status is not SessionStatus.IN_PROGRESS or session.worker != worker:
        raise SessionBusy(
            f"{session.id}: no longer in the hands of this process (it is {session.status}); "
            "what it did since its last step is not kept",
            session_id=str(session.id),
        )
    return session


def deleted(session: ResearchSession, at: datetime) -> ResearchSession:
    """Raises SessionBusy while it runs; deleting twice keeps the first time."""
    if session.status is SessionStatus.IN_PROGRESS:
        raise SessionBusy(
            f"{session.id}: runs",
            NextStep(Action.CANCEL_SESSION, session=str(session.id)),
            session_id=str(session.id),
        )
    if session.is_deleted:
        return session
    return session.model_copy(update={"is_deleted": True, "deleted_at": at})


def restored(session: ResearchSession) -> ResearchSession:
    return session.model_copy(update={"is_deleted": False, "deleted_at": None})


def last_sequence(session: ResearchSession, events: Sequence[ResearchEvent]) -> int:
    """The sequence number after ``events``. Raises ValueError if they are another session's, or
    their numbers have a gap or repeat one."""
    for number, event in enumerate(events, start=session.sequence + 1):
        if event.session_id != session.id or event.sequence != number:
            raise ValueError(
                f"event {event.sequence} of {event.session_id}: number {number} of {session.id} "
                "was to come"
            )
    return session.sequence + len(events)


def not_found(name: object) -> SessionNotFound:
    return SessionNotFound(
        f"{name}: no such session", NextStep(Action.LIST_SESSIONS), session=str(name)
    )


def _check_not_deleted(session: ResearchSession) -> None:
    if session.is_deleted:
        raise SessionNotFound(
            f"{session.id}: was deleted",
            NextStep(Action.RESTORE_SESSION, session=str(session.id)),
            session=str(session.id),
        )
