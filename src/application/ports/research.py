"""Ports of research sessions: their record, preferences of users, the writer of review files; and
of tables of papers and questions."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from pydantic import Field

from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.search_record import SearchRecord
from citeloom.domain.research.session import (
    Chat,
    ChatEntry,
    Citation,
    Claim,
    Message,
    MessageFeedback,
    Recorded,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
    UserPreferences,
    VerificationSummary,
)
from citeloom.domain.review.report.table import PaperCell
from citeloom.domain.value import Value

from .citation import StyledEntry


class Step(Value):
    """What one step adds to a session. ``state`` and ``plan`` replace the former ones."""

    events: tuple[ResearchEvent, ...] = ()
    sources: tuple[Source, ...] = ()
    spans: tuple[SourceSpan, ...] = ()
    plan: dict[str, Any] | None = None
    state: dict[str, Any] | None = None


class SessionOutcome(Value):
    """The end of a session. ``content`` is the report, which becomes the agent's message;
    ``cited`` are the sources that it cites."""

    status: SessionStatus
    content: str | None = None
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    cited: tuple[UUID, ...] = ()
    summary: VerificationSummary | None = None
    error_message: str | None = None
    events: tuple[ResearchEvent, ...] = ()
    completed_at: datetime


class SessionFilter(Value):
    """A query for sessions: the latest first, ``limit`` at most."""

    user_id: str | None = None
    project_id: str | None = None
    statuses: tuple[SessionStatus, ...] = ()
    deleted: bool = False
    limit: int = Field(default=100, ge=1)


class ResearchRecord(Protocol):
    """Research sessions with their chats, events and results. Each method is one transaction,
    durable when it returns; any may raise StorageFailed."""

    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        """Insert a session; an existing chat gets the two messages. Sessions that were deleted
        longer than RECOVERABLE ago are removed for good. Raises SessionBusy if MOST_RUNNING live
        sessions of the user run."""

    def session(self, id: UUID) -> ResearchSession:
        """Also a deleted one. Raises SessionNotFound."""

    def find(self, prefix: str) -> tuple[UUID, ...]:
        """Ids that begin with ``prefix`` (hexadecimal digits and hyphens)."""

    def sessions(self, session_filter: SessionFilter) -> tuple[ResearchSession, ...]:
        """The sessions of a query, without their ``state``."""

    def recorded(self, id: UUID) -> Recorded:
        """Raises SessionNotFound."""

    def take(self, id: UUID, worker: str, at: datetime) -> ResearchSession:
        """Assign a session to ``worker`` if it does not run, or has no worker or a dead one;
        returns its new state. Of two concurrent calls one succeeds. Raises SessionNotFound,
        SessionBusy while another worker has it or if MOST_RUNNING others of the user run, and
        SessionEnded if it is completed."""

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        """Record a heartbeat; returns whether the worker must stop: the session was cancelled,
        or another worker has it."""

    def cancel(self, id: UUID, at: datetime) -> ResearchSession:
        """Request cancellation; a session with a dead worker is cancelled at once, with an
        event. Raises SessionNotFound, and SessionEnded if it does not run."""

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        """Mark sessions with dead workers as failed (cancelled, if that was requested), with an
        event; returns their ids."""

    def advance(self, id: UUID, worker: str, step: Step, at: datetime) -> None:
        """Store a step; it counts as a heartbeat. Raises SessionBusy, and writes nothing, if
        ``worker`` no longer has the session."""

    def finish(self, id: UUID, worker: str, outcome: SessionOutcome) -> None:
        """Raises SessionBusy as ``advance`` does."""

    def events(self, id: UUID, after: int = 0) -> tuple[ResearchEvent, ...]:
        """Events with a sequence number above ``after``, in order. Raises SessionNotFound."""

    def delete(self, id: UUID, at: datetime) -> None:
        """Hide a session, and its chat with the chat's last session; both can be restored for
        RECOVERABLE. Raises SessionNotFound, and SessionBusy while it runs."""

    def remove(self, id: UUID, at: datetime) -> None:
        """Delete a session for good, and its chat with the chat's last session. Raises what
        ``delete`` raises."""

    def restore(self, id: UUID) -> None:
        """Raises SessionNotFound, also if it was removed for good."""

    def purge(self, before: datetime) -> int:
        """Remove for good the sessions and chats deleted before this time; returns the number of
        sessions."""


class ChatRecord(Protocol):
    """Chats and their messages, those of sessions included. Each method is one transaction,
    durable when it returns; any may raise StorageFailed."""

    def chats(self, user_id: str, *, deleted: bool = False) -> tuple[Chat, ...]:
        """The last changed first."""

    def chat(self, id: UUID) -> Chat:
        """Also a deleted one. Raises ChatNotFound."""

    def open(self, chat: Chat) -> None:
        """Insert a chat without messages."""

    def rename(self, id: UUID, title: str | None, at: datetime) -> Chat:
        """Raises ChatNotFound."""

    def entries(self, id: UUID) -> tuple[ChatEntry, ...]:
        """The messages of a chat in order, without those of deleted sessions."""

    def message(self, id: UUID) -> Message:
        """Raises MessageNotFound."""

    def say(self, chat_id: UUID, messages: Sequence[Message], at: datetime) -> None:
        """Add messages to a chat. Raises ChatNotFound for an unknown or deleted one."""

    def delete(self, id: UUID, at: datetime) -> None:
        """Hide a chat and its sessions; they can be restored for RECOVERABLE. A deleted one keeps
        its time. Raises ChatNotFound, and SessionBusy while a session of it runs."""

    def restore(self, id: UUID) -> None:
        """Restore a chat with the sessions that were deleted with it. Raises ChatNotFound."""


class UserRecord(Protocol):
    """Preferences of users and their feedback on reports."""

    def preferences(self, user_id: str) -> UserPreferences | None: ...

    def prefer(self, preferences: UserPreferences) -> None:
        """Insert or replace the preferences of a user."""

    def forget(self, user_id: str) -> bool:
        """Delete the preferences of a user; returns whether there were any."""

    def feedback(self, message_id: UUID) -> Sequence[MessageFeedback]:
        """Feedback on a message, the oldest first."""

    def rate(self, feedback: MessageFeedback) -> None:
        """Raises SessionNotFound for an unknown message."""


class ReviewFormat(StrEnum):
    """The report (``MARKDOWN``, ``DOCX``), its evidence as a table (``CSV``), the record of the
    searches (``PRISMA``, Markdown)."""

    MARKDOWN = "markdown"
    DOCX = "docx"
    CSV = "csv"
    PRISMA = "prisma"


class FinishedReview(Value):
    """A review prepared for export: its record, and metadata of the works that it cites.

    ``report`` is Markdown. ``works`` are by document id, ``links`` (for a browser, a word
    processor or Zotero) by the id of the evidence. ``written_out`` maps citations of the evidence
    to their formatted text, if a style was chosen. ``bibliography`` is empty if the report has
    its own.
    """

    recorded: Recorded
    events: tuple[ResearchEvent, ...] = ()
    search: SearchRecord
    report: str
    works: Mapping[str, CitationMeta] = Field(default_factory=dict)
    links: Mapping[UUID, str] = Field(default_factory=dict)
    written_out: Mapping[str, str] = Field(default_factory=dict)
    bibliography: tuple[StyledEntry, ...] = ()
    warnings: tuple[str, ...] = ()


#: The content of a review file; equal reviews give equal bytes. Control characters become U+FFFD.
ReviewWriter = Callable[[FinishedReview, ReviewFormat], bytes]


class KeptCell(Value):
    """A cell of a project's table. Equal ``version``s of a document and a question have equal
    cells."""

    document_id: str
    question: str
    version: str
    cell: PaperCell


class TableStore(Protocol):
    """The columns of each project's table, and its cells, which are a cache."""

    def questions(self, project_id: ProjectId) -> Sequence[str]:
        """In the order in which they were added."""

    def add_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        """Add questions after the others; known ones keep their place. Raises ProjectNotFound."""

    def drop_questions(self, project_id: ProjectId, questions: Sequence[str]) -> None:
        """Drops the questions with their cells; unknown ones are ignored."""

    def cells(self, project_id: ProjectId) -> Sequence[KeptCell]:
        """The cells of all columns; unreadable ones (of another version) are left out."""

    def put_cells(self, project_id: ProjectId, cells: Sequence[KeptCell]) -> None:
        """Insert or replace. Raises ProjectNotFound."""
