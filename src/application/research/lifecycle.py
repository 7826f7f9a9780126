"""Lifecycle of a running session: begin or resume, heartbeat, stop request."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from uuid import UUID

from citeloom.application.ports.research import ResearchRecord
from citeloom.application.ports.system import Clock, Heartbeat
from citeloom.domain.errors import Unavailable
from citeloom.domain.leases import HEARTBEAT
from citeloom.domain.research.session import Chat, Message, ResearchSession


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
