"""Chats and research sessions over HTTP."""

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Self
from uuid import UUID

from fastapi.sse import ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from citeloom.application.research.chats import no_web_search
from citeloom.application.review.requests import MOST_CHARACTERS, BegunReview, ReviewRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.events import to_wire
from citeloom.domain.research.session import (
    AnswerPassage,
    ChatEntry,
    Citation,
    Claim,
    Depth,
    MessageRole,
    QueryMode,
    Rating,
    Recorded,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
    VerificationSummary,
)
from citeloom.domain.search.request import DEFAULT_TOP_K, MAX_TOP_K, QueryRequest
from citeloom.domain.value import Value
from citeloom.infrastructure.system.validated_request import build

from .access import Access, Verbs, body_of
from .events import After, LastEventId, begun_after, check_given
from .problems import in_words
from .routes.projects import filter_of

_CAMEL = ConfigDict(
    frozen=True, alias_generator=to_camel, populate_by_name=True, from_attributes=True
)
_CAMEL_BODY = ConfigDict(alias_generator=to_camel, validate_by_alias=True, validate_by_name=False)

Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class Camel(BaseModel):
    model_config = _CAMEL

    @classmethod
    def of(cls, value: Value, **more: object) -> Self:
        """The same fields, and ``more``."""
        fields = {name: field for name, field in value if name in cls.model_fields}
        return cls.model_validate(fields | more)


class ChatResponse(Camel):
    id: UUID
    title: str | None
    is_deleted: bool
    deleted_at: datetime | None
    created_at: datetime
    updated_at: datetime


class PassageResponse(AnswerPassage):
    model_config = _CAMEL


class MessageResponse(Camel):
    """``content`` is Markdown, null until a review has its report. ``passages`` are those of an
    answer in mode simple; ``researchSessionId`` is the review that it asks for or reports."""

    id: UUID
    chat_id: UUID
    role: MessageRole
    content: str | None
    query_mode: QueryMode | None
    passages: Sequence[PassageResponse] | None = None
    research_session_id: UUID | None = None
    created_at: datetime

    @classmethod
    def of_entry(cls, entry: ChatEntry) -> Self:
        return cls.of(entry.message, research_session_id=entry.session_id)


class SummaryResponse(VerificationSummary):
    model_config = _CAMEL


class ResearchSessionResponse(Camel):
    """``sequence`` is the number of its last event."""

    id: UUID
    message_id: UUID
    chat_id: UUID
    project_id: str
    question: str
    query_mode: QueryMode
    research_depth: Depth
    status: SessionStatus
    classification: Mapping[str, Any]
    plan: Mapping[str, Any] | None
    verification_summary: SummaryResponse | None
    error_message: str | None
    sequence: int
    cancelling: bool
    started_at: datetime
    completed_at: datetime | None


class SpanResponse(SourceSpan):
    model_config = _CAMEL


class SourceResponse(Source):
    """``evidenceSpans`` are its quotations."""

    model_config = _CAMEL

    evidence_spans: Sequence[SpanResponse] = ()


class CitationResponse(Citation):
    model_config = _CAMEL


class ClaimResponse(Claim):
    """``citations`` name the evidence spans that support it."""

    model_config = _CAMEL

    citations: Sequence[CitationResponse] = ()


class RecordedResponse(ResearchSessionResponse):
    """A session with its report and all its evidence."""

    report: str | None
    sources: Sequence[SourceResponse]
    claims: Sequence[ClaimResponse]

    @classmethod
    def of_record(cls, found: Recorded) -> Self:
        sources = [
            dict(one)
            | {"evidence_spans": [dict(span) for span in found.spans if span.source_id == one.id]}
            for one in found.sources
        ]
        claims = [
            dict(one)
            | {"citations": [dict(cited) for cited in found.citations if cited.claim_id == one.id]}
            for one in found.claims
        ]
        return cls.of(found.session, report=found.report.content, sources=sources, claims=claims)


class ExchangeResponse(Camel):
    """A question and its answer. In mode deep_research the answer's content is null until the
    review has ended; ``researchSession`` is that review."""

    question: MessageResponse
    answer: MessageResponse
    research_session: ResearchSessionResponse | None = None
    warnings: Sequence[str] = ()


class FeedbackResponse(Camel):
    id: UUID
    message_id: UUID
    rating: Rating
    feedback_text: str | None
    created_at: datetime


class PreferencesResponse(Camel):
    system_instructions: str | None = None
    default_query_mode: QueryMode | None = None
    default_research_depth: Depth | None = None
    updated_at: datetime | None = None


class ChatPage(Camel):
    """The last changed first; ``next`` is the cursor of the next page, null on the last."""

    chats: Sequence[ChatResponse]
    total: int
    next: str | None


class MessagePage(Camel):
    """Messages in order; ``next`` as in lists of chats."""

    messages: Sequence[MessageResponse]
    total: int
    next: str | None


class ResearchSessionPage(Camel):
    """The latest first; ``next`` as in lists of chats."""

    research_sessions: Sequence[ResearchSessionResponse]
    total: int
    next: str | None


class ChatBody(BaseModel):
    """Without a title, the first question becomes the title."""

    model_config = _CAMEL_BODY | body_of(title="Ponds")

    title: Title | None = None


class MessageBody(BaseModel):
    """A question in a chat. ``queryMode`` defaults to the preferences, else simple; ``project`` to
    the only or the default one. ``topK`` goes with simple, ``researchDepth`` with deep_research."""

    model_config = _CAMEL_BODY | body_of(
        content="How far does a pond cool the evening air?", project="reading"
    )

    content: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHARACTERS)
    ]
    query_mode: QueryMode | None = None
    project: str | None = Field(default=None, max_length=300)
    filters: list[str] = Field(default=[], max_length=50, description="clauses; all hold")
    top_k: int = Field(default=DEFAULT_TOP_K, ge=1, le=MAX_TOP_K)
    research_depth: Depth | None = None


