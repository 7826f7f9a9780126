"""The record of research in memory, for tests; it passes the contract tests of the real one."""

from collections.abc import Sequence
from datetime import datetime
from threading import RLock
from typing import TypeVar
from uuid import UUID

from citeloom.application.ports.research import Recorded, SessionFilter, SessionOutcome, Step
from citeloom.domain.errors import SessionBusy, SessionNotFound, StorageFailed
from citeloom.domain.research import lifecycle
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.session import (
    RECOVERABLE,
    Chat,
    Message,
    MessageFeedback,
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


class MemoryResearchRecord:
    def __init__(self) -> None:
        self._lock = RLock()
        self._chats: dict[UUID, Chat] = {}
        self._kept: dict[UUID, Recorded] = {}
        self._events: dict[UUID, list[ResearchEvent]] = {}

    def begin(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> None:
        chat, session = _held(chat), _held(session)
        with self._lock:
            lifecycle.refuse_more(self._alive(session), session.user_id)
            self.purge(session.started_at - RECOVERABLE)
            there = self._chats.get(chat.id, chat)
            changes = {
                name: getattr(chat, name) for name in ("updated_at", "is_deleted", "deleted_at")
            }
            self._chats[chat.id] = there.model_copy(update=changes)
            self._kept[session.id] = Recorded(
                session=session, chat=chat, question=_held(question), report=report
            )
            self._events[session.id] = []

    def session(self, id: UUID) -> ResearchSession:
        return self._found(id).session

    def find(self, prefix: str) -> tuple[UUID, ...]:
        begins = session_prefix(prefix)
        found = [id for id in self._kept if begins is not None and str(id).startswith(begins)]
        return tuple(sorted(found, key=str))

    def sessions(self, listed: SessionFilter) -> tuple[ResearchSession, ...]:
        found = [
            one
            for one in self._all()
            if one.is_deleted == listed.deleted
            and listed.user_id in (None, one.user_id)
            and listed.project_id in (None, one.project_id)
            and (not listed.statuses or one.status in listed.statuses)
        ]
        return tuple(found[: listed.limit])

    def running(self, user_id: str) -> tuple[ResearchSession, ...]:
        status = SessionStatus.IN_PROGRESS
        return tuple(one for one in self._all() if (one.user_id, one.status) == (user_id, status))

    def recorded(self, id: UUID) -> Recorded:
        found = self._found(id)
        return found.model_copy(update={"chat": self._chats[found.session.chat_id]})

    def take(self, id: UUID, worker: str, at: datetime) -> ResearchSession:
        with self._lock:
            session = lifecycle.taken(self.session(id), worker, at)
            lifecycle.refuse_more(self._alive(session), session.user_id)
            return self._keep(session)

    def beat(self, id: UUID, worker: str, at: datetime) -> bool:
        with self._lock:
            try:
                session = lifecycle.held(self.session(id), worker)
            except SessionBusy:
                return True
            return self._keep(session.model_copy(update={"heartbeat_at": at})).cancelling

    def cancel(self, id: UUID, at: datetime) -> ResearchSession:
        with self._lock:
            session, event = lifecycle.cancelled(self.session(id), at)
            self._events[id] += [event] if event else []
            return self._keep(session)

    def bury(self, at: datetime) -> tuple[UUID, ...]:
        with self._lock:
            dead = [one for one in self._all()[::-1] if one.is_dead(at)]
            for one in dead:
                session, event = lifecycle.died(one, at)
                self._events[one.id].append(event)
                self._keep(session)
            return tuple(one.id for one in dead)

    def advance(self, id: UUID, worker: str, step: Step, at: datetime) -> None:
        with self._lock:
            found = self._found(id)
            session = lifecycle.held(found.session, worker)
            last = lifecycle.last_number(session, step.events)
            sources = _replaced(found.sources, [_held(one) for one in step.sources])
            if len({one.url for one in sources}) < len(sources):
                raise StorageFailed("the record of research: a URL is there already")
            self._events[id] += step.events
            changes: dict[str, object] = {"sequence": last, "heartbeat_at": at}
            changes |= {"plan": step.plan} if step.plan is not None else {}
            changes |= {"state": step.state} if step.state is not None else {}
            self._kept[id] = found.model_copy(
                update={
                    "session": session.model_copy(update=changes),
                    "sources": sources,
                    "spans": _replaced(found.spans, [_held(one) for one in step.spans]),
                }
            )

    def finish(self, id: UUID, worker: str, outcome: SessionOutcome) -> None:
        with self._lock:
            found = self._found(id)
            session = lifecycle.held(found.session, worker)
            last = lifecycle.last_number(session, outcome.events)
            self._events[id] += outcome.events
            content = found.report.content if outcome.content is None else storable(outcome.content)
            chat = self._chats[session.chat_id]
            updated = chat.model_copy(update={"updated_at": outcome.completed_at})
            self._chats[chat.id] = updated
            changes = {
                "status": outcome.status,
                "verification_summary": outcome.summary,
                "error_message": storable(outcome.error_message),
                "sequence": last,
                "worker": None,
                "cancelling": False,
                "completed_at": outcome.completed_at,
            }
            self._kept[id] = found.model_copy(
                update={
                    "session": session.model_copy(update=changes),
                    "report": found.report.model_copy(update={"content": content}),
                    "sources": tuple(
                        one.model_copy(update={"is_cited": one.id in outcome.cited})
                        for one in found.sources
                    ),
                    "claims": tuple(_held(one) for one in outcome.claims),
                    "citations": outcome.citations,
                }
            )

    def events(self, id: UUID, after: int = 0) -> tuple[ResearchEvent, ...]:
        self._found(id)
        return tuple(event for event in self._events[id] if event.sequence > after)

    def delete(self, id: UUID, at: datetime) -> None:
        with self._lock:
            session = self.session(id)
            if session.is_dead(at):
                session, event = lifecycle.died(session, at)
                self._events[id].append(event)
                self._keep(session)
            self._settle(self._keep(lifecycle.deleted(session, at)))

    def remove(self, id: UUID, at: datetime) -> None:
        with self._lock:
            self.delete(id, at)
            self._forget(self.session(id))

    def restore(self, id: UUID) -> None:
        with self._lock:
            self._settle(self._keep(lifecycle.restored(self.session(id))))

    def purge(self, before: datetime) -> int:
        with self._lock:
            old = [s for s in self._all() if s.deleted_at is not None and s.deleted_at < before]
            for session in old:
                self._forget(session)
            return len(old)

    def is_report(self, message_id: UUID) -> bool:
        """Whether there is such a message."""
        return any(message_id in (one.report.id, one.question.id) for one in self._kept.values())

    def close(self) -> None:
        """Nothing is held open."""

    def _all(self) -> list[ResearchSession]:
        """The latest first, without their state."""
        sessions = (one.session.model_copy(update={"state": None}) for one in self._kept.values())
        return sorted(
            sorted(sessions, key=lambda one: str(one.id)),
            key=lambda one: one.started_at,
            reverse=True,
        )

    def _alive(self, session: ResearchSession) -> int:
        now = session.heartbeat_at or session.started_at
        others = (one for one in self.running(session.user_id) if one.id != session.id)
        return sum(not one.is_dead(now) for one in others)

    def _found(self, id: UUID) -> Recorded:
        if (found := self._kept.get(id)) is None:
            raise lifecycle.not_found(id)
        return found

    def _keep(self, session: ResearchSession) -> ResearchSession:
        found = self._found(session.id)
        whole = session.model_copy(update={"state": found.session.state})
        self._kept[session.id] = found.model_copy(update={"session": whole})
        return whole

    def _forget(self, session: ResearchSession) -> None:
        del self._kept[session.id], self._events[session.id]
        empty = not any(one.chat_id == session.chat_id for one in self._all())
        if empty and self._chats[session.chat_id].is_deleted:
            del self._chats[session.chat_id]

    def _settle(self, session: ResearchSession) -> None:
        left = any(one.chat_id == session.chat_id and not one.is_deleted for one in self._all())
        changes = {"is_deleted": not left, "deleted_at": None if left else session.deleted_at}
        chat = self._chats[session.chat_id]
        self._chats[chat.id] = chat.model_copy(update=changes)


class MemoryUserRecord:
    """``record`` tells which messages there are."""

    def __init__(self, record: MemoryResearchRecord) -> None:
        self._record = record
        self._preferences: dict[str, UserPreferences] = {}
        self._feedback: dict[UUID, list[MessageFeedback]] = {}

    def preferences(self, user_id: str) -> UserPreferences | None:
        return self._preferences.get(user_id)

    def prefer(self, preferences: UserPreferences) -> None:
        self._preferences[preferences.user_id] = _held(preferences)

    def forget(self, user_id: str) -> bool:
        return self._preferences.pop(user_id, None) is not None

    def feedback(self, message_id: UUID) -> Sequence[MessageFeedback]:
        if not self._record.is_report(message_id):
            return ()
        found = self._feedback.get(message_id, [])
        return tuple(sorted(found, key=lambda one: (one.created_at, str(one.id))))

    def rate(self, feedback: MessageFeedback) -> None:
        if not self._record.is_report(feedback.message_id):
            raise SessionNotFound(
                f"{feedback.message_id}: no such report", message_id=str(feedback.message_id)
            )
        self._feedback.setdefault(feedback.message_id, []).append(_held(feedback))

    def close(self) -> None:
        """Nothing is held open."""


def _replaced(there: Sequence[_P], new: Sequence[_P]) -> tuple[_P, ...]:
    """Those with the same id take the place of the ones before."""
    rows = {one.id: one for one in there}
    return tuple((rows | {one.id: one for one in new}).values())


def _held(value: _V) -> _V:
    """With the texts that a database would hold."""
    return value.model_copy(update={name: storable(field) for name, field in value})
