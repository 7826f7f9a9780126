"""An HTTP server's parts that MCP needs: streamable HTTP, names, tokens, the end of calls.

A client can read every paper, so the server binds to the loopback by default, and requires a token
elsewhere.
"""

import asyncio
import signal
import socket
import time
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from citeloom.domain.errors import ConfigurationError, Unavailable
from citeloom.infrastructure.settings.sections import split_names

from .http import (
    Failures,
    Gate,
    OneToken,
    ServerNames,
    TokenCheck,
    check_strength,
    is_loopback,
    names_of,
)
from .jobs.checks import MAX_DRAFT
from .served import Principals
from .serving import Serving

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp

    from citeloom.infrastructure.settings.sections import McpSettings

PATH: Final = "/mcp"
# A character of a draft takes at most six bytes of JSON (\\uXXXX).
_BODY_BYTES: Final = 6 * MAX_DRAFT + 100_000
# What calls may take that are answered when the server is stopped; streams never end.
_GRACE_SECONDS: Final = 1


def tokens_of(principals: Principals | None, token: str) -> TokenCheck | None:
    """The tokens that are wanted: those of principals, else the one of the server, if any."""
    if principals is not None:
        return principals.tokens
    return OneToken(token) if token else None


def names_and_token(
    wanted: "McpSettings", host: str, *, principals: bool = False
) -> tuple[ServerNames, str]:
    """The host names and the token that requests need. Raises ConfigurationError if a token is
    missing or weak, or if ``principals`` have tokens too."""
    token = wanted.token.get_secret_value()
    if token and principals:
        raise ConfigurationError(
            "mcp.token: the principals of this workspace have tokens of their own, and this one "
            "would belong to nobody; leave it out (CITELOOM_MCP__TOKEN), or remove the principals "
            "(citeloom access list)"
        )
    if token:
        check_strength(token)
    elif not principals and not is_loopback(host):
        raise ConfigurationError(
            f"mcp.token: anyone who reaches {host} could read every paper; set a token "
            "(CITELOOM_MCP__TOKEN; `citeloom mcp token` makes one), add principals (`citeloom "
            "access add`), or leave --host out to listen on this machine only"
        )
    named = [*names_of(host), *split_names(wanted.hosts)]
    return ServerNames(named, split_names(wanted.origins)), token


def streaming_app(server: Server[Any], *, stateless: bool = False) -> "Starlette":
    """The server at PATH; other routes may be added. ``stateless``: each request is whole by
    itself, as those since revision 2026-07-28 are in any case."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=stateless,
        max_request_body_size=_BODY_BYTES,
        # The gate compares names whole; the SDK's check takes what begins alike.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )


def gated(
    app: "ASGIApp",
    names: ServerNames,
    tokens: TokenCheck | None,
    failures: Failures | None = None,
    browsers: "ASGIApp | None" = None,
) -> "ASGIApp":
    """``app``, only for requests to one of ``names``, from pages of these, with one of ``tokens``
    if there are any; requests without a header ``Authorization`` then go to ``browsers``."""
    failures = failures or Failures(time.monotonic)
    return Gate(app, names, tokens, failures, anyio.sleep, browsers)


def _nothing() -> None: ...


def run_server(
    serving: Serving,
    app: "ASGIApp",
    listener: socket.socket,
    ready: Callable[[], None],
    ended: Callable[[], None] = _nothing,
    *,
    drain_seconds: float = 0.0,
) -> None:
    """Serve until the process is stopped; ``ended`` is called after the last answer, before the
    process may end in the middle of a job. For ``drain_seconds`` after SIGTERM the server still
    answers but is not ready, so a proxy sends requests elsewhere."""
    import uvicorn

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        ws="none",
        proxy_headers=False,  # anyone who sends the token could name any address
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    # The server handles both, and raises them once more when it has ended.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _go_on)
    serving.prepare()
    ready()

    class AnsweringServer(uvicorn.Server):
        """Answers the calls under way before it closes their connections."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if sig == signal.SIGTERM and drain_seconds and not serving.is_leaving():
                serving.leave()
                loop = asyncio.get_running_loop()
                loop.call_soon_threadsafe(loop.call_later, drain_seconds, self._end, sig, frame)
            else:
                self._end(sig, frame)

        def _end(self, sig: int, frame: FrameType | None) -> None:
            serving.end_calls()
            super().handle_exit(sig, frame)

    AnsweringServer(config).run(sockets=[listener])
    ended()
    serving.end()


def listener_at(host: str, port: int) -> socket.socket:
    """Raises Unavailable."""
    bare = host.strip("[]")
    family = socket.AF_INET6 if ":" in bare else socket.AF_INET
    try:
        listener = socket.create_server((bare, port), family=family)
        # Accepted connections have it too. Without it an answer in two pieces waits 40 ms for the
        # client's acknowledgement of the first.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        raise Unavailable(
            f"{host}:{port}: cannot listen there: {error.strerror or error}; choose another "
            "--port or --host",
            host=host,
            port=port,
        ) from error


def _go_on(_signal: int, _frame: object) -> None: ...
