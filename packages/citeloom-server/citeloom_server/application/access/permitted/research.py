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
    UserRecord,
)
from citeloom.domain.errors import ProjectNotFound, SessionNotFound
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.events import not_found
from citeloom.domain.research.session import (
    Chat,
    ChatEntry,
    Message,
    MessageFeedback,
    ResearchSession,
    UserPreferences,
    no_chat,
    no_message,
)
from citeloom_server.application.access.current_rights import CurrentRights

from .catalogue import Guarded, checked, passed_on

_ALL: Final = 1_000_000


class PermittedResearchRecord(Guarded[ResearchRecord]):
    """Sessions of the principal, as long as it may read their project; there are no others."""

    recorded = checked(ResearchRecord.recorded)
    take = checked(ResearchRecord.take)
    cancel = checked(ResearchRecord.cancel)
    advance = checked(ResearchRecord.advance)
    events = checked(ResearchRecord.events)
    delete = checked(ResearchRecord.delete)
    remove = checked(ResearchRecord.remove)
    restore = checked(ResearchRecord.restore)
    purge = passed_on(ResearchRecord.purge)

    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        if not self._may_read(session):
            raise ProjectNotFound(session.project_id)
        if {chat.user_id, session.user_id} != {self._rights.name}:
            raise not_found(session.id)
        self._store.begin(chat, question, report, session)

    def session(self, id: UUID) -> ResearchSession:
        session = self._store.session(id)
        if not self._sees(session):
            raise not_found(id)
        return session

    def find(self, prefix: str) -> tuple[UUID, ...]:
        return tuple(id for id in self._store.find(prefix) if self._sees(self._store.session(id)))

    def sessions(self, session_filter: SessionFilter) -> tuple[ResearchSession, ...]:
        own = {"user_id": self._rights.name, "limit": _ALL}
        found = self._store.sessions(session_filter.model_copy(update=own))
        return tuple(one for one in found if self._sees(one))[: session_filter.limit]

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        """A session whose project is no longer readable must stop."""
        return self._store.beat(id, worker, at) or not self._sees(self._store.session(id))

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        """Marks all dead sessions, and returns those of the principal."""
        return tuple(id for id in self._store.bury(at) if self._sees(self._store.session(id)))

    def finish(self, id: UUID, worker: str, outcome: SessionOutcome) -> None:
        """Also of a project that may not be read any more: it has ended all the same."""
        if self._store.session(id).user_id != self._rights.name:
            raise not_found(id)
        self._store.finish(id, worker, outcome)

    def _check(self, id: UUID) -> None:
        self.session(id)

    def _sees(self, session: ResearchSession) -> bool:
        return session.user_id == self._rights.name and self._may_read(session)

    def _may_read(self, session: ResearchSession) -> bool:
        return self._rights.may_read(ProjectId(value=session.project_id))


class PermittedChatRecord(Guarded[ChatRecord]):
    """Chats of the principal. Messages that report or quote from a project that it may no longer
    read are left out; its own questions stay. ``sessions`` is the record of the whole workspace."""

    rename = checked(ChatRecord.rename)
    say = checked(ChatRecord.say)
    delete = checked(ChatRecord.delete)
    restore = checked(ChatRecord.restore)

    def __init__(self, chats: ChatRecord, sessions: ResearchRecord, rights: CurrentRights) -> None:
        super().__init__(chats, rights)
        self._sessions = PermittedResearchRecord(sessions, rights)

    def chats(self, user_id: str, *, deleted: bool = False) -> tuple[Chat, ...]:
        if user_id != self._rights.name:
            return ()
        return self._store.chats(user_id, deleted=deleted)

    def chat(self, id: UUID) -> Chat:
        chat = self._store.chat(id)
        if chat.user_id != self._rights.name:
            raise no_chat(id)
        return chat

    def open(self, chat: Chat) -> None:
        if chat.user_id != self._rights.name:
            raise no_chat(chat.id)
        self._store.open(chat)

    def entries(self, id: UUID) -> tuple[ChatEntry, ...]:
        if self._store.chat(id).user_id != self._rights.name:
            return ()
        return tuple(one for one in self._store.entries(id) if self._sees(one))

    def message(self, id: UUID) -> Message:
        message = self._store.message(id)
        entries = self.entries(message.chat_id)
        found = next((one.message for one in entries if one.message.id == id), None)
        if found is None:
            raise no_message(id)
        return found

    def _check(self, id: UUID) -> None:
        self.chat(id)

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
