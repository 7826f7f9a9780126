"""The HTTP server of a workspace: REST, and MCP at ``/mcp``, in one process."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from citeloom.infrastructure.http.app import rest_app
from citeloom.infrastructure.http.body_limit import BodyLimit
from citeloom.infrastructure.http.security_headers import SecurityHeaders
from citeloom.infrastructure.mcp.http.names import ServerNames, addresses
from citeloom.infrastructure.mcp.http.serving import (
    PATH,
    gated,
    listener_at,
    names_and_token,
    run_server,
    streaming_app,
)
from citeloom.infrastructure.mcp.server import Serving

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from citeloom.infrastructure.composition.application import Application

DEFAULT_PORT: Final = 8420
_BODY_BYTES: Final = 1_000_000


def serve(application: "Application", host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until the process is told to end (SIGINT, SIGTERM). ``port`` 0 is any that is free;
    ``tell`` hears the addresses. Raises ConfigurationError where a token is missing or weak,
    Unavailable where it cannot listen there."""
    names, token = names_and_token(application.settings.mcp, host)
    serving = Serving(application)
    listener = listener_at(host, port)
    app = http_app(application, serving, names, token)
    urls = addresses(host, listener.getsockname()[1], "")
    run_server(
        serving, app, listener, lambda: tell(f"serving {' '.join(urls)} (agents: {urls[0]}{PATH})")
    )


def http_app(
    application: "Application", serving: Serving, names: ServerNames, token: str
) -> "ASGIApp":
    """All of it, for requests to one of ``names``, from pages of these alone, with ``token`` where
    there is one."""
    app = streaming_app(serving.server)
    rest = BodyLimit(rest_app(application, serving), _BODY_BYTES)
    app.mount("/", SecurityHeaders(rest))
    return gated(app, names, token)
