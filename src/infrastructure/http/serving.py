"""The HTTP server of a workspace: REST, and MCP at ``/mcp``, in one process."""

import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from citeloom.infrastructure.mcp.server import mcp_server
from citeloom.infrastructure.serving.extension import Operation, ServerExtension, server_extension
from citeloom.infrastructure.serving.http import (
    Caller,
    Failures,
    ServerNames,
    addresses,
    caller_of,
    new_token,
)
from citeloom.infrastructure.serving.http_server import (
    PATH,
    gated,
    listener_at,
    names_and_token,
    run_server,
    streaming_app,
    tokens_of,
)
from citeloom.infrastructure.serving.served import Principals
from citeloom.infrastructure.serving.serving import Serving

from .app import rest_app
from .browser_login import BrowserLogin, TokenSessions, write_secret
from .guards import (
    BodyLimit,
    KeysRefused,
    OwnPages,
    SecurityHeaders,
    WriteGuard,
    secret_of_others,
    told_in,
)
from .lists import EntityTags

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from citeloom.infrastructure.composition.application import Application

_BODY_BYTES: Final = 1_000_000
_STREAMED: Final = re.compile(r"/api/v1/projects/[^/]+/[^/]+/uploads/[^/]+")


def serve(application: "Application", host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until the process is stopped (SIGINT, SIGTERM). ``port`` 0 is any that is free;
    ``tell`` hears the addresses. Raises ConfigurationError where a token is missing or weak,
    Unavailable where it cannot listen there."""
    extension, serving, names, token = _begun(application, host)
    listener = listener_at(host, port)
    secret = None
    if not token and serving.principals is None:
        secret = secret_of_others(application.workspace.home) or new_token()
    app = http_app(application, serving, names, token, secret, extension)
    urls = addresses(host, listener.getsockname()[1], "")
    told = f"serving {' '.join(urls)} (agents: {urls[0]}{PATH})"
    with ExitStack() as stack:
        stack.enter_context(told_in(application.workspace.home, urls[0], secret))
        run_server(
            serving,
            app,
            listener,
            lambda: tell(told),
            stack.close,
            drain_seconds=application.settings.serve.drain_seconds,
        )


def serve_agents(
    application: "Application", host: str, port: int, tell: Callable[[str], None]
) -> None:
    """Like ``serve``, with only MCP and the operators' part."""
    extension, serving, names, token = _begun(application, host)
    listener = listener_at(host, port)
    app = agents_app(application, serving, names, token, extension)
    urls = addresses(host, listener.getsockname()[1], PATH)
    drain = application.settings.serve.drain_seconds
    told = f"serving {' '.join(urls)}"
    run_server(serving, app, listener, lambda: tell(told), drain_seconds=drain)


def _begun(
    application: "Application", host: str
) -> tuple[ServerExtension, Serving, ServerNames, str]:
    """Raises ConfigurationError."""
    extension = server_extension(application)
    principals = extension.principals()
    wanted = application.settings.mcp
    names, token = names_and_token(wanted, host, principals=principals is not None)
    return extension, Serving(application, principals, extension.call_audit()), names, token


def agents_app(
    application: "Application",
    serving: Serving,
    names: ServerNames,
    token: str,
    extension: ServerExtension | None = None,
) -> "ASGIApp":
    """MCP and its operation, for requests to one of ``names``, from pages of these alone; with a
    ``token``, or those of principals, requests show one."""
    app = streaming_app(mcp_server(serving), stateless=application.settings.mcp.stateless)
    operation = (extension or server_extension(application)).operation(serving)
    tokens = tokens_of(serving.principals, token)
    return _public(operation, gated(OwnPages(operation.known(app), names.origins), names, tokens))


def http_app(
    application: "Application",
    serving: Serving,
    names: ServerNames,
    token: str,
    secret: str | None = None,
    extension: ServerExtension | None = None,
) -> "ASGIApp":
    """The whole application, for requests to one of ``names``, from pages of these alone. With a
    ``token``, or those of principals, requests send one, or browsers log in with it. Changes need
    ``secret`` if there is one; logged-in browsers always send that of the page."""
    app = streaming_app(mcp_server(serving), stateless=application.settings.mcp.stateless)
    tokens = tokens_of(serving.principals, token)
    read_only = application.settings.mcp.read_only
    page_secret = _page_secrets(serving.principals, token, secret)
    shown = (lambda _: None) if read_only else page_secret
    rest = rest_app(application, serving, shown, login=tokens is not None)
    lane = rest.state.access.lane
    serving.at_end(lane.close)
    operation = (extension or server_extension(application)).operation(serving, [lane])
    tagged = EntityTags(operation.recorded(rest))
    once = operation.once(tagged) or KeysRefused(tagged)
    limited = BodyLimit(once, _BODY_BYTES, _STREAMED)
    # A mount leaves out paths with a line feed.
    app.router.default = WriteGuard(
        limited, lambda _: None if tokens else secret, read_only=read_only
    )
    everything = OwnPages(operation.known(app), names.origins)
    if tokens is None:
        return _public(operation, gated(everything, names, None))
    failures = Failures(time.monotonic)
    # The cookie opens nothing of /mcp: agents show the token.
    known = operation.known(
        WriteGuard(limited, lambda scope: page_secret(caller_of(scope)), read_only=read_only)
    )
    principals = serving.principals
    sessions = principals.sessions if principals else TokenSessions(token, time.time)
    browsers = OwnPages(BrowserLogin(known, sessions, failures), names.origins)
    return _public(operation, gated(everything, names, tokens, failures, browsers))


def _public(operation: Operation, app: "ASGIApp") -> "ASGIApp":
    """``app`` behind the login, as clients reach it."""
    return operation.observed(SecurityHeaders(operation.public(app)))


def _page_secrets(
    principals: Principals | None, token: str, secret: str | None
) -> Callable[[Caller], str | None]:
    """What pages show with changes: of a principal its own, which ends with its token."""
    if principals is None:
        one = write_secret(token) if token else secret
        return lambda _: one
    return lambda caller: write_secret(caller.key) if caller.key else None
