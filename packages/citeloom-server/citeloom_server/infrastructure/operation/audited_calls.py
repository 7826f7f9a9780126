"""A call of a tool in the audit trail: changes, and reads if that is set."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from citeloom.infrastructure.mcp.contract.parameters import Parameters
from citeloom.infrastructure.mcp.tools import Tool
from citeloom.infrastructure.observability import asker
from citeloom_server.application.audit.ports import AuditEvent, AuditOrigin
from citeloom_server.application.audit.recorder import AuditedAction, AuditRecorder

#: Of each tool that may change something, whether a call does. (What ``resolve`` cuts out goes into
#: a cache; ``remove`` without ``confirm`` says what it would do.)
CHANGES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "ingest_from_source": lambda _: True,
    "jobs": lambda asked: bool(asked.cancel),
    "remove": lambda asked: asked.confirm is not None,
    "resolve": lambda _: False,
    "review": lambda asked: asked.job_id is None or bool(asked.cancel),
    "table": lambda asked: bool(asked.questions or asked.drop),
}
_OBJECTS: Final = ("source", "documents", "document", "job_id", "place", "key")


class AuditedCall:
    """One call; with ``reads`` also one that reads. ``begin`` and ``end`` are for threads."""

    def __init__(self, recorder: AuditRecorder, reads: bool, correlation_id: str) -> None:
        self._recorder = recorder
        self._reads = reads
        self._correlation_id = correlation_id
        self._event: AuditEvent | None = None

    def begin(self, tool: Tool, parameters: Parameters) -> None:
        """Raises StorageFailed, because unrecorded changes must not be made."""
        is_change = not tool.read_only and CHANGES[tool.name](parameters)
        if is_change or self._reads:
            action = _action(tool, parameters, self._correlation_id)
            self._event = self._recorder.begin(action)

    @property
    def has_begun(self) -> bool:
        return self._event is not None

    def end(self, outcome: str) -> None:
        if self._event is not None:
            self._recorder.end(self._event, outcome)


def _action(tool: Tool, parameters: Parameters, correlation_id: str) -> AuditedAction:
    asked = asker()
    objects = (_named(getattr(parameters, name, None)) for name in _OBJECTS)
    return AuditedAction(
        action=tool.name,
        origin=AuditOrigin.MCP,
        principal=asked.principal,
        project=_named(getattr(parameters, "project", None)),
        object=next(filter(None, objects), ""),
        request_id=asked.request_id or correlation_id,
    )


def _named(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")
