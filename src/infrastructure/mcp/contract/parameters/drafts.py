"""Parameters of verify."""

from typing import Literal

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import Offset, Parameters, Text, declaring
from citeloom.infrastructure.serving.jobs.checks import MAX_DRAFT

Markup = Literal["markdown", "latex", "typst", "plain"]


class VerifyParameters(Parameters):
    """The format of a text is guessed where it is not said."""

    model_config = declaring("project", "text", "path", "uncited")

    project: Text | None = None
    text: str | None = Field(default=None, max_length=MAX_DRAFT, description="the draft, or")
    path: Text | None = Field(default=None, description="its absolute path (also .docx)")
    format: Markup | None = None
    uncited: bool = Field(default=False, description="also facts without a citation")
    job_id: Text | None = None
    offset: Offset = 0
