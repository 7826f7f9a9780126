"""Port of the audit trail: events of who did what over a server, and when."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol, Self

from pydantic import AwareDatetime, Field

from citeloom.domain.value import Value

#: Outcome of an event whose action has not ended, or whose end could not be recorded.
BEGUN: Final = "begun"
DONE: Final = "done"


class AuditOrigin(StrEnum):
    """The way of an action: the REST interface and the page, a tool, the login; ``JOB`` is the end
    of a job that one of them started."""

    REST = "rest"
    MCP = "mcp"
    LOGIN = "login"
    JOB = "job"


class AuditEvent(Value):
    """One action of one principal (empty if the server knows none). ``action`` is the name of an
    operation or a tool, ``object`` its object besides the project: a document, file, job or
    session. ``outcome`` is ``BEGUN``, ``DONE``, the state of a job, or the code or status of a
    refusal. ``count`` is more than 1 for merged refusals."""

    id: str = Field(min_length=1)
    time: AwareDatetime
    origin: AuditOrigin
    action: str = Field(min_length=1)
    principal: str = ""
    project: str = ""
    object: str = ""
    outcome: str = BEGUN
    request_id: str = ""
    count: int = Field(default=1, ge=1)

    def ended(self, outcome: str, *, project: str = "", object: str = "") -> Self:
        """The same event with its outcome and later details."""
        return self.model_copy(
            update={
                "outcome": outcome,
                "project": self.project or project,
                "object": self.object or object,
            }
        )


class AuditFilter(Value):
    """Which events are wanted: those of a time (``until`` excluded), and of these names."""

    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    principal: str | None = None
    project: str | None = None
    action: str | None = None
    outcome: str | None = None


class AuditTrail(Protocol):
    """Events in the order of their time. They are added, their outcome is set once, and they are
    deleted by age alone. Each method is one transaction, durable when it returns. Any may raise
    StorageFailed and WorkspaceTooNew. Reading creates nothing."""

    def append(self, event: AuditEvent) -> None: ...

    def settle(self, event: AuditEvent) -> None:
        """Set outcome, project and object of the event with this id, if it is ``BEGUN``."""

    def latest(self, wanted: AuditFilter, limit: int) -> Sequence[AuditEvent]:
        """The last runs, in order."""

    def after(
        self, event: AuditEvent | None, wanted: AuditFilter, limit: int
    ) -> Sequence[AuditEvent]:
        """The first ones after ``event``, or of all."""

    def forget(self, before: datetime) -> int:
        """Delete older entries; returns their number."""
