"""Parameters of the tools for structures and their nodes."""

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import Offset, Parameters, Text, declaring

MOST_BUDGET = 8000
# Clients send both, as CiteKit has them; an address is taken without a node too.
_BOTH = ("resource_id", "node_id")


class ResourcesParameters(Parameters):
    project: Text | None = None
    budget: int = Field(default=0, le=MOST_BUDGET)
    offset: Offset = 0


class StructureParameters(Parameters):
    """CiteKit's, with ``offset`` for maps that do not fit."""

    model_config = declaring("resource_id", "project")

    resource_id: Text = Field(description="citekey, title or id")
    project: Text | None = None
    offset: Offset = 0


class OutlineParameters(StructureParameters):
    model_config = declaring("resource_id", "node_id", "offset")

    node_id: Text | None = Field(default=None, description="only this part")


class NodeParameters(StructureParameters):
    model_config = declaring("resource_id", "node_id", "project")

    node_id: Text


class ResolveParameters(Parameters):
    model_config = declaring("resource_id", "node_id", "virtual", required=_BOTH)

    resource_id: Text = Field(description="document; or an address, [@key, p. 3]")
    node_id: str | None = Field(default=None, description="empty for an address")
    project: Text | None = None
    virtual: bool = Field(default=False, description="only say where it is")
