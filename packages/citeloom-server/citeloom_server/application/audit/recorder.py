"""The verb *record*: events of the audit trail, as actions begin and end."""

import logging
from datetime import datetime, timedelta
from typing import Final

from citeloom.application.ports.system import Clock
from citeloom.domain.errors import InvalidRequest, StorageFailed
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.value import Value

from .ports import DONE, AuditEvent, AuditOrigin, AuditTrail

# Between two looks at what is older than events are kept.
_LOOK: Final = timedelta(hours=1)
#: Characters of a name in an event; longer ones are cut.
LONGEST: Final = 300

_log: Final = logging.getLogger(__name__)


def project_name(written: str) -> str:
    """The ids of comma-separated projects; anything else stays as it is."""
    return ", ".join(map(_project_id, filter(None, map(str.strip, written.split(",")))))


def _project_id(written: str) -> str:
    try:
        return ProjectId.parse(written).value
    except InvalidRequest:
        return written


class AuditedAction(Value):
    """Who did what, to what, and in which request."""

    action: str
    origin: AuditOrigin
    principal: str = ""
    project: str = ""
    object: str = ""
    request_id: str = ""


class AuditRecorder:
    """Writes each event before its action, and the outcome before the answer. Those that are older
    than ``days`` are deleted meanwhile; 0 keeps all. For several threads."""

    def __init__(self, trail: AuditTrail, clock: Clock, *, days: int) -> None:
        self._trail = trail
        self._clock = clock
        self._kept = timedelta(days=days)
        self._looked_at: datetime | None = None

    def begin(self, action: AuditedAction) -> AuditEvent:
        """Durable when it returns. Raises StorageFailed: then it must not be done."""
        event = self._event(action)
        self._trail.append(event)
        self._forget_old()
        return event

    def end(self, event: AuditEvent, outcome: str, *, project: str = "", object: str = "") -> None:
        """Set the outcome. What was done stays done where that cannot be recorded: the event then
        stays ``BEGUN``, and the log says why."""
        ended = event.ended(outcome, project=project[:LONGEST], object=object[:LONGEST])
        try:
            self._trail.settle(ended)
        except StorageFailed as error:
            _log.error("audit trail: the outcome of %s is not recorded: %s", event.id, error)

    def note(self, action: AuditedAction, outcome: str = DONE, count: int = 1) -> None:
        """An event that is over. Raises StorageFailed."""
        told = {"outcome": outcome, "count": count}
        self._trail.append(self._event(action).model_copy(update=told))
        self._forget_old()

    def _event(self, action: AuditedAction) -> AuditEvent:
        named = action.model_dump() | {"project": project_name(action.project)}
        cut = {k: v[:LONGEST] if isinstance(v, str) else v for k, v in named.items()}
        return AuditEvent(id=self._clock.correlation_id(), time=self._clock.now(), **cut)

    def _forget_old(self) -> None:
        now = self._clock.now()
        if not self._kept or (self._looked_at and now - self._looked_at < _LOOK):
            return
        self._looked_at = now
        self._trail.forget(now - self._kept)
