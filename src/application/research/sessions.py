"""The verb *session*, and the life cycle of a running one.

The verb *session*: list, show, cancel, delete and restore research sessions. Each call first marks
sessions with dead workers and removes what was deleted longer than RECOVERABLE ago. In a read-only
workspace the marks are applied to the results only.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from threading import Event
from typing import Any, Final
from uuid import UUID

from citeloom.application.ports.research import ResearchRecord, SessionFilter, SessionOutcome, Step
from citeloom.application.ports.system import Clock, Heartbeat
from citeloom.domain.errors import InvalidRequest, SessionNotFound, StorageFailed, Unavailable
from citeloom.domain.leases import HEARTBEAT
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.events import (
    ErrorEvent,
    ResearchEvent,
    ended_without_worker,
    not_found,
)
from citeloom.domain.research.session import (
    LOCAL_USER,
    RECOVERABLE,
    Chat,
    Message,
    Recorded,
    ResearchSession,
    SessionStatus,
)

#: Names the session begun last.
LAST: Final = "last"
# Limit of a list that is filtered here, because dead sessions could not be marked.
_ALL: Final = 1_000_000


class Sessions:
    """Sessions of one user, named by id, unique prefix of an id, or ``last``."""

    def __init__(self, record: ResearchRecord, clock: Clock, user_id: str = LOCAL_USER) -> None:
        self._record = record
        self._clock = clock
        self._user = user_id

    def list(self, session_filter: SessionFilter) -> tuple[ResearchSession, ...]:
        """Sessions of this user, whatever user the filter names; without their ``state``."""
        query = session_filter.model_copy(update={"user_id": self._user})
        if self._mark_dead():
            return self._record.sessions(query)
        unlimited = query.model_copy(update={"statuses": (), "limit": _ALL})
        sessions = [self._as_marked(one) for one in self._record.sessions(unlimited)]
        matching = [
            one
            for one in sessions
            if not session_filter.statuses or one.status in session_filter.statuses
        ]
        return tuple(matching[: session_filter.limit])

    def find(self, name: str, *, deleted: bool = False) -> UUID:
        """The id of a session; ``last`` is the last of those that are ``deleted``, or of those
        that are not. Raises SessionNotFound, and InvalidRequest for an ambiguous prefix."""
        self._mark_dead()
        if name.strip().lower() == LAST:
            query = SessionFilter(user_id=self._user, deleted=deleted, limit=1)
            last = self._record.sessions(query)
            if not last:
                which = "deleted sessions" if deleted else "sessions yet"
                raise SessionNotFound(
                    f"{name}: there are no {which}", NextStep(Action.LIST_SESSIONS), session=name
                )
            return last[0].id
        ids = self._record.find(name) if name.strip() else ()
        if len(ids) > 1:
            raise InvalidRequest(
                f"{name}: {len(ids)} sessions begin so, like {ids[0]} and {ids[1]}; "
                "write more of it",
                parameter="session",
            )
        if not ids:
            raise not_found(name)
        return ids[0]

    def show(self, name: str) -> Recorded:
        """Raises what ``find`` raises, as the following methods do."""
        recorded = self._record.recorded(self.find(name))
        return recorded.model_copy(update={"session": self._as_marked(recorded.session)})

    def events(self, name: str, after: int = 0) -> tuple[ResearchEvent, ...]:
        return self._record.events(self.find(name), after)

    def follow(self, id: UUID, after: int) -> tuple[ResearchSession, tuple[ResearchEvent, ...]]:
        """A session as it stands, without its state, and its events above ``after``. If it has
        ended, it had no later ones. Raises SessionNotFound, also for a deleted one."""
        self._mark_dead()
        session = self._as_marked(self._record.session(id))
        if session.is_deleted or session.user_id != self._user:
            raise not_found(id)
        return session, self._record.events(id, after)

    def cancel(self, name: str) -> ResearchSession:
        """Raises SessionEnded if it does not run."""
        return self._record.cancel(self.find(name), self._clock.now())

    def delete(self, name: str) -> ResearchSession:
        """Raises SessionBusy while it runs."""
        id = self.find(name)
        self._record.delete(id, self._clock.now())
        return self._record.session(id)

    def remove(self, name: str) -> ResearchSession:
        """Delete for good; returns the session as it was. Raises SessionBusy while it runs."""
        session = self._record.session(self.find(name))
        self._record.remove(session.id, self._clock.now())
        return session

    def restore(self, name: str) -> ResearchSession:
        id = self.find(name, deleted=True)
        self._record.restore(id)
        return self._record.session(id)

    def _mark_dead(self) -> bool:
        """Mark dead sessions and purge deleted ones; returns False if the workspace is
        read-only."""
        now = self._clock.now()
        try:
            self._record.bury(now)
            self._record.purge(now - RECOVERABLE)
        except StorageFailed:  # raised again by the call itself, if that writes or cannot read
            return False
        return True

    def _as_marked(self, session: ResearchSession) -> ResearchSession:
        now = self._clock.now()
        return ended_without_worker(session, now)[0] if session.is_dead(now) else session


Listener = Callable[[ResearchEvent], None]
Stopping = Callable[[], bool]


class Stopped(Exception):
    """The session was asked to stop."""


class SessionWork:
    """A session assigned to ``worker``, one of this process. Events are stored with the next
    step, or with the end."""

    def __init__(
        self, session: ResearchSession, worker: str, record: ResearchRecord, clock: Clock
    ) -> None:
        self.session = session
        self.worker = worker
        self._record = record
        self._clock = clock
        self._sequence = session.sequence
        self._pending: list[ResearchEvent] = []
        self._stop = Event()
        self._listener: Listener = lambda _: None
        self._stopping: Stopping = lambda: False

    def listen(self, listener: Listener, stopping: Stopping) -> None:
        """``listener`` is called with each event; ``stopping`` says whether to stop."""
        self._listener, self._stopping = listener, stopping

    @property
    def stop(self) -> bool:
        """Whether to stop: it is requested, or, by the last heartbeat, the session was cancelled or
        taken by another worker."""
        return self._stop.is_set() or self._stopping()

    def check_stop(self) -> None:
        """Raises Stopped if the session is to stop."""
        if self.stop:
            raise Stopped

    def beat(self) -> None:
        with suppress(Unavailable):  # the next step that is written raises it too
            if self._record.beat(self.session.id, self.worker, self._clock.now()):
                self._stop.set()

    def now(self) -> datetime:
        return self._clock.now()

    def log(self, kind: Callable[..., ResearchEvent], **fields: Any) -> None:
        self._sequence += 1
        event = kind(
            session_id=self.session.id,
            sequence=self._sequence,
            timestamp=self._clock.now(),
            **fields,
        )
        self._pending.append(event)
        self._listener(event)

    def store_step(self, step: Step) -> None:
        """Raises SessionBusy."""
        at = self._clock.now()
        whole = step.model_copy(update={"events": tuple(self._pending)})
        self._record.advance(self.session.id, self.worker, whole, at)
        self._pending.clear()

    def end(self, outcome: SessionOutcome) -> None:
        """Raises SessionBusy."""
        whole = outcome.model_copy(update={"events": tuple(self._pending)})
        self._record.finish(self.session.id, self.worker, whole)
        self._pending.clear()

    def end_early(self, status: SessionStatus, code: str, message: str, error: str | None) -> None:
        """End as cancelled or failed, with an event that says that it can be resumed; ``error``
        is the message kept with the session. Raises SessionBusy."""
        self.log(ErrorEvent, error_code=code, error_message=message, recoverable=True)
        self.end(SessionOutcome(status=status, error_message=error, completed_at=self._clock.now()))

    def end_cancelled(self) -> None:
        """Raises SessionBusy."""
        message = "cancelled; it can be resumed"
        self.end_early(SessionStatus.CANCELLED, "CANCELLED", message, None)


class Lifecycle:
    """Begins and resumes sessions in this process, with heartbeats."""

    def __init__(self, record: ResearchRecord, clock: Clock, pulse: Heartbeat) -> None:
        self.record = record
        self._clock = clock
        self._pulse = pulse

    @contextmanager
    def begun(
        self, chat: Chat, question: Message, report: Message, session: ResearchSession
    ) -> Iterator[SessionWork]:
        """A new session, with heartbeats while the block runs. Raises SessionBusy as ``begin``
        does."""
        self.bury()
        worker = self._clock.correlation_id()
        changes = {"worker": worker, "heartbeat_at": self._clock.now()}
        session = session.model_copy(update=changes)
        self.record.begin(chat, question, report, session)
        yield from self._alive(session, worker)

    @contextmanager
    def resumed(self, id: UUID) -> Iterator[SessionWork]:
        """An interrupted session, with heartbeats while the block runs. Raises SessionNotFound,
        SessionBusy and SessionEnded as ``take`` does."""
        self.bury()
        worker = self._clock.correlation_id()
        yield from self._alive(self.record.take(id, worker, self._clock.now()), worker)

    def bury(self) -> tuple[UUID, ...]:
        """Mark sessions with dead workers as failed or cancelled; returns their ids."""
        return self.record.bury(self._clock.now())

    def _alive(self, session: ResearchSession, worker: str) -> Iterator[SessionWork]:
        work = SessionWork(session, worker, self.record, self._clock)
        with self._pulse(HEARTBEAT.total_seconds(), work.beat):
            yield work
