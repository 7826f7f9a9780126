"""The record of reviews and chats as a principal sees it: its own, of projects that it may read."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from citeloom.application.ports.research import (
    ChatRecord,
    ResearchRecord,
    SessionFilter,
    SessionOutcome,
    Step,
    UserRecord,
)
from citeloom.domain.errors import ProjectNotFound, SessionNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.events import ResearchEvent, not_found
from citeloom.domain.research.session import (
    Chat,
    ChatEntry,
    Message,
    MessageFeedback,
    Recorded,
    ResearchSession,
    UserPreferences,
    no_chat,
    no_message,
)
from citeloom_server.application.access.current_rights import CurrentRights

_ALL: Final = 1_000_000


class PermittedResearchRecord:
    """Sessions of the principal, as long as it may read their project; there are no others."""

    def __init__(self, record: ResearchRecord, rights: CurrentRights) -> None:
        self._record = record
        self._rights = rights

    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        if not self._may_read(session):
            raise ProjectNotFound(session.project_id)
        if {chat.user_id, session.user_id} != {self._rights.name}:
            raise not_found(session.id)
        self._record.begin(chat, question, report, session)

    def session(self, id: UUID) -> ResearchSession:
        session = self._record.session(id)
        if not self._sees(session):
            raise not_found(id)
        return session

    def find(self, prefix: str) -> tuple[UUID, ...]:
        return tuple(id for id in self._record.find(prefix) if self._sees(self._record.session(id)))

    def sessions(self, session_filter: SessionFilter) -> tuple[ResearchSession, ...]:
        own = {"user_id": self._rights.name, "limit": _ALL}
        found = self._record.sessions(session_filter.model_copy(update=own))
        return tuple(one for one in found if self._sees(one))[: session_filter.limit]

    def recorded(self, id: UUID) -> Recorded:
        self.session(id)
        return self._record.recorded(id)

    def take(self, id: UUID, worker: str, at: datetime) -> ResearchSession:
        self.session(id)
        return self._record.take(id, worker, at)

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        """A session whose project is no longer readable must stop."""
        return self._record.beat(id, worker, at) or not self._sees(self._record.session(id))

    def cancel(self, id: UUID, at: datetime) -> ResearchSession:
        self.session(id)
        return self._record.cancel(id, at)

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        """Marks all dead sessions, and returns those of the principal."""
        return tuple(id for id in self._record.bury(at) if self._sees(self._record.session(id)))

    def advance(self, id: UUID, worker: str, step: Step, at: datetime) -> None:
        self.session(id)
        self._record.advance(id, worker, step, at)

    def finish(self, id: UUID, worker: str, outcome: SessionOutcome) -> None:
        """Also of a project that may not be read any more: it has ended all the same."""
        if self._record.session(id).user_id != self._rights.name:
            raise not_found(id)
        self._record.finish(id, worker, outcome)

    def events(self, id: UUID, after: int = 0) -> tuple[ResearchEvent, ...]:
        self.session(id)
        return self._record.events(id, after)

    def delete(self, id: UUID, at: datetime) -> None:
        self.session(id)
        self._record.delete(id, at)

    def remove(self, id: UUID, at: datetime) -> None:
        self.session(id)
        self._record.remove(id, at)

    def restore(self, id: UUID) -> None:
        self.session(id)
        self._record.restore(id)

    def purge(self, before: datetime) -> int:
        return self._record.purge(before)

    def _sees(self, session: ResearchSession) -> bool:
        return session.user_id == self._rights.name and self._may_read(session)

    def _may_read(self, session: ResearchSession) -> bool:
        return self._rights.may_read(ProjectId(value=session.project_id))


class PermittedChatRecord:
    """Chats of the principal. Messages that report or quote from a project that it may no longer
    read are left out; its own questions stay. ``sessions`` is the record of the whole workspace."""

    def __init__(self, chats: ChatRecord, sessions: ResearchRecord, rights: CurrentRights) -> None:
        self._chats = chats
        self._sessions = PermittedResearchRecord(sessions, rights)
        self._rights = rights

    def chats(self, user_id: str, *, deleted: bool = False) -> tuple[Chat, ...]:
        if user_id != self._rights.name:
            return ()
        return self._chats.chats(user_id, deleted=deleted)

    def chat(self, id: UUID) -> Chat:
        chat = self._chats.chat(id)
        if chat.user_id != self._rights.name:
            raise no_chat(id)
        return chat

    def open(self, chat: Chat) -> None:
        if chat.user_id != self._rights.name:
            raise no_chat(chat.id)
        self._chats.open(chat)

    def rename(self, id: UUID, title: str | None, at: datetime) -> Chat:
        self.chat(id)
        return self._chats.rename(id, title, at)

    def entries(self, id: UUID) -> tuple[ChatEntry, ...]:
        if self._chats.chat(id).user_id != self._rights.name:
            return ()
        return tuple(one for one in self._chats.entries(id) if self._sees(one))

    def message(self, id: UUID) -> Message:
        message = self._chats.message(id)
        entries = self.entries(message.chat_id)
        found = next((one.message for one in entries if one.message.id == id), None)
        if found is None:
            raise no_message(id)
        return found

    def say(self, chat_id: UUID, messages: Sequence[Message], at: datetime) -> None:
        self.chat(chat_id)
        self._chats.say(chat_id, messages, at)

    def delete(self, id: UUID, at: datetime) -> None:
        self.chat(id)
        self._chats.delete(id, at)

    def restore(self, id: UUID) -> None:
        self.chat(id)
        self._chats.restore(id)

    def _sees(self, entry: ChatEntry) -> bool:
        projects = {one.project for one in entry.message.passages or ()}
        if not all(self._rights.may_read(ProjectId(value=one)) for one in projects):
            return False
        if entry.session_id is None:
            return True
        try:
            self._sessions.session(entry.session_id)
        except SessionNotFound:
            return False
        return True


class PermittedUserRecord:
    """Preferences of the principal, and feedback on what it sees of ``chats``."""

    def __init__(
        self, users: UserRecord, chats: PermittedChatRecord, rights: CurrentRights
    ) -> None:
        self._users = users
        self._chats = chats
        self._rights = rights

    def preferences(self, user_id: str) -> UserPreferences | None:
        return self._users.preferences(user_id) if user_id == self._rights.name else None

    def prefer(self, preferences: UserPreferences) -> None:
        if preferences.user_id != self._rights.name:
            raise ValueError(f"{preferences.user_id}: preferences of somebody else")
        self._users.prefer(preferences)

    def forget(self, user_id: str) -> bool:
        return user_id == self._rights.name and self._users.forget(user_id)

    def feedback(self, message_id: UUID) -> Sequence[MessageFeedback]:
        try:
            self._chats.message(message_id)
        except SessionNotFound:
            return ()
        return self._users.feedback(message_id)

    def rate(self, feedback: MessageFeedback) -> None:
        self._chats.message(feedback.message_id)
        self._users.rate(feedback)
