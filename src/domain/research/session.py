"""The record of research: who asked what, what was read, what was claimed, and from where.

Entities and fields are those of the deep-research reference model; what a document of a project
has besides (its id, citation key, pages) is added. Times are UTC. Ids are UUIDs: a session's
own is new, those of what belongs to it follow from it, so that a step that is done again writes
the same rows.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID, uuid5

from pydantic import Field, model_validator

from citeloom.domain.documents.spans import Region
from citeloom.domain.value import Value

#: How long what was deleted can be restored.
RECOVERABLE: Final = timedelta(days=30)
#: How often a running session says that it lives, and after which silence it does not.
HEARTBEAT: Final = timedelta(seconds=10)
DEAD_AFTER: Final = timedelta(seconds=30)
#: Sessions of one user that may run at a time.
MOST_RUNNING: Final = 2
#: The share of claims without support from which a report carries a warning.
WARNED_ABOVE: Final = 0.20
#: Who works with a workspace on one's own machine.
LOCAL_USER: Final = "local"


class MessageRole(StrEnum):
    USER = "user"
    AGENT = "agent"


class QueryMode(StrEnum):
    SIMPLE = "simple"
    WEB_SEARCH = "web_search"
    DEEP_RESEARCH = "deep_research"


class Depth(StrEnum):
    AUTO = "auto"
    LIGHT = "light"
    MEDIUM = "medium"
    EXTENDED = "extended"


class SessionStatus(StrEnum):
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class SourceType(StrEnum):
    WEB = "web"
    VECTOR_SEARCH = "vector_search"
    KNOWLEDGE_ASSISTANT = "knowledge_assistant"
    CUSTOM = "custom"


class CrawlStatus(StrEnum):
    SUCCESS = "success"
    FAILED = "failed"
    TIMEOUT = "timeout"
    BLOCKED = "blocked"


class ClaimType(StrEnum):
    GENERAL = "general"
    NUMERIC = "numeric"


class ClaimVerdict(StrEnum):
    SUPPORTED = "SUPPORTED"
    PARTIAL = "PARTIAL"
    UNSUPPORTED = "UNSUPPORTED"
    CONTRADICTED = "CONTRADICTED"


class Correction(StrEnum):
    """What became of a sentence when its claim was checked: ``REPLACE`` cites another source,
    ``ADD_ALTERNATE`` one more; ``SOFTEN`` says only what is borne out."""

    KEEP = "keep"
    SOFTEN = "soften"
    REPLACE = "replace"
    REMOVE = "remove"
    ADD_ALTERNATE = "add_alternate"


class Rating(StrEnum):
    POSITIVE = "positive"
    NEGATIVE = "negative"


class Chat(Value):
    """A conversation: questions, and the reports that answer them."""

    id: UUID
    user_id: str = Field(max_length=255)
    title: str | None = Field(default=None, max_length=500)
    is_deleted: bool = False
    deleted_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


class Message(Value):
    """``content`` of an agent's message is its report, None until there is one."""

    id: UUID
    chat_id: UUID
    role: MessageRole
    content: str | None = None
    query_mode: QueryMode | None = None
    created_at: datetime


class VerificationSummary(Value):
    """Claims by verdict; ``abstained_count`` are those that were left out rather than told,
    ``warning`` that more than WARNED_ABOVE are not supported: of all, or of those that were
    written rather than quoted."""

    total_claims: int = Field(ge=0)
    supported: int = Field(ge=0)
    partial: int = Field(ge=0)
    unsupported: int = Field(ge=0)
    contradicted: int = Field(ge=0)
    abstained_count: int = Field(default=0, ge=0)
    citation_corrections: int = Field(default=0, ge=0)
    warning: bool = False

    @model_validator(mode="after")
    def _adds_up(self) -> "VerificationSummary":
        told = self.supported + self.partial + self.unsupported + self.contradicted
        if told != self.total_claims:
            raise ValueError(f"{told} verdicts for {self.total_claims} claims")
        due = self.unsupported > WARNED_ABOVE * self.total_claims
        if due > self.warning or self.warning > bool(self.unsupported):
            raise ValueError("the warning does not follow from the unsupported claims")
        return self


