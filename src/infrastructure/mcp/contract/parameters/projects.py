"""Parameters of list_projects and inspect_collection."""

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import (
    Offset,
    Parameters,
    Text,
    declaring,
)

MAX_SAMPLE = 5


class InspectParameters(Parameters):
    """Without ``project`` the default one, or the only one."""

    model_config = declaring(required=["project"])

    project: Text | None = None
    sample: int = Field(default=0, ge=0, le=MAX_SAMPLE, description="passages")


class ListProjectsParameters(Parameters):
    offset: Offset = 0
