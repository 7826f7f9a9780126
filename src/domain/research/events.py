"""Events of a review, streamed while it runs and kept in the record.

Every event has a ``sequence`` (from 1, without gaps within a session) and a ``timestamp``, and
is serialised in camelCase: ``{"eventType": "step_started", "stepIndex": 0, …}``.
"""

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

from citeloom.domain.research.session import ClaimVerdict, Correction, Depth, VerificationSummary


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
    """``recoverable``: the review goes on, or can be resumed."""

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
