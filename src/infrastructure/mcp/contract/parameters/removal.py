"""Parameters of remove."""

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import Keys, Parameters, Text

MAX_DOCUMENTS = 200


class RemoveParameters(Parameters):
    project: Text
    documents: Keys = Field(default=[], max_length=MAX_DOCUMENTS)
    confirm: str | None = None
