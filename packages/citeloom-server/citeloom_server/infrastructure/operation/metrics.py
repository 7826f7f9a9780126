"""``/metrics``: the figures of the server in the text format of Prometheus."""

import hmac
from collections.abc import Callable
from typing import Final

import anyio.to_thread
from prometheus_client import generate_latest
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.infrastructure.serving.http.caller import caller_of
from citeloom.infrastructure.serving.http.token import shown_token
from citeloom_server.infrastructure.operation.meters import CONTENT_TYPE, Meters
from citeloom_server.infrastructure.principals.serving import PrincipalCaller

PATH: Final = "/metrics"

Render = Callable[[], bytes]
"""The figures as text; for a thread."""


class Metrics:
    """An ASGI application before another, which asks for the token: behind it the figures are
    answered to everybody, where there are principals to administrators."""

    def __init__(self, app: ASGIApp, render: Render) -> None:
        self._app = app
        self._render = render

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_asked(scope):
            caller = caller_of(scope)
            if isinstance(caller, PrincipalCaller) and not caller.rights.is_administrator:
                told = "/metrics: for administrators of this server\n"
                await PlainTextResponse(told, status_code=403)(scope, receive, send)
                return
            await answer(self._render, scope, receive, send)
        else:
            await self._app(scope, receive, send)


class MetricsToken:
    """An ASGI application before the one that asks for the server's token: who shows ``token`` is
    answered the figures, and nothing else."""

    def __init__(self, app: ASGIApp, render: Render, token: str) -> None:
        self._app = app
        self._render = render
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_asked(scope) and self._is_shown(scope):
            await answer(self._render, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_shown(self, scope: Scope) -> bool:
        shown = shown_token(Headers(scope=scope).get("authorization", "")) or ""
        return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), self._token)


def is_asked(scope: Scope) -> bool:
    return scope["type"] == "http" and scope["path"] == PATH and scope["method"] in ("GET", "HEAD")


def rendered(meters: Meters) -> Render:
    return lambda: generate_latest(meters.registry)


async def answer(render: Render, scope: Scope, receive: Receive, send: Send) -> None:
    text = await anyio.to_thread.run_sync(render)
    await Response(text, headers={"Content-Type": CONTENT_TYPE})(scope, receive, send)
