"""Description of a tool."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from citeloom.infrastructure.mcp.answers.contents import Content, Reply
from citeloom.infrastructure.mcp.contract.parameters.base import Parameters
from citeloom.infrastructure.mcp.contract.schemas import input_schema, output_schema
from citeloom.infrastructure.mcp.protocol.blocks import Illustrated
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.lanes import LaneName


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: ``handler`` runs in a thread of its ``lane``, or of the heavy one where the parameter
    ``heavy_with`` is set; ``seconds`` is its deadline, from when it has begun there. One that is
    not ``listed`` is answered all the same: clients of older versions know its name.

    ``read_only``, ``destructive``, ``idempotent`` and ``open_world`` are the annotations of the
    protocol. A cache of what can be derived from the documents is no write.
    """

    name: str
    title: str
    description: str
    parameters: type[Parameters]
    answer: type[Reply]
    handler: Callable[..., Content | Illustrated | Pending]
    seconds: float
    lane: LaneName = LaneName.READING
    heavy_with: str | None = None
    listed: bool = True
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        return input_schema(self.parameters)

    @property
    def output(self) -> dict[str, Any]:
        return output_schema(self.answer)
