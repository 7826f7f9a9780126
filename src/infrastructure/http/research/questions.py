"""Questions in chats: answered from passages at once, or by a review as a job."""

import logging
from typing import Final
from uuid import UUID

from citeloom.application.research.preferences import no_web_search
from citeloom.application.review.new_sessions import BegunReview
from citeloom.application.review.requests import ReviewRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.research.session import ChatEntry, QueryMode, ResearchSession
from citeloom.domain.search.request import QueryRequest
from citeloom.infrastructure.http.access import Access
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.research.schemas import (
    ExchangeResponse,
    MessageBody,
    MessageResponse,
    ResearchSessionResponse,
)
from citeloom.infrastructure.http.routes.projects import filter_of
from citeloom.infrastructure.system.validated_request import build

_log: Final = logging.getLogger(__name__)


def answered(verbs: Access, chat_id: UUID, body: MessageBody) -> ExchangeResponse:
    """Raises ChatNotFound, InvalidRequest for a mode that there is none of, SessionBusy where too
    many reviews run, and what a query or a review raises."""
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
    """In the server's log, before anything is sent to a language model. Raises
    ConfigurationError where one is wanted and none is configured."""
    if notice := verbs.application.research.model_notice(writer):
        _log.warning("review: %s", notice)
