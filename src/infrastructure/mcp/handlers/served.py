"""What handlers work with."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from citeloom.infrastructure.mcp.jobs.background import Background
from citeloom.infrastructure.mcp.jobs.warm_models import WarmModels

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


@dataclass(frozen=True, slots=True)
class Served:
    """A workspace as the tools see it; used by several threads at once.

    ``patience`` is how many seconds a call waits for a job before it returns the id.
    """

    application: "Application"
    jobs: Background
    models: WarmModels
    patience: float
