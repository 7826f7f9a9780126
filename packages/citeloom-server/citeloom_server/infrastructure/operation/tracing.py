"""Traces of requests, their operations and stages by OpenTelemetry, sent by OTLP where the
``OTEL_`` variables of the environment say.

The one module that imports the SDK, which the extra ``otel`` installs, and only where traces are
wanted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from opentelemetry.trace import SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from citeloom.domain.errors import ConfigurationError
from citeloom.domain.progress import measured
from citeloom.infrastructure.serving.http import HttpMiddleware

from .requests import PRINCIPAL, REQUEST_ID, route_of

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

_NAME: Final = "citeloom"


class Tracing(NamedTuple):
    """The OpenTelemetry provider of one server."""

    provider: "TracerProvider"

    @property
    def tracer(self) -> "Tracer":
        return self.provider.get_tracer(_NAME)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A span of a stage. Errors are named by kind, because their messages quote values."""
        with self.tracer.start_as_current_span(
            name, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except Exception as error:
                span.set_attribute("error.type", getattr(error, "code", type(error).__name__))
                raise

    def end(self) -> None:
        """Send all waiting messages."""
        self.provider.shutdown()


def start_tracing() -> Tracing:
    """Spans of this process go out by OTLP over HTTP from now on, those of the MCP library as
    well. Raises ConfigurationError where the extra is missing."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise ConfigurationError(
            "serve.traces: the SDK of OpenTelemetry is not installed; run "
            '`pip install "citeloom[otel]"`, or leave the setting out',
            setting="serve.traces",
        ) from None
    from opentelemetry.trace import set_tracer_provider

    import citeloom

    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come before these.
    named = Resource.create({"service.version": citeloom.__version__})
    if named.attributes.get("service.name") in (None, "unknown_service"):
        named = named.merge(Resource({"service.name": _NAME}))
    provider = TracerProvider(resource=named)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    set_tracer_provider(provider)
    return Tracing(provider)


_FAILED: Final = 500
_TOLD: Final = {REQUEST_ID: "citeloom.request_id", PRINCIPAL: "citeloom.principal"}


@dataclass(eq=False)
class TracedRequests(HttpMiddleware):
    """ASGI middleware that continues the trace of the client (``traceparent``, W3C Trace Context).
    Names are those of OpenTelemetry's conventions for HTTP; no questions and no hits."""

    tracing: Tracing

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        method, status = scope["method"], 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with (
            self.tracing.tracer.start_as_current_span(
                method,
                context=TraceContextTextMapPropagator().extract(dict(Headers(scope=scope))),
                kind=SpanKind.SERVER,
                record_exception=False,
                set_status_on_exception=False,
            ) as span,
            measured(self.tracing.stage),
        ):
            try:
                await self.app(scope, receive, noted)
            finally:
                route, state = route_of(scope), scope.get("state", {})
                span.update_name(f"{method} {route}")
                told = {name: state[key] for key, name in _TOLD.items() if state.get(key)}
                span.set_attributes({"http.request.method": method, "http.route": route} | told)
                if status:
                    span.set_attribute("http.response.status_code", status)
                if status >= _FAILED or not status:
                    span.set_status(StatusCode.ERROR)
