"""What handlers work with."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citeloom.infrastructure.mcp.audited_call import CallAudit
from citeloom.infrastructure.mcp.call_listeners import CallListeners
from citeloom.infrastructure.mcp.jobs.background import Background
from citeloom.infrastructure.mcp.jobs.warm_models import WarmModels
from citeloom.infrastructure.mcp.lanes import Lanes, lanes
from citeloom.infrastructure.mcp.under_way import CallsUnderWay

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


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
