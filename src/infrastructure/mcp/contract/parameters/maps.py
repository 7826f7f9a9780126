"""Parameters of the tools for structures and their nodes."""

from pydantic import Field

from citeloom.infrastructure.mcp.contract.parameters.base import Parameters, Text


class ResourcesParameters(Parameters):
    project: Text | None = None
    budget: int = 0


class StructureParameters(Parameters):
    resource_id: Text = Field(description="citekey, title, id or path")
    project: Text | None = None


class NodeParameters(StructureParameters):
    node_id: Text


class ResolveParameters(NodeParameters):
    virtual: bool = Field(default=False, description="only say where it is")
