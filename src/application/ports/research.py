"""Ports of research: the record of sessions, the writer of review files."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from pydantic import Field

from citeloom.application.ports.citation import StyledEntry
from citeloom.domain.citation.metadata import CitationMeta
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.search_record import SearchRecord
from citeloom.domain.research.session import (
    Chat,
    Citation,
    Claim,
    Message,
    MessageFeedback,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
    UserPreferences,
    VerificationSummary,
)
from citeloom.domain.value import Value


class Step(Value):
    """What one step adds to a session. ``state`` and ``plan`` replace those of before."""

    events: tuple[ResearchEvent, ...] = ()
    sources: tuple[Source, ...] = ()
    spans: tuple[SourceSpan, ...] = ()
    plan: dict[str, Any] | None = None
    state: dict[str, Any] | None = None


class SessionOutcome(Value):
    """How a session ends: its report becomes the content of the agent's message. ``cited`` are
    the sources that the report cites."""

    status: SessionStatus
    content: str | None = None
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()
    cited: tuple[UUID, ...] = ()
    summary: VerificationSummary | None = None
    error_message: str | None = None
    events: tuple[ResearchEvent, ...] = ()
    completed_at: datetime


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


class SessionFilter(Value):
    """Which sessions to list: the latest first, ``limit`` at most."""

    user_id: str | None = None
    project_id: str | None = None
    statuses: tuple[SessionStatus, ...] = ()
    deleted: bool = False
    limit: int = Field(default=100, ge=1)


class ResearchRecord(Protocol):
    """Raises StorageFailed with a sentence for whatever the database complains about."""

    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        """A session that runs, or is to be taken. A chat that is there already gets the two
        messages. What was deleted RECOVERABLE before is removed for good. Raises SessionBusy
        where MOST_RUNNING live sessions of the user run."""

    def session(self, id: UUID) -> ResearchSession:
        """Also one that was deleted. Raises SessionNotFound."""

    def find(self, prefix: str) -> tuple[UUID, ...]:
        """Ids of all sessions that begin so (of hexadecimal digits and hyphens)."""

    def sessions(self, listed: SessionFilter) -> tuple[ResearchSession, ...]:
        """Without their ``state``, as those that are running."""

    def running(self, user_id: str) -> tuple[ResearchSession, ...]:
        """In progress, dead ones too."""

    def recorded(self, id: UUID) -> Recorded:
        """Raises SessionNotFound."""

    def take(self, id: UUID, worker: str, at: datetime) -> ResearchSession:
        """Make ``worker`` the one who goes on with a session that does not run, or whose
        worker is dead or was never named; its new state. Of two who want it at once one gets
        it. Raises SessionNotFound, SessionBusy while another works on it or where MOST_RUNNING
        others of the user run, and SessionEnded where it is completed."""

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        """The worker lives; whether it is to stop: someone asked for it, or the session is no
        longer its own."""

    def cancel(self, id: UUID, at: datetime) -> ResearchSession:
        """Ask whoever works on it to stop; one whose worker is dead is cancelled at once,
        which an event tells.
        Raises SessionNotFound, and SessionEnded where it does not run."""

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        """Mark sessions whose workers have died as failed (cancelled, where somebody had asked
        for that), with an event that says so; which."""

    def advance(self, id: UUID, worker: str, step: Step, at: datetime) -> None:
        """Keep what a step gave; it counts as a heartbeat. Raises SessionBusy where the
        session is no longer ``worker``'s; nothing is written then."""

    def finish(self, id: UUID, worker: str, outcome: SessionOutcome) -> None:
        """Raises SessionBusy as ``advance`` does."""

    def events(self, id: UUID, after: int = 0) -> tuple[ResearchEvent, ...]:
        """Those with a higher number than ``after``, in order. Raises SessionNotFound."""

    def delete(self, id: UUID, at: datetime) -> None:
        """Hide it, and its chat with the last of its sessions; both can be restored for
        RECOVERABLE. Raises SessionNotFound, and SessionBusy while it runs."""

    def remove(self, id: UUID, at: datetime) -> None:
        """Delete it for good, at once, and its chat with the last of its sessions. Raises what
        ``delete`` raises."""

    def restore(self, id: UUID) -> None:
        """Raises SessionNotFound: also where its time was over and it is gone."""

    def purge(self, before: datetime) -> int:
        """Remove for good what was deleted before; how many sessions."""


class UserRecord(Protocol):
    """What users say: their preferences, and what they think of reports."""

    def preferences(self, user_id: str) -> UserPreferences | None: ...

    def prefer(self, preferences: UserPreferences) -> None:
        """Replaces those of the same user."""

    def forget(self, user_id: str) -> bool:
        """Whether there were preferences; there are none now."""

    def feedback(self, message_id: UUID) -> Sequence[MessageFeedback]:
        """The oldest first."""

    def rate(self, feedback: MessageFeedback) -> None:
        """Raises SessionNotFound where there is no such message."""


class ReviewFormat(StrEnum):
    """The report for people (``MARKDOWN``, ``DOCX``), its evidence as a table (``CSV``), and how
    it was searched (``PRISMA``, Markdown)."""

    MARKDOWN = "markdown"
    DOCX = "docx"
    CSV = "csv"
    PRISMA = "prisma"


class FinishedReview(Value):
    """A review as it is handed over: its record, and what the project knows of what it cites.

    ``report`` is Markdown. ``works`` are by document id, ``links`` (what a browser, a word
    processor or Zotero opens) by the id of the evidence. ``written_out`` has the citations of the
    evidence as a citation style writes them, where one is wanted. ``bibliography`` lists what the
    report cites, where the report does not do so itself.
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


class ReviewWriter(Protocol):
    def write(self, review: FinishedReview, format: ReviewFormat) -> bytes:
        """The content of a file: the same review gives the same bytes. Characters that no
        program can show (control characters) become U+FFFD."""
