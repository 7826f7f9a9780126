"""In-memory audit trail."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from threading import Lock

from citeloom_server.application.audit.ports import BEGUN, AuditEvent, AuditFilter


class InMemoryAuditTrail:
    """For several threads."""

    def __init__(self) -> None:
        self._events: dict[str, AuditEvent] = {}
        self._lock = Lock()

    def append(self, event: AuditEvent) -> None:
        with self._lock:
            self._events[event.id] = event

    def settle(self, event: AuditEvent) -> None:
        with self._lock:
            known = self._events.get(event.id)
            if known and known.outcome == BEGUN:
                told = {name: getattr(event, name) for name in ("outcome", "project", "object")}
                self._events[event.id] = known.model_copy(update=told)

    def latest(self, wanted: AuditFilter, limit: int) -> Sequence[AuditEvent]:
        return list(self._wanted(wanted))[-limit:]

    def after(
        self, event: AuditEvent | None, wanted: AuditFilter, limit: int
    ) -> Sequence[AuditEvent]:
        found = (one for one in self._wanted(wanted) if event is None or _key(one) > _key(event))
        return list(found)[:limit]

    def forget(self, before: datetime) -> int:
        with self._lock:
            kept = {id: one for id, one in self._events.items() if one.time >= before}
            forgotten = len(self._events) - len(kept)
            self._events = kept
        return forgotten

    def close(self) -> None: ...

    def _wanted(self, wanted: AuditFilter) -> Iterator[AuditEvent]:
        names = ("principal", "project", "action", "outcome")
        for event in sorted(self._events.values(), key=_key):
            if wanted.since and event.time < wanted.since:
                continue
            if wanted.until and event.time >= wanted.until:
                continue
            if all(getattr(wanted, name) in (None, getattr(event, name)) for name in names):
                yield event


def _key(event: AuditEvent) -> tuple[datetime, str]:
    return event.time, event.id