class FeedbackBody(BaseModel):
    model_config = _CAMEL_BODY | body_of(rating="negative", feedbackText="too long")

    rating: Rating
    feedback_text: str | None = Field(default=None, max_length=10_000)


class PreferencesBody(BaseModel):
    """All preferences: missing ones are cleared."""

    model_config = _CAMEL_BODY | body_of(defaultResearchDepth="light")

    system_instructions: str | None = Field(default=None, max_length=10_000)
    default_query_mode: QueryMode | None = None
    default_research_depth: Depth | None = None


_log: Final = logging.getLogger(__name__)


def answered(verbs: Access, chat_id: UUID, body: MessageBody) -> ExchangeResponse:
    """Raises ChatNotFound, InvalidRequest for an unknown mode, SessionBusy if too many reviews run,
    and the errors of a query or a review."""
    research = verbs.application.research
    research.chats.show(chat_id)
    project_id = verbs.application.projects.choice(body.project)
    match _mode(verbs, body):
        case QueryMode.WEB_SEARCH:
            raise no_web_search("queryMode")
        case QueryMode.DEEP_RESEARCH:
            return _reviewed(verbs, chat_id, project_id, body)
        case QueryMode.SIMPLE:
            return _quoted(verbs, chat_id, project_id, body)


def _mode(verbs: Access, body: MessageBody) -> QueryMode:
    if body.query_mode is not None:
        return body.query_mode
    preferences = verbs.application.research.users.preferences()
    return (preferences and preferences.default_query_mode) or QueryMode.SIMPLE


def _quoted(
    verbs: Access, chat_id: UUID, project_id: ProjectId, body: MessageBody
) -> ExchangeResponse:
    request = QueryRequest(
        project_id=project_id,
        query_text=body.content,
        top_k=body.top_k,
        filter=filter_of(body.filters),
    )
    exchange = verbs.application.research.quoted_answers(chat_id, request)
    return ExchangeResponse(
        question=MessageResponse.of(exchange.question),
        answer=MessageResponse.of(exchange.answer),
        warnings=[in_words(one) for one in exchange.warnings],
    )


def _reviewed(
    verbs: Access, chat_id: UUID, project_id: ProjectId, body: MessageBody
) -> ExchangeResponse:
    """The review is recorded when this returns, and waits for its turn in the queue of the
    process."""
    research = verbs.application.research
    writer = verbs.application.settings.review.writer
    _announce(verbs, writer)
    request = build(
        ReviewRequest,
        project_id=project_id,
        question=body.content,
        depth=body.research_depth,
        filter=filter_of(body.filters),
        chat=str(chat_id),
        user_id=research.user,
        writer=writer,
    )
    begun = research.review.begin(request)
    _queue(verbs, begun)
    entries: list[ChatEntry] = [
        one for one in research.chats.entries(chat_id) if one.session_id == begun.session.id
    ]
    question, answer = map(MessageResponse.of_entry, entries)
    return ExchangeResponse(
        question=question,
        answer=answer,
        research_session=ResearchSessionResponse.of(begun.session),
    )


def resumed(verbs: Access, session_id: UUID) -> ResearchSession:
    """The session in progress again, waiting for its turn in the queue. Raises SessionNotFound,
    SessionBusy and SessionEnded."""
    begun = verbs.application.research.review.take_up(session_id)
    try:
        _announce(verbs, begun.writer)
        _queue(verbs, begun)
    except Exception:
        begun.abandon()
        raise
    return begun.session


def _queue(verbs: Access, begun: BegunReview) -> None:
    verbs.jobs.reviews.submit(begun).is_known = True


def _announce(verbs: Access, writer: str) -> None:
    """Log what will be sent to a language model. Raises ConfigurationError if a model is wanted and
    none is configured."""
    if notice := verbs.application.research.model_notice(writer):
        _log.warning("review: %s", notice)


@dataclass(frozen=True, slots=True)
class FollowedSession:
    """A session whose events are followed, from the one after ``after``."""

    verbs: Access
    session_id: UUID
    after: int

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        """The events of the record, each once and in order; the last has no number and says how
        the session ended. A server that stops leaves the last one out."""
        sessions = self.verbs.application.research.sessions
        after = self.after
        while True:
            look = partial(sessions.follow, self.session_id, after)
            session, events = await self.verbs.streams.look(look)
            for event in events:
                after = event.sequence
                yield ServerSentEvent(data=to_wire(event), event=event.event_type, id=str(after))
            if session.status is not SessionStatus.IN_PROGRESS:
                ended = {
                    "sessionId": str(session.id),
                    "status": session.status.value,
                    "errorMessage": session.error_message,
                }
                yield ServerSentEvent(data=ended, event=session.status.value)
                return
            if not await self.verbs.streams.pause():
                return


async def following(
    verbs: Verbs, session_id: UUID, last_event_id: LastEventId = None, after: After = 0
) -> AsyncIterator[FollowedSession]:
    """Raises SessionNotFound, InvalidRequest, and Busy where too many streams are open."""
    begun = begun_after(last_event_id, after)
    with verbs.streams.opened("events"):
        sessions = verbs.application.research.sessions
        session, _ = await verbs.streams.look(lambda: sessions.follow(session_id, begun))
        check_given(begun, session.sequence, "session")
        yield FollowedSession(verbs, session_id, begun)
