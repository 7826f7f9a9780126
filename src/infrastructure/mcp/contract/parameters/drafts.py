"""Parameters of verify."""

from typing import Literal

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import Offset, Parameters, Text

MAX_DRAFT = 1_000_000
"""Characters of a draft that is handed over as text; a long book has that many."""


class VerifyParameters(Parameters):
    project: Text | None = None
    text: str | None = Field(default=None, max_length=MAX_DRAFT, description="the draft, or")
    path: Text | None = Field(default=None, description="its absolute path (also .docx)")
    format: Literal["markdown", "latex", "typst", "plain"] | None = Field(
        default=None, description="of text"
    )
    uncited: bool = Field(default=False, description="also facts without a citation")
    job_id: Text | None = Field(default=None, description="of a call")
    offset: Offset = 0
