"""The parts of a server that are for its operators, around what it serves."""

from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from citeloom.infrastructure.http.operation.figures import ServerFigures, listen
from citeloom.infrastructure.http.operation.health import Health, Readiness
from citeloom.infrastructure.http.operation.metrics import Metrics, MetricsToken, rendered
from citeloom.infrastructure.http.operation.observed_requests import ObservedRequests
from citeloom.infrastructure.http.protection.security_headers import SecurityHeaders
from citeloom.infrastructure.mcp.lanes import Lane
from citeloom.infrastructure.observability.meters import Meters

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application
    from citeloom.infrastructure.mcp.server import Serving


class Operated:
    """Of one server. ``lane`` is that of its REST interface."""

    def __init__(self, application: "Application", serving: "Serving", lane: Lane) -> None:
        self._settings = application.settings
        self._meters = Meters()
        self._meters.registry.register(ServerFigures(application, serving, lane))
        listen(self._meters, serving)
        self._render = rendered(self._meters)
        self._readiness = Readiness(application.operation.checks, serving)

    def known(self, app: ASGIApp) -> ASGIApp:
        """``app`` behind the login."""
        return Metrics(app, self._render)

    def all(self, app: ASGIApp) -> ASGIApp:
        """``app`` with the login: all that is asked of the server."""
        if token := self._settings.serve.metrics_token.get_secret_value():
            app = MetricsToken(app, self._render, token)
        answering = SecurityHeaders(Health(app, self._readiness))
        return ObservedRequests(answering, self._meters, access=self._settings.log.access)
