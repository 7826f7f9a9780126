"""Each request as a trace: the request, the operation, its stages."""

from typing import Final

from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.domain.stages import measured
from citeloom_server.infrastructure.operation.identified_requests import PRINCIPAL, REQUEST_ID
from citeloom_server.infrastructure.operation.observed_requests import route_of
from citeloom_server.infrastructure.operation.tracing import Tracing

_FAILED: Final = 500
_TOLD: Final = {REQUEST_ID: "citeloom.request_id", PRINCIPAL: "citeloom.principal"}


class TracedRequests:
    """An ASGI application before another. A trace that the client has begun (``traceparent``, W3C
    Trace Context) goes on. Names are those of OpenTelemetry's conventions for HTTP; nothing that
    was asked or found is told."""

    def __init__(self, app: ASGIApp, tracing: Tracing) -> None:
        self._app = app
        self._tracing = tracing
        self._propagator = TraceContextTextMapPropagator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method, status = scope["method"], 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with (
            self._tracing.tracer.start_as_current_span(
                method,
                context=self._propagator.extract(dict(Headers(scope=scope))),
                kind=SpanKind.SERVER,
                record_exception=False,
                set_status_on_exception=False,
            ) as span,
            measured(self._tracing.stage),
        ):
            try:
                await self._app(scope, receive, noted)
            finally:
                route, state = route_of(scope), scope.get("state", {})
                span.update_name(f"{method} {route}")
                told = {name: state[key] for key, name in _TOLD.items() if state.get(key)}
                span.set_attributes({"http.request.method": method, "http.route": route} | told)
                if status:
                    span.set_attribute("http.response.status_code", status)
                if status >= _FAILED or not status:
                    span.set_status(StatusCode.ERROR)
