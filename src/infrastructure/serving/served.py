"""What handlers work with."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from citeloom.application.audit.recorder import AuditRecorder
from citeloom.infrastructure.serving.call_listeners import CallListeners
from citeloom.infrastructure.serving.jobs.background import Background
from citeloom.infrastructure.serving.jobs.warm_models import WarmModels
from citeloom.infrastructure.serving.lanes import Lanes, lanes
from citeloom.infrastructure.serving.under_way import CallsUnderWay

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


JOB_SECONDS: Final = 15.0
#: Seconds that a call waits for a job: less than its deadline, so that the answer with the job id
#: is within it.
PATIENCE: Final = JOB_SECONDS - 1.0


class CallAudit(NamedTuple):
    """Where calls are recorded; with ``reads`` those that read, too."""

    recorder: AuditRecorder
    reads: bool


@dataclass(frozen=True, slots=True)
class Served:
    """A workspace as the tools see it; used by several threads at once.

    ``patience`` is how many seconds a call waits for a job before it returns the id. Calls run in
    threads of ``lanes``.
    """

    application: "Application"
    jobs: Background
    models: WarmModels
    patience: float
    lanes: Lanes = field(default_factory=lanes)
    under_way: CallsUnderWay = field(default_factory=CallsUnderWay)
    listeners: CallListeners = field(default_factory=CallListeners)
    audit: CallAudit | None = None
