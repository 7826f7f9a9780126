"""Request and result of a review, and the sessions that it begins."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime
from threading import Lock
from uuid import UUID, uuid5

from pydantic import Field, field_validator

from citeloom.application.ports.research import ChatRecord, UserRecord
from citeloom.application.ports.system import Clock
from citeloom.application.research.sessions import SessionWork
from citeloom.domain.errors import SessionBusy
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import (
    LOCAL_USER,
    Chat,
    ChatNotFound,
    Citation,
    Claim,
    Depth,
    Message,
    MessageRole,
    QueryMode,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
    VerificationSummary,
)
from citeloom.domain.review.report.report import Plan
from citeloom.domain.search.filters import Filter
from citeloom.domain.text.phrasing import shortened
from citeloom.domain.value import Value

from .roles import EXTRACTIVE, ReviewResources

#: Longer questions are texts.
MOST_CHARACTERS = 4000


class ReviewRequest(Value):
    """A question to a project. ``depth`` None is the user's preference, else medium. ``chat``
    is the id, or a unique prefix, of a chat to continue. ``writer`` is ``extractive`` or
    ``model``. ``style`` is that of the bibliography."""

    project_id: ProjectId
    question: str = Field(max_length=MOST_CHARACTERS)
    depth: Depth | None = None
    filter: Filter = Filter()
    chat: str | None = None
    user_id: str = LOCAL_USER
    writer: str = EXTRACTIVE
    style: str | None = None

    @field_validator("question")
    @classmethod
    def _asks(cls, text: str) -> str:
        question = " ".join(text.split())
        if not any(char.isalnum() for char in question):
            raise ValueError("it is empty; ask for something")
        return question


class ReviewResult(Value):
    """An ended review. ``report`` is None if it was cancelled; positions of ``claims`` are
    character offsets in it. ``warnings`` are those of all stages."""

    session_id: UUID
    chat_id: UUID
    message_id: UUID
    project: str
    question: str
    status: SessionStatus
    research_depth: Depth
    writer: str
    plan: Plan | None = None
    report: str | None = None
    sources: tuple[Source, ...] = ()
    spans: tuple[SourceSpan, ...] = ()
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    verification_summary: VerificationSummary | None = None
    warnings: tuple[str, ...] = ()


class SessionSettings(Value):
    """Settings of a session besides its question, stored with it for a resumption."""

    filter: Filter = Filter()
    writer: str = EXTRACTIVE
    style: str | None = None


_TITLE = 80


class NewSessions:
    """Makes sessions; nothing is recorded."""

    def __init__(
        self, *, chats: ChatRecord, users: UserRecord, clock: Clock, new_id: Callable[[], UUID]
    ) -> None:
        self._chats = chats
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
            classification=settings.model_dump(mode="json"),
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
        chats = [
            chat
            for chat in self._chats.chats(request.user_id)
            if prefix and str(chat.id).startswith(prefix)
        ]
        if len(chats) != 1:
            raise ChatNotFound(
                f"{request.chat}: {'several chats begin' if chats else 'no chat begins'} so",
                NextStep(Action.LIST_SESSIONS),
            )
        (chat,) = chats
        return chat.model_copy(update={"updated_at": at})


class BegunReview:
    """A session of this process; heartbeats go on until the block that it is used in ends, or it
    is abandoned."""

    def __init__(
        self,
        begun: AbstractContextManager[SessionWork],
        resources: ReviewResources,
        settings: SessionSettings,
        *,
        is_resumed: bool = False,
    ) -> None:
        self._alive = ExitStack()
        self.work = self._alive.enter_context(begun)
        self.resources = resources
        self.settings = settings
        self.is_resumed = is_resumed
        self._unused = Lock()

    @property
    def session(self) -> ResearchSession:
        return self.work.session

    @property
    def writer(self) -> str:
        return self.settings.writer

    @property
    def project_id(self) -> ProjectId:
        return ProjectId.parse(self.session.project_id)

    def abandon(self) -> None:
        """End it as cancelled if it was never worked on. Raises SessionBusy if another process
        has taken it."""
        if self._unused.acquire(blocking=False):
            with self._alive:
                self.work.end_cancelled()

    @contextmanager
    def used(self) -> Iterator[SessionWork]:
        """Raises SessionBusy if it was abandoned, or is worked on."""
        if not self._unused.acquire(blocking=False):
            raise SessionBusy(
                f"{self.session.id}: was cancelled, or is worked on already",
                NextStep(Action.RESUME_SESSION, session=str(self.session.id)),
                session_id=str(self.session.id),
            )
        with self._alive:
            yield self.work
