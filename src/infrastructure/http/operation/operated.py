"""The parts of a server that are for its operators, around what it serves."""

import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from starlette.types import ASGIApp

from citeloom.application.audit.recorder import AuditedAction
from citeloom.application.ports.server.audit import AuditOrigin
from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.http.operation.audited_logins import AuditedLogins, Refusals
from citeloom.infrastructure.http.operation.audited_requests import AuditedRequests, RecordedActions
from citeloom.infrastructure.http.operation.figures import ServerFigures, listen
from citeloom.infrastructure.http.operation.health import Health, Readiness
from citeloom.infrastructure.http.operation.identified_requests import IdentifiedRequests
from citeloom.infrastructure.http.operation.metrics import Metrics, MetricsToken, rendered
from citeloom.infrastructure.http.operation.observed_requests import ObservedRequests
from citeloom.infrastructure.http.operation.rate_limit import RateLimit, RequestRates
from citeloom.infrastructure.http.protection.security_headers import SecurityHeaders
from citeloom.infrastructure.observability.meters import Meters
from citeloom.infrastructure.serving.jobs.job import AnyJob
from citeloom.infrastructure.serving.lanes import Lane

if TYPE_CHECKING:
    from fastapi import FastAPI

    from citeloom.infrastructure.composition.application import Application
    from citeloom.infrastructure.observability.tracing import Tracing
    from citeloom.infrastructure.serving.serving import Serving

_log: Final = logging.getLogger(__name__)


class Operated:
    """Of one server. ``lanes`` are those of its REST interface, where it has one."""

    def __init__(
        self,
        application: "Application",
        serving: "Serving",
        lanes: Sequence[Lane] = (),
        tracing: "Tracing | None" = None,
    ) -> None:
        self._tracing = tracing
        self._settings = application.settings
        self._meters = Meters()
        self._meters.registry.register(ServerFigures(application, serving, lanes))
        listen(self._meters, serving)
        self._render = rendered(self._meters)
        self._readiness = Readiness(application.operation.checks, serving)
        a_minute = application.settings.quota.requests_per_minute
        self._rates = RequestRates(a_minute, time.monotonic) if a_minute else None
        self._recorder = application.operation.recorder
        self._refusals = Refusals(self._recorder, time.monotonic)
        serving.jobs.hear_ends(self._job_ended)
        serving.at_end(lambda: self._refusals.flush(is_end=True))
        for lane in lanes:
            serving.at_end(lane.close)

    def recorded(self, rest: "FastAPI") -> ASGIApp:
        """The REST interface and the page, with what they do in the audit trail."""
        reads = self._settings.audit.reads
        rest.state.actions = RecordedActions(self._recorder, reads=reads)
        return AuditedRequests(rest, self._recorder)

    def known(self, app: ASGIApp) -> ASGIApp:
        """``app`` behind the login."""
        if self._rates:
            app = RateLimit(app, self._rates, self._settings.quota.requests_per_minute)
        return Metrics(IdentifiedRequests(app), self._render)

    def all(self, app: ASGIApp) -> ASGIApp:
        """``app`` with the login: all that is asked of the server."""
        if token := self._settings.serve.metrics_token.get_secret_value():
            app = MetricsToken(app, self._render, token)
        audited = AuditedLogins(app, self._recorder, self._refusals)
        answering: ASGIApp = SecurityHeaders(Health(audited, self._readiness))
        if self._tracing:
            from citeloom.infrastructure.http.operation.traced_requests import TracedRequests

            answering = TracedRequests(answering, self._tracing)
        return ObservedRequests(answering, self._meters, access=self._settings.log.access)

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
