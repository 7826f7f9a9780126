"""Parameters of the tools for structures and their nodes."""

from typing import Any

from pydantic import ConfigDict, Field

from citeloom.infrastructure.mcp.contract.parameters.base import Parameters, Text


class ResourcesParameters(Parameters):
    project: Text | None = None
    budget: int = 0


class StructureParameters(Parameters):
    resource_id: Text = Field(description="citekey, title, id or path")
    project: Text | None = None


class NodeParameters(StructureParameters):
    node_id: Text


def _with_node(schema: dict[str, Any], _kind: type[Any]) -> None:
    """Clients send both, as CiteKit has them; an address is taken without a node too."""
    schema["required"] = ["resource_id", "node_id"]


class ResolveParameters(Parameters):
    model_config = ConfigDict(json_schema_extra=_with_node)

    resource_id: Text = Field(description="document; or an address, [@key, p. 3]")
    node_id: str | None = Field(default=None, description="empty for an address")
    project: Text | None = None
    virtual: bool = Field(default=False, description="only say where it is")
