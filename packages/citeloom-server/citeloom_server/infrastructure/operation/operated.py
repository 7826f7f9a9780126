"""The operator's part of a server, around its services."""

import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from starlette.types import ASGIApp

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.serving.extension import Operation
from citeloom.infrastructure.serving.jobs.job import AnyJob
from citeloom.infrastructure.serving.lanes import Lane
from citeloom_server.application.audit.ports import AuditOrigin
from citeloom_server.application.audit.recorder import AuditedAction
from citeloom_server.infrastructure.idempotency.requests import repeated_requests

from .audit import AuditedLogins, AuditedRequests, RecordedActions, Refusals
from .figures import Meters, Metrics, MetricsToken, ServerFigures, listen, rendered
from .health import Health, Readiness
from .requests import IdentifiedRequests, ObservedRequests, RateLimit, RequestRates
from .verbs import OperationVerbs

if TYPE_CHECKING:
    from fastapi import FastAPI

    from citeloom.infrastructure.serving.serving import Serving
    from citeloom.infrastructure.settings.sections import Settings

    from .tracing import Tracing

_log: Final = logging.getLogger(__name__)


class Operated(Operation):
    """The operation of one server. ``lanes`` are those of its REST interface, if any."""

    def __init__(
        self,
        verbs: OperationVerbs,
        settings: "Settings",
        serving: "Serving",
        lanes: Sequence[Lane] = (),
        tracing: "Tracing | None" = None,
    ) -> None:
        self._verbs = verbs
        self._serving = serving
        self._tracing = tracing
        self._settings = settings
        self._meters = Meters()
        self._meters.registry.register(ServerFigures(verbs, serving, lanes))
        listen(self._meters, serving)
        self._render = rendered(self._meters)
        self._readiness = Readiness(verbs.checks, serving)
        a_minute = settings.quota.requests_per_minute
        self._rates = RequestRates(a_minute, time.monotonic) if a_minute else None
        self._recorder = verbs.recorder
        self._refusals = Refusals(self._recorder, time.monotonic)
        serving.jobs.hear_ends(self._job_ended)
        serving.at_end(lambda: self._refusals.flush(is_end=True))
        if tracing:
            serving.at_end(tracing.end)

    def recorded(self, rest: "FastAPI") -> ASGIApp:
        """The REST interface and the page, with what they do in the audit trail."""
        recorded = RecordedActions(self._recorder, reads=self._settings.audit.reads)
        rest.state.begin = recorded.begin
        return AuditedRequests(rest, self._recorder)

    def once(self, app: ASGIApp) -> ASGIApp:
        return repeated_requests(app, self._verbs.stores, self._serving.jobs.recorder)

    def known(self, app: ASGIApp) -> ASGIApp:
        if self._rates:
            app = RateLimit(app, self._rates, self._settings.quota.requests_per_minute)
        return Metrics(IdentifiedRequests(app), self._render)

    def public(self, app: ASGIApp) -> ASGIApp:
        if token := self._settings.serve.metrics_token.get_secret_value():
            app = MetricsToken(app, self._render, token)
        audited = AuditedLogins(app, self._recorder, self._refusals)
        return Health(audited, self._readiness)

    def observed(self, app: ASGIApp) -> ASGIApp:
        if self._tracing:
            from .tracing import TracedRequests

            app = TracedRequests(app, self._tracing)
        return ObservedRequests(app, self._meters, self._settings.log.access)

    def _job_ended(self, job: AnyJob) -> None:
        action = AuditedAction(
            action=job.kind,
            origin=AuditOrigin.JOB,
            principal=job.owner,
            project=job.project,
            object=job.id,
            request_id=job.asker.request_id,
        )
        try:
            self._recorder.note(action, job.status.value)
        except CiteLoomError as error:
            _log.error("audit trail: the end of job %s is not recorded: %s", job.id, error)
