"""Traces by OpenTelemetry, sent by OTLP where the ``OTEL_`` variables of the environment say.

The one module that imports the SDK, which the extra ``otel`` installs, and only where traces are
wanted.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from citeloom.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

_NAME: Final = "citeloom"


class Tracing(NamedTuple):
    """Of one server."""

    provider: "TracerProvider"

    @property
    def tracer(self) -> "Tracer":
        return self.provider.get_tracer(_NAME)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A span of a stage. Errors are told by their kind: their messages quote values."""
        with self.tracer.start_as_current_span(
            name, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except Exception as error:
                span.set_attribute("error.type", getattr(error, "code", type(error).__name__))
                raise

    def end(self) -> None:
        """Send what waits to be sent."""
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
