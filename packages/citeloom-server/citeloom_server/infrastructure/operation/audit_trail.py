"""The audit trail in the catalogue's database (port ``AuditTrail``)."""

from collections.abc import Sequence
from datetime import datetime

from citeloom.infrastructure.storage.database.database import Row, insert_into, time_text
from citeloom.infrastructure.storage.database.store import SqlStore
from citeloom_server.application.audit.ports import BEGUN, AuditEvent, AuditFilter

_SETTLE = (
    "UPDATE audit_events SET outcome = :outcome, project = :project, object = :object "
    "WHERE id = :id AND outcome = :begun"
)
_NAMES = ("principal", "project", "action", "outcome")


class SqlAuditTrail(SqlStore):
    def append(self, event: AuditEvent) -> None:
        row = event.model_dump() | {"time": time_text(event.time), "origin": event.origin.value}
        self._run(insert_into("audit_events", row), row)

    def settle(self, event: AuditEvent) -> None:
        told = event.model_dump(include={"id", "outcome", "project", "object"})
        self._run(_SETTLE, told | {"begun": BEGUN})

    def latest(self, wanted: AuditFilter, limit: int) -> Sequence[AuditEvent]:
        return self._events(wanted, [], {}, "DESC", limit)[::-1]

    def after(
        self, event: AuditEvent | None, wanted: AuditFilter, limit: int
    ) -> Sequence[AuditEvent]:
        if event is None:
            return self._events(wanted, [], {}, "ASC", limit)
        clause = "(time > :after OR (time = :after AND id > :after_id))"
        place = {"after": time_text(event.time), "after_id": event.id}
        return self._events(wanted, [clause], place, "ASC", limit)

    def forget(self, before: datetime) -> int:
        wanted = "time < :before"
        if not self._rows(f"SELECT 1 FROM audit_events WHERE {wanted} LIMIT 1", _before(before)):
            return 0  # nothing is written then
        return self._run(f"DELETE FROM audit_events WHERE {wanted}", _before(before))

    def _events(
        self, wanted: AuditFilter, clauses: list[str], given: Row, order: str, limit: int
    ) -> list[AuditEvent]:
        values = dict(given)
        for name, sign in (("since", ">="), ("until", "<")):
            if (time := getattr(wanted, name)) is not None:
                clauses = [*clauses, f"time {sign} :{name}"]
                values[name] = time_text(time)
        for name in _NAMES:
            if (value := getattr(wanted, name)) is not None:
                clauses = [*clauses, f"{name} = :{name}"]
                values[name] = value
        where = f"WHERE {' AND '.join(clauses)} " if clauses else ""
        rows = self._rows(
            f"SELECT * FROM audit_events {where}ORDER BY time {order}, id {order} LIMIT :most",
            values | {"most": limit},
        )
        return [AuditEvent.model_validate(row) for row in rows]


def _before(time: datetime) -> Row:
    return {"before": time_text(time)}
