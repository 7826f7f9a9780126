"""What happens in a session: told as it happens, numbered, and kept a step at a time."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from citeloom.application.ports.clock import Clock
from citeloom.application.ports.record import Outcome, ResearchRecord, Step
from citeloom.domain.research.events import ResearchEvent
from citeloom.domain.research.record import HEARTBEAT, ResearchSession

Listener = Callable[[ResearchEvent], None]

# How often the record is asked whether to go on; it is told as often that this worker lives.
_BEAT = HEARTBEAT.total_seconds() / 5


class Stopped(Exception):
    """Somebody asked for the review to stop."""


class Journal:
    """Of one session that ``worker`` works on."""

    def __init__(
        self,
        session: ResearchSession,
        worker: str,
        *,
        record: ResearchRecord,
        clock: Clock,
        listener: Listener,
        stopping: Callable[[], bool],
    ) -> None:
        self._session = session
        self._worker = worker
        self._record = record
        self._clock = clock
        self._listener = listener
        self._stopping = stopping
        self._sequence = session.sequence
        self._pending: list[ResearchEvent] = []
        self._beaten = clock.monotonic()

    @property
    def session_id(self) -> UUID:
        return self._session.id

    def tell(self, kind: Callable[..., ResearchEvent], **fields: Any) -> None:
        self._sequence += 1
        event = kind(
            session_id=self._session.id,
            sequence=self._sequence,
            timestamp=self._clock.now(),
            **fields,
        )
        self._pending.append(event)
        self._listener(event)

    def go_on(self) -> None:
        """Raises Stopped where the review is to end."""
        if self._stopping():
            raise Stopped
        now = self._clock.monotonic()
        if now - self._beaten >= _BEAT:
            self._beaten = now
            if self._record.beat(self._session.id, self._worker, self._clock.now()):
                raise Stopped

    def keep(self, step: Step) -> None:
        """The step with the events since the last one. Raises SessionBusy."""
        at = self._clock.now()
        whole = step.model_copy(update={"events": tuple(self._pending)})
        self._record.advance(self._session.id, self._worker, whole, at)
        self._pending.clear()

    def end(self, outcome: Outcome) -> None:
        """Raises SessionBusy."""
        whole = outcome.model_copy(update={"events": tuple(self._pending)})
        self._record.finish(self._session.id, self._worker, whole)
        self._pending.clear()