class ResearchSession(Value):
    """One review. ``message_id`` is the agent's message that its report becomes.

    ``state`` is what has been worked out so far, and all that is needed to go on;
    ``sequence`` the number of its last event. ``worker`` names the process that works on it,
    ``heartbeat_at`` when it last said so. ``cancelling`` asks that process to stop.
    """

    id: UUID
    message_id: UUID
    chat_id: UUID
    user_id: str = Field(max_length=255)
    project_id: str
    question: str = Field(min_length=1)
    query_mode: QueryMode = QueryMode.DEEP_RESEARCH
    research_depth: Depth
    status: SessionStatus
    classification: Mapping[str, Any] = Field(default_factory=dict)
    plan: Mapping[str, Any] | None = None
    state: Mapping[str, Any] | None = None
    verification_summary: VerificationSummary | None = None
    error_message: str | None = None
    sequence: int = Field(default=0, ge=0)
    worker: str | None = None
    heartbeat_at: datetime | None = None
    cancelling: bool = False
    is_deleted: bool = False
    deleted_at: datetime | None = None
    started_at: datetime
    completed_at: datetime | None = None

    def part_id(self, *names: str | int) -> UUID:
        """The id of what belongs to the session and is told from the rest by ``names``."""
        return uuid5(self.id, "/".join(map(str, names)))

    def is_dead(self, now: datetime) -> bool:
        """Whether it is said to run, but has not been heard of for DEAD_AFTER."""
        heard = self.heartbeat_at or self.started_at
        return self.status is SessionStatus.IN_PROGRESS and now - heard > DEAD_AFTER


class Source(Value):
    """A document that the research found. ``url`` opens it and is unique in a session (here its
    knowledge URI); ``snippet`` is the passage that was found first, ``step_index`` the step that
    found it, from 0. ``included`` tells whether its evidence was used, and if not,
    ``exclusion_reason`` why."""

    id: UUID
    research_session_id: UUID
    chat_id: UUID | None = None
    url: str = Field(max_length=2048)
    title: str = Field(max_length=500)
    snippet: str
    content: str | None = None
    is_cited: bool = False
    step_index: int | None = Field(default=None, ge=0)
    step_title: str | None = Field(default=None, max_length=500)
    crawl_status: CrawlStatus = CrawlStatus.SUCCESS
    error_reason: str | None = None
    source_type: SourceType = SourceType.VECTOR_SEARCH
    document_id: str | None = None
    citekey: str | None = None
    included: bool = True
    exclusion_reason: str | None = None
    created_at: datetime


class SourceSpan(Value):
    """An EvidenceSpan of a source: ``quote`` is ``start_offset`` to ``end_offset`` of the
    document's text, verbatim. ``page`` counts from 1, ``page_label`` is printed on it;
    ``citation`` is ready to paste, ``address`` opens the place."""

    id: UUID
    source_id: UUID
    quote: str = Field(min_length=1)
    start_offset: int | None = Field(default=None, ge=0)
    end_offset: int | None = Field(default=None, ge=0)
    section_heading: str | None = Field(default=None, max_length=500)
    relevance_score: float = Field(default=0.0, ge=0, le=1)
    has_numeric_content: bool = False
    page: int | None = Field(default=None, ge=1)
    page_label: str | None = None
    regions: tuple[Region, ...] = ()
    citation: str | None = None
    address: str | None = None
    knowledge_uri: str | None = None
    step_index: int | None = Field(default=None, ge=0)
    created_at: datetime


class Claim(Value):
    """An assertion of a report: ``claim_text`` stands in the message's content from
    ``position_start`` to ``position_end`` (its citation apart)."""

    id: UUID
    message_id: UUID
    claim_text: str = Field(min_length=1)
    claim_type: ClaimType
    position_start: int = Field(ge=0)
    position_end: int = Field(ge=0)
    citation_key: str | None = Field(default=None, max_length=100)
    verdict: ClaimVerdict | None = None
    confidence: float = Field(default=0.0, ge=0, le=1)
    verification_reasoning: str | None = None
    correction: Correction = Correction.KEEP
    created_at: datetime


class Citation(Value):
    """What bears a claim out; ``is_primary`` is what the report cites, others are alternates."""

    id: UUID
    claim_id: UUID
    evidence_span_id: UUID
    confidence: float = Field(default=0.0, ge=0, le=1)
    is_primary: bool = True
    created_at: datetime


class UserPreferences(Value):
    """What holds for a user's reviews where they do not say otherwise."""

    id: UUID
    user_id: str = Field(max_length=255)
    system_instructions: str | None = None
    default_query_mode: QueryMode | None = None
    default_research_depth: Depth | None = None
    created_at: datetime
    updated_at: datetime


class MessageFeedback(Value):
    """What a user thought of a report; ``mlflow_trace_id`` belongs to whoever traces runs."""

    id: UUID
    message_id: UUID
    user_id: str = Field(max_length=255)
    rating: Rating
    feedback_text: str | None = None
    mlflow_trace_id: str | None = Field(default=None, max_length=255)
    created_at: datetime
