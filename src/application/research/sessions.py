"""The verb *session*, and the life cycle of a running one.

The verb *session*: list, show, cancel, delete and restore research sessions. Each call first marks
sessions with dead workers and removes what was deleted longer than RECOVERABLE ago. In a read-only
workspace the marks are applied to the results only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Final
from uuid import UUID

from citeloom.application.ports.research import Recorded, ResearchRecord, SessionFilter
from citeloom.application.ports.system import Clock, Heartbeat
from citeloom.domain.errors import InvalidRequest, SessionNotFound, StorageFailed, Unavailable
from citeloom.domain.leases import HEARTBEAT
from citeloom.domain.messages import Action, NextStep
from citeloom.domain.research.events import ResearchEvent, ended_without_worker, not_found
from citeloom.domain.research.session import LOCAL_USER, RECOVERABLE, Chat, Message, ResearchSession

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


class SessionWork:
    """A session assigned to one worker. ``stop`` is set once the session was cancelled or taken
    by another worker. ``failure`` is the error of the last heartbeat, if it failed; later ones
    may succeed."""

    def __init__(self, session: ResearchSession, worker: str) -> None:
        self.session = session
        self.worker = worker
        self.failure: Unavailable | None = None
        self._stop = Event()

    @property
    def stop(self) -> bool:
        return self._stop.is_set()

    def end(self) -> None:
        """Request the stop."""
        self._stop.set()


class Lifecycle:
    """Begins and resumes sessions in this process, with heartbeats."""

    def __init__(self, record: ResearchRecord, clock: Clock, pulse: Heartbeat) -> None:
        self._record = record
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
        self._record.begin(chat, question, report, session)
        with self._alive(SessionWork(session, worker)) as work:
            yield work

    @contextmanager
    def resumed(self, id: UUID) -> Iterator[SessionWork]:
        """An interrupted session, with heartbeats while the block runs. Raises SessionNotFound,
        SessionBusy and SessionEnded as ``take`` does."""
        self.bury()
        worker = self._clock.correlation_id()
        session = self._record.take(id, worker, self._clock.now())
        with self._alive(SessionWork(session, worker)) as work:
            yield work

    def bury(self) -> tuple[UUID, ...]:
        """Mark sessions with dead workers as failed or cancelled; returns their ids."""
        return self._record.bury(self._clock.now())

    @contextmanager
    def _alive(self, work: SessionWork) -> Iterator[SessionWork]:
        def beat() -> None:
            try:
                if self._record.beat(work.session.id, work.worker, self._clock.now()):
                    work.end()
                work.failure = None
            except Unavailable as error:  # the next step that is written raises it too
                work.failure = error

        with self._pulse.every(HEARTBEAT.total_seconds(), beat):
            yield work
