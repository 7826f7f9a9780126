"""In-memory adapters of ports ``ResearchRecord`` and ``UserRecord``."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from threading import RLock
from typing import TypeVar
from uuid import UUID

from citeloom.application.ports.research import SessionFilter, SessionOutcome, Step
from citeloom.domain.errors import SessionBusy, SessionNotFound, StorageFailed
from citeloom.domain.research import events as lifecycle
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.session import (
    RECOVERABLE,
    Chat,
    ChatEntry,
    Message,
    MessageFeedback,
    Recorded,
    ResearchSession,
    SessionStatus,
    Source,
    SourceSpan,
    UserPreferences,
)
from citeloom.domain.value import Value
from citeloom.infrastructure.storage.database.database import storable
from citeloom.infrastructure.storage.research.rows import session_prefix

_P = TypeVar("_P", Source, SourceSpan)
_V = TypeVar("_V", bound=Value)


class InMemoryResearchRecord:
    def __init__(self) -> None:
        self.lock = RLock()
        self.chats: dict[UUID, Chat] = {}
        #: Messages outside of sessions, by chat.
        self.said: dict[UUID, list[Message]] = {}
        self.records: dict[UUID, Recorded] = {}
        self._events: dict[UUID, list[ResearchEvent]] = {}

    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        chat, session = as_stored(chat), as_stored(session)
        with self.lock:
            lifecycle.check_running_limit(self._live_sessions(session), session.user_id)
            self.purge(session.started_at - RECOVERABLE)
            stored_chat = self.chats.get(chat.id, chat)
            changes = {
                name: getattr(chat, name) for name in ("updated_at", "is_deleted", "deleted_at")
            }
            self.chats[chat.id] = stored_chat.model_copy(update=changes)
            self.records[session.id] = Recorded(
                session=session, chat=chat, question=as_stored(question), report=report
            )
            self._events[session.id] = []

    def session(self, id: UUID) -> ResearchSession:
        return self._recorded(id).session

    def find(self, prefix: str) -> tuple[UUID, ...]:
        text = session_prefix(prefix)
        ids = [id for id in self.records if text is not None and str(id).startswith(text)]
        return tuple(sorted(ids, key=str))

    def sessions(self, session_filter: SessionFilter) -> tuple[ResearchSession, ...]:
        matching = [
            one
            for one in self._all()
            if one.is_deleted == session_filter.deleted
            and session_filter.user_id in (None, one.user_id)
            and session_filter.project_id in (None, one.project_id)
            and (not session_filter.statuses or one.status in session_filter.statuses)
        ]
        return tuple(matching[: session_filter.limit])

    def recorded(self, id: UUID) -> Recorded:
        record = self._recorded(id)
        return record.model_copy(update={"chat": self.chats[record.session.chat_id]})

    def take(self, id: UUID, worker: str, at: datetime) -> ResearchSession:
        with self.lock:
            session = lifecycle.acquired(self.session(id), worker, at)
            lifecycle.check_running_limit(self._live_sessions(session), session.user_id)
            return self._keep(session)

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        with self.lock:
            try:
                session = lifecycle.require_worker(self.session(id), worker)
            except SessionBusy:
                return True
            return self._keep(session.model_copy(update={"heartbeat_at": at})).cancelling

    def cancel(self, id: UUID, at: datetime) -> ResearchSession:
        with self.lock:
            session, event = lifecycle.cancelled(self.session(id), at)
            self._events[id] += [event] if event else []
            return self._keep(session)

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        with self.lock:
            dead = [one for one in self._all()[::-1] if one.is_dead(at)]
            for one in dead:
                session, event = lifecycle.ended_without_worker(one, at)
                self._events[one.id].append(event)
                self._keep(session)
            return tuple(one.id for one in dead)

    def advance(self, id: UUID, worker: str, step: Step, at: datetime) -> None:
        with self.lock:
            record = self._recorded(id)
            session = lifecycle.require_worker(record.session, worker)
            last = lifecycle.last_sequence(session, step.events)
            sources = _merged(record.sources, [as_stored(one) for one in step.sources])
            if len({one.url for one in sources}) < len(sources):
                raise StorageFailed("the record of research: a URL is there already")
            self._events[id] += step.events
            changes: dict[str, object] = {"sequence": last, "heartbeat_at": at}
            changes |= {"plan": step.plan} if step.plan is not None else {}
            changes |= {"state": step.state} if step.state is not None else {}
            self.records[id] = record.model_copy(
                update={
                    "session": session.model_copy(update=changes),
                    "sources": sources,
                    "spans": _merged(record.spans, [as_stored(one) for one in step.spans]),
                }
            )

    def finish(self, id: UUID, worker: str, outcome: SessionOutcome) -> None:
        with self.lock:
            record = self._recorded(id)
            session = lifecycle.require_worker(record.session, worker)
            last = lifecycle.last_sequence(session, outcome.events)
            self._events[id] += outcome.events
            content = (
                record.report.content if outcome.content is None else storable(outcome.content)
            )
            chat = self.chats[session.chat_id]
            updated = chat.model_copy(update={"updated_at": outcome.completed_at})
            self.chats[chat.id] = updated
            changes = {
                "status": outcome.status,
                "verification_summary": outcome.summary,
                "error_message": storable(outcome.error_message),
                "sequence": last,
                "worker": None,
                "cancelling": False,
                "completed_at": outcome.completed_at,
            }
            self.records[id] = record.model_copy(
                update={
                    "session": session.model_copy(update=changes),
                    "report": record.report.model_copy(update={"content": content}),
                    "sources": tuple(
                        one.model_copy(update={"is_cited": one.id in outcome.cited})
                        for one in record.sources
                    ),
                    "claims": tuple(as_stored(one) for one in outcome.claims),
                    "citations": outcome.citations,
                }
            )

    def events(self, id: UUID, after: int = 0) -> tuple[ResearchEvent, ...]:
        self._recorded(id)
        return tuple(event for event in self._events[id] if event.sequence > after)

    def delete(self, id: UUID, at: datetime) -> None:
        with self.lock:
            session = self.session(id)
            if session.is_dead(at):
                session, event = lifecycle.ended_without_worker(session, at)
                self._events[id].append(event)
                self._keep(session)
            if not session.is_deleted:
                self._update_chat(self._keep(lifecycle.deleted(session, at)))

    def remove(self, id: UUID, at: datetime) -> None:
        with self.lock:
            self.delete(id, at)
            self._erase(self.session(id))

    def restore(self, id: UUID) -> None:
        with self.lock:
            self._update_chat(self._keep(lifecycle.restored(self.session(id))))

    def purge(self, before: datetime) -> int:
        with self.lock:
            old = [s for s in self._all() if s.deleted_at is not None and s.deleted_at < before]
            for session in old:
                self._erase(session)
            for chat in list(self.chats.values()):
                if chat.deleted_at is not None and chat.deleted_at < before:
                    del self.chats[chat.id]
                    self.said.pop(chat.id, None)
            return len(old)

    def messages(self) -> Iterator[ChatEntry]:
        """All messages, of every chat."""
        for one in self.records.values():
            yield ChatEntry(message=one.question, session_id=one.session.id)
            yield ChatEntry(message=one.report, session_id=one.session.id)
        for said in self.said.values():
            yield from (ChatEntry(message=message) for message in said)

    def close(self) -> None:
        """Nothing is held open."""

    def _all(self) -> list[ResearchSession]:
        """The latest first, without their state."""
        sessions = (one.session.model_copy(update={"state": None}) for one in self.records.values())
        return sorted(
            sorted(sessions, key=lambda one: str(one.id)),
            key=lambda one: one.started_at,
            reverse=True,
        )

    def _live_sessions(self, session: ResearchSession) -> int:
        now = session.heartbeat_at or session.started_at
        others = (one for one in self._all() if one.id != session.id)
        return sum(
            (one.user_id, one.status) == (session.user_id, SessionStatus.IN_PROGRESS)
            and not one.is_dead(now)
            for one in others
        )

    def _recorded(self, id: UUID) -> Recorded:
        if (record := self.records.get(id)) is None:
            raise lifecycle.not_found(id)
        return record

    def _keep(self, session: ResearchSession) -> ResearchSession:
        record = self._recorded(session.id)
        updated = session.model_copy(update={"state": record.session.state})
        self.records[session.id] = record.model_copy(update={"session": updated})
        return updated

    def _erase(self, session: ResearchSession) -> None:
        del self.records[session.id], self._events[session.id]
        empty = not any(one.message.chat_id == session.chat_id for one in self.messages())
        if empty and self.chats[session.chat_id].is_deleted:
            del self.chats[session.chat_id]

    def _update_chat(self, session: ResearchSession) -> None:
        is_needed = session.chat_id in self.said or any(
            one.chat_id == session.chat_id and not one.is_deleted for one in self._all()
        )
        changes = {
            "is_deleted": not is_needed,
            "deleted_at": None if is_needed else session.deleted_at,
        }
        chat = self.chats[session.chat_id]
        self.chats[chat.id] = chat.model_copy(update=changes)


class InMemoryUserRecord:
    """Preferences and feedback; ``record`` knows the reports that feedback refers to."""

    def __init__(self, record: InMemoryResearchRecord) -> None:
        self._record = record
        self._preferences: dict[str, UserPreferences] = {}
        self._feedback: dict[UUID, list[MessageFeedback]] = {}

    def preferences(self, user_id: str) -> UserPreferences | None:
        return self._preferences.get(user_id)

    def prefer(self, preferences: UserPreferences) -> None:
        self._preferences[preferences.user_id] = as_stored(preferences)

    def forget(self, user_id: str) -> bool:
        return self._preferences.pop(user_id, None) is not None

    def feedback(self, message_id: UUID) -> Sequence[MessageFeedback]:
        if not self._is_message(message_id):
            return ()
        ratings = self._feedback.get(message_id, [])
        return tuple(sorted(ratings, key=lambda one: (one.created_at, str(one.id))))

    def rate(self, feedback: MessageFeedback) -> None:
        if not self._is_message(feedback.message_id):
            raise SessionNotFound(
                f"{feedback.message_id}: no such report", message_id=str(feedback.message_id)
            )
        self._feedback.setdefault(feedback.message_id, []).append(as_stored(feedback))

    def close(self) -> None:
        """Nothing is held open."""

    def _is_message(self, id: UUID) -> bool:
        return any(one.message.id == id for one in self._record.messages())


def _merged(before: Sequence[_P], new: Sequence[_P]) -> tuple[_P, ...]:
    """Entries with the same id replace earlier ones."""
    by_id = {one.id: one for one in before}
    return tuple((by_id | {one.id: one for one in new}).values())


def as_stored(value: _V) -> _V:
    """With texts as a database stores them."""
    return value.model_copy(update={name: storable(field) for name, field in value})
