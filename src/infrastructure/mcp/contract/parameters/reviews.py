"""Parameters of review."""

from typing import Literal

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import Offset, Parameters, Text, declaring


class ReviewParameters(Parameters):
    model_config = declaring("project", "question", "depth", "job_id", "offset")

    project: Text | None = None
    question: Text | None = None
    depth: Literal["light", "medium", "extended"] | None = None
    job_id: Text | None = Field(default=None, description="or session_id, to go on")
    offset: Offset = 0
    cancel: bool = False
