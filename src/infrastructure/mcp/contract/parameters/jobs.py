"""What jobs takes."""

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import Offset, Parameters, Text
from citeloom.infrastructure.mcp.contract.parameters.ingest import MAX_WAIT


class JobsParameters(Parameters):
    job_id: Text | None = Field(default=None, description="without it all are listed")
    wait_seconds: int = Field(default=0, ge=0, le=MAX_WAIT)
    cancel: bool = False
    offset: Offset = 0
