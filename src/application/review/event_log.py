"""Event log of a session: numbered events, sent to a listener and stored with each step."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from citeloom.application.ports.research import ResearchRecord, SessionOutcome, Step
from citeloom.application.ports.system import Clock
from citeloom.application.research.lifecycle import SessionWork
from citeloom.domain.research.events import ResearchEvent

Listener = Callable[[ResearchEvent], None]


class Stopped(Exception):
    """The review was asked to stop."""


class EventLog:
    """The event log of one session. ``stopping`` tells whether the review is to stop."""

    def __init__(
        self,
        work: SessionWork,
        *,
        record: ResearchRecord,
        clock: Clock,
        listener: Listener,
        stopping: Callable[[], bool],
    ) -> None:
        self._id = work.session.id
        self._work = work
        self._record = record
        self._clock = clock
        self._listener = listener
        self._stopping = stopping
        self._sequence = work.session.sequence
        self._pending: list[ResearchEvent] = []

    def log(self, kind: Callable[..., ResearchEvent], **fields: Any) -> None:
        """Log an event; it is stored with the next step."""
        self._sequence += 1
        event = kind(
            session_id=self._id,
            sequence=self._sequence,
            timestamp=self._clock.now(),
            **fields,
        )
        self._pending.append(event)
        self._listener(event)

    def now(self) -> datetime:
        """The time of the next event."""
        return self._clock.now()

    def check_stop(self) -> None:
        """Raises Stopped if the review is to stop."""
        if self._work.stop or self._stopping():
            raise Stopped

    def store_step(self, step: Step) -> None:
        """Store a step with the events since the last one. Raises SessionBusy."""
        at = self._clock.now()
        whole = step.model_copy(update={"events": tuple(self._pending)})
        self._record.advance(self._id, self._work.worker, whole, at)
        self._pending.clear()

    def end(self, outcome: SessionOutcome) -> None:
        """Store the outcome with the remaining events. Raises SessionBusy."""
        whole = outcome.model_copy(update={"events": tuple(self._pending)})
        self._record.finish(self._id, self._work.worker, whole)
        self._pending.clear()
