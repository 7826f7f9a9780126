"""Research record: chats, sessions, sources, spans, claims, citations.

Entities and fields are those of the deep-research reference model, plus document id, citation key
and pages. Times are UTC. Ids are UUIDs: a session's is random, those of its parts are derived from
it, so that a repeated step writes the same rows.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID, uuid5

from pydantic import Field, model_validator

from citeloom.domain.choices import Depth as Depth
from citeloom.domain.choices import Rating as Rating
from citeloom.domain.choices import SessionStatus as SessionStatus
from citeloom.domain.documents.spans import Region
from citeloom.domain.errors import SessionNotFound
from citeloom.domain.leases import is_silent
from citeloom.domain.value import Value

#: Retention of deleted sessions.
RECOVERABLE: Final = timedelta(days=30)
#: Maximum number of running sessions of a user.
MOST_RUNNING: Final = 2
#: Share of unsupported claims above which a report has a warning.
WARNED_ABOVE: Final = 0.20
#: User id of a local workspace.
LOCAL_USER: Final = "local"


class MessageRole(StrEnum):
    USER = "user"
    AGENT = "agent"


class QueryMode(StrEnum):
    SIMPLE = "simple"
    WEB_SEARCH = "web_search"
    DEEP_RESEARCH = "deep_research"


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
    """Correction of a sentence after its check: ``REPLACE`` cites another source,
    ``ADD_ALTERNATE`` one more; ``SOFTEN`` says only what is supported."""

    KEEP = "keep"
    SOFTEN = "soften"
    REPLACE = "replace"
    REMOVE = "remove"
    ADD_ALTERNATE = "add_alternate"


class Chat(Value):
    """A conversation: questions, and the reports that answer them."""

    id: UUID
    user_id: str = Field(max_length=255)
    title: str | None = Field(default=None, max_length=500)
    is_deleted: bool = False
    deleted_at: datetime | None = None
    created_at: datetime
    updated_at: datetime


class AnswerPassage(Value):
    """A passage of an agent's answer: ``text`` is verbatim, ``citation`` ready to paste, ``page``
    counts from 1, ``address`` opens the location."""

    rank: int = Field(ge=1)
    text: str
    citation: str | None = None
    citekey: str | None = None
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    page: int | None = Field(default=None, ge=1)
    page_labels: tuple[str, ...] = ()
    section: str | None = None
    address: str
    knowledge_uri: str
    document_id: str
    chunk_id: str
    project: str
    score: float = Field(ge=0)


class Message(Value):
    """``content`` of an agent's message is its report, None until there is one. ``passages`` are
    those of an answer that quotes the hits of a query; None for other messages."""

    id: UUID
    chat_id: UUID
    role: MessageRole
    content: str | None = None
    query_mode: QueryMode | None = None
    passages: tuple[AnswerPassage, ...] | None = None
    created_at: datetime


class ChatEntry(Value):
    """A message in its chat; ``session_id`` is that of the review it asks for or reports."""

    message: Message
    session_id: UUID | None = None


class VerificationSummary(Value):
    """Claims by verdict; ``abstained_count`` counts removed ones. ``warning``: more than
    WARNED_ABOVE of all claims, or of the generated (not quoted) ones, are unsupported."""

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
        verdicts = self.supported + self.partial + self.unsupported + self.contradicted
        if verdicts != self.total_claims:
            raise ValueError(f"{verdicts} verdicts for {self.total_claims} claims")
        due = self.unsupported > WARNED_ABOVE * self.total_claims
        if due > self.warning or self.warning > bool(self.unsupported):
            raise ValueError("the warning does not follow from the unsupported claims")
        return self


class ResearchSession(Value):
    """One review. ``message_id`` is the agent's message with its report.

    ``state`` is the checkpoint to resume from; ``sequence`` the number of the last event.
    ``worker`` is the process working on it, ``heartbeat_at`` its last heartbeat. ``cancelling``
    requests it to stop.
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
        """The derived id of a part of the session, identified by ``names``."""
        return uuid5(self.id, "/".join(map(str, names)))

    def is_dead(self, now: datetime) -> bool:
        """Whether it is in progress without a heartbeat for DEAD_AFTER."""
        heard = self.heartbeat_at or self.started_at
        return self.status is SessionStatus.IN_PROGRESS and is_silent(heard, now)


class Source(Value):
    """A found document. ``url`` (here its knowledge URI) is unique in a session; ``snippet`` is
    the first found passage, ``step_index`` (from 0) the step that found it. ``included``: its
    evidence is used; if not, ``exclusion_reason`` is why."""

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
    document's text, verbatim. ``page`` counts from 1, ``page_label`` is the printed one;
    ``citation`` is ready to paste, ``address`` opens the location."""

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
    """An assertion of a report: ``claim_text`` is at ``position_start`` to ``position_end`` of the
    message's content, without its citation."""

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
    """Evidence of a claim; ``is_primary``: cited in the report, else an alternate."""

    id: UUID
    claim_id: UUID
    evidence_span_id: UUID
    confidence: float = Field(default=0.0, ge=0, le=1)
    is_primary: bool = True
    created_at: datetime


class Recorded(Value):
    """All that is known of a session. ``question`` is the user's message, ``report`` the
    agent's."""

    session: ResearchSession
    chat: Chat
    question: Message
    report: Message
    sources: tuple[Source, ...] = ()
    spans: tuple[SourceSpan, ...] = ()
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()


class UserPreferences(Value):
    """Defaults of a user's reviews."""

    id: UUID
    user_id: str = Field(max_length=255)
    system_instructions: str | None = None
    default_query_mode: QueryMode | None = None
    default_research_depth: Depth | None = None
    created_at: datetime
    updated_at: datetime


class MessageFeedback(Value):
    """A user's rating of a report; ``mlflow_trace_id`` is for external tracing."""

    id: UUID
    message_id: UUID
    user_id: str = Field(max_length=255)
    rating: Rating
    feedback_text: str | None = None
    mlflow_trace_id: str | None = Field(default=None, max_length=255)
    created_at: datetime


class ChatNotFound(SessionNotFound):
    """No chat has this id, or several do."""


class MessageNotFound(SessionNotFound):
    """No message has this id."""


def no_chat(id: object) -> ChatNotFound:
    return ChatNotFound(f"{id}: no such chat", chat=str(id))


def no_message(id: object) -> MessageNotFound:
    return MessageNotFound(f"{id}: no such message", message_id=str(id))
