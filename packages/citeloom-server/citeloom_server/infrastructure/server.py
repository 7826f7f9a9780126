"""The server additions for a group."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.serving.extension import Operation, ServerExtension
from citeloom.infrastructure.serving.lanes import Lane
from citeloom.infrastructure.serving.served import CallAudit, Principals
from citeloom.infrastructure.serving.serving import Serving

from .operation.verbs import OperationVerbs

if TYPE_CHECKING:
    from .operation.tracing import Tracing


class GroupServer(ServerExtension):
    """The principals and the operation of a server. ``tracing`` replaces that of the settings."""

    def __init__(self, application: Application, tracing: "Tracing | None" = None) -> None:
        super().__init__(application)
        self._verbs = OperationVerbs(application.stores)
        self._tracing = tracing

    def principals(self) -> Principals | None:
        from .principals.serving import principals_of

        return principals_of(self.application)

    def call_audit(self) -> CallAudit:
        from .operation.audited_calls import AuditedCall

        return partial(AuditedCall, self._verbs.recorder, self.application.settings.audit.reads)

    def operation(self, serving: Serving, lanes: Sequence[Lane] = ()) -> Operation:
        """Raises ConfigurationError where traces are wanted and their extra is missing."""
        from .operation.operated import Operated

        settings, tracing = self.application.settings, self._tracing
        if settings.serve.traces and tracing is None:
            from .operation.tracing import start_tracing

            tracing = start_tracing()
        return Operated(self._verbs, settings, serving, lanes, tracing)
