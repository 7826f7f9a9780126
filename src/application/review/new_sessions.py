"""New research sessions of reviews, in new or existing chats."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from citeloom.application.ports.research import ResearchRecord, SessionFilter, UserRecord
from citeloom.application.ports.system import Clock
from citeloom.application.research.lifecycle import Lifecycle
from citeloom.application.review.requests import ReviewRequest, SessionSettings
from citeloom.domain.errors import SessionNotFound
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.session import (
    Chat,
    Depth,
    Message,
    MessageRole,
    QueryMode,
    ResearchSession,
    SessionStatus,
)
from citeloom.domain.text.phrasing import shortened

_TITLE = 80
_CHATS = 10_000


@dataclass(frozen=True, slots=True)
class SessionServices:
    """The record of sessions, the lifecycle of those that run, and the clock."""

    record: ResearchRecord
    lifecycle: Lifecycle
    clock: Clock


class NewSessions:
    """Makes sessions; nothing is recorded."""

    def __init__(
        self, *, record: ResearchRecord, users: UserRecord, clock: Clock, new_id: Callable[[], UUID]
    ) -> None:
        self._record = record
        self._users = users
        self._clock = clock
        self._new_id = new_id

    def __call__(
        self, request: ReviewRequest, settings: SessionSettings
    ) -> tuple[Chat, Message, Message, ResearchSession]:
        """A new session with its chat and its two messages."""
        at = self._clock.now()
        preferred = self._users.preferences(request.user_id) if request.depth is None else None
        depth = request.depth or (preferred and preferred.default_research_depth) or Depth.MEDIUM
        chat = self._chat(request, at)
        id = self._new_id()
        question = Message(
            id=uuid5(id, "question"),
            chat_id=chat.id,
            role=MessageRole.USER,
            content=request.question,
            query_mode=QueryMode.DEEP_RESEARCH,
            created_at=at,
        )
        report = question.model_copy(
            update={"id": uuid5(id, "report"), "role": MessageRole.AGENT, "content": None}
        )
        session = ResearchSession(
            id=id,
            message_id=report.id,
            chat_id=chat.id,
            user_id=request.user_id,
            project_id=str(request.project_id),
            question=request.question,
            research_depth=depth,
            status=SessionStatus.IN_PROGRESS,
            classification=settings.as_dict(),
            started_at=at,
        )
        return chat, question, report, session

    def _chat(self, request: ReviewRequest, at: datetime) -> Chat:
        if request.chat is None:
            return Chat(
                id=self._new_id(),
                user_id=request.user_id,
                title=shortened(request.question, _TITLE),
                created_at=at,
                updated_at=at,
            )
        prefix = request.chat.strip().casefold()
        sessions: Sequence[ResearchSession] = self._record.sessions(
            SessionFilter(user_id=request.user_id, limit=_CHATS)
        )
        chats = {one.chat_id: one.id for one in sessions if str(one.chat_id).startswith(prefix)}
        if not prefix or len(chats) != 1:
            raise SessionNotFound(
                f"{request.chat}: {'several chats begin' if chats else 'no chat begins'} so",
                NextStep(Action.LIST_SESSIONS),
            )
        (session_id,) = chats.values()
        return self._record.recorded(session_id).chat
