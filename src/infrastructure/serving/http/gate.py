"""What is refused before a request is read: other host names, foreign web origins, wrong tokens."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.infrastructure.serving.http.caller import ANYBODY, TokenCheck, let_in
from citeloom.infrastructure.serving.http.clients import Failures, client_address
from citeloom.infrastructure.serving.http.names import ServerNames
from citeloom.infrastructure.serving.http.token import shown_token

_HEADERS: Final = ("mcp-session-id", "mcp-protocol-version", "www-authenticate")
_METHODS: Final = ("GET", "POST", "DELETE")
_LONGEST_NAME: Final = 100
# Refused names that are told in the log; a scanner must not fill it.
_MOST_TOLD: Final = 50

Sleep = Callable[[float], Awaitable[None]]

_log: Final = logging.getLogger(__name__)


class Gate:
    """An ASGI application before another. Pages of the configured origins may call it from a
    browser (CORS). With ``tokens`` one is wanted: a wrong one is answered later each time; a right
    one always at once, and ``browsers`` answers requests that have no header ``Authorization``.
    Whoever asks is entered in the scope."""

    def __init__(
        self,
        app: ASGIApp,
        names: ServerNames,
        tokens: TokenCheck | None,
        failures: Failures,
        sleep: Sleep,
        browsers: ASGIApp | None = None,
    ) -> None:
        self._names = names
        self._browsers = browsers
        self._tokens = tokens
        self._failures = failures
        self._sleep = sleep
        self._told: set[str] = set()
        self._app = app
        # Preflights show no token, so it is asked for behind them.
        self._answer: ASGIApp = (
            CORSMiddleware(
                self._with_token,
                allow_origins=sorted(names.origins),
                allow_methods=_METHODS,
                allow_headers=["*"],
                expose_headers=_HEADERS,
                allow_private_network=True,
            )
            if names.origins
            else self._with_token
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refused(scope)
        await (refused or self._answer)(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        local = (scope.get("server") or ("",))[0] or ""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._names.has_host(hosts[0], local):
            name = _shown(hosts)
            message = (
                f"{name}: not a name of this server; if it is one, list it in mcp.hosts "
                "(CITELOOM_MCP__HOSTS) and start the server again"
            )
            return self._told_once(message, 421)
        if origins and not (len(origins) == 1 and self._names.has_origin(origins[0], local)):
            name = _shown(origins)
            message = (
                f"{name}: web pages from there may not call this server; if they should, list it "
                "in mcp.origins (CITELOOM_MCP__ORIGINS) and start the server again"
            )
            return self._told_once(message, 403)
        return None

    def _told_once(self, message: str, status: int) -> Response:
        if message not in self._told and len(self._told) < _MOST_TOLD:
            self._told.add(message)
            _log.warning("citeloom mcp: %s", message)
        return PlainTextResponse(message + "\n", status_code=status)

    async def _with_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._tokens is None:
            let_in(scope, ANYBODY)
            await self._app(scope, receive, send)
            return
        authorization = Headers(scope=scope).get("authorization", "")
        if self._browsers is not None and not authorization:
            await self._browsers(scope, receive, send)
            return
        client = client_address(scope)
        if self._failures.is_full(client):
            busy = PlainTextResponse(
                "too many wrong tokens from this address; wait, then try again\n",
                status_code=429,
                headers={"Retry-After": "60"},
            )
            await busy(scope, receive, send)
            return
        shown = shown_token(authorization)
        caller = await self._tokens(shown) if shown is not None else None
        if caller is not None:
            let_in(scope, caller)
            await self._app(scope, receive, send)
            return
        if authorization:
            try:
                await self._sleep(self._failures.begin(client))
            finally:
                self._failures.end(client)
        await _unauthorized(wrong=bool(authorization))(scope, receive, send)


def _unauthorized(*, wrong: bool) -> Response:
    """RFC 6750, section 3: without an error where nothing was shown. No ``resource_metadata``:
    nobody issues tokens but the user."""
    challenge = 'Bearer realm="citeloom"' + (', error="invalid_token"' if wrong else "")
    return PlainTextResponse(
        "this server wants its token: send the header `Authorization: Bearer TOKEN`\n",
        status_code=401,
        headers={"WWW-Authenticate": challenge},
    )


def _shown(values: list[str]) -> str:
    """Header values of others, printable and cut."""
    text = ", ".join(values) or "no host name"
    return text[:_LONGEST_NAME].encode("ascii", "backslashreplace").decode()
