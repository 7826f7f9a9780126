"""ASGI applications that refuse what the one behind them must not see, and headers of answers.

The header ``Idempotency-Key``, which a package that plugs in understands. After the Internet-Draft
"The Idempotency-Key HTTP Header Field" (draft-ietf-httpapi-idempotency-key-header-07).
"""

import hmac
import re
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.plugins import install_line
from citeloom.infrastructure.serving.http import HttpMiddleware, Interceptor

from .problems import problem_of, problem_response

_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
# What no view uses: a script that came in all the same could not either.
_UNUSED: Final = (
    "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer",
    "microphone", "midi", "payment", "publickey-credentials-get", "screen-wake-lock", "serial",
    "usb", "xr-spatial-tracking",
)  # fmt: skip
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": ", ".join(f"{name}=()" for name in _UNUSED),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class SecurityHeaders(HttpMiddleware):
    """An ASGI application before another: no other page frames, embeds or reads its answers, a
    browser runs no script and loads nothing that this server does not send, and no cache shares
    what it answers."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                kept = "private, no-cache" if "etag" in headers else "no-store"
                headers.setdefault("Cache-Control", kept)
            await send(message)

        await self.app(scope, receive, guarded)


_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_DETAIL: Final = (
    "a web page of another origin cannot use this server, and another port is another origin; to "
    "allow it, list its origin in mcp.origins (CITELOOM_MCP__ORIGINS) and start the server again"
)


@dataclass(eq=False)
class OwnPages(Interceptor):
    """ASGI middleware: refuses what pages of another origin ask for, embed or send, also of another
    port of this machine, which shares cookies with this one. Links to this server may be followed.
    Requests without a page come from programs."""

    origins: Set[str]

    async def answer(self, request: Request) -> Response | None:
        if self._is_foreign(request):
            return problem_response(request, 403, "FOREIGN_PAGE", _DETAIL)
        return None

    def _is_foreign(self, request: Request) -> bool:
        headers = request.headers
        origin = headers.get("origin", "")
        if origin.lower() in self.origins:
            return False
        # Fetch Metadata (W3C): what the browser knows, whatever a proxy does to names and ports.
        # It is sent over TLS and on loopback.
        if site := headers.get("sec-fetch-site"):
            return site not in ("same-origin", "none") and not _follows_link(request)
        return bool(origin) and not _is_of(origin, headers.get("host", ""))


def _follows_link(request: Request) -> bool:
    """Whether a new tab or window opens; a frame does not count."""
    told = (request.headers.get("sec-fetch-mode"), request.headers.get("sec-fetch-dest"))
    return request.method in ("GET", "HEAD") and told == ("navigate", "document")


def _is_of(origin: str, host: str) -> bool:
    """Whether ``origin`` has the name and the port of a header ``Host``."""
    try:
        own, asked = urlsplit(origin), urlsplit(f"//{host}")
        default = _DEFAULT_PORTS.get(own.scheme)
        ports = (own.port or default, asked.port or default)
    except ValueError:  # a port that is none
        return False
    return own.hostname == asked.hostname and ports[0] == ports[1]


_CODE: Final = "TOO_LARGE"


@dataclass(eq=False)
class BodyLimit(HttpMiddleware):
    """ASGI middleware: refuses a body of more than ``most`` bytes, with or without a
    Content-Length. Paths that ``streamed`` matches have a limit of their own."""

    most: int
    streamed: re.Pattern[str]

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.streamed.fullmatch(scope["path"]):
            await self.app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "")
        # Servers refuse what is not a number.
        if told.isascii() and told.isdecimal() and int(told[:18]) > self.most:
            await self._refuse(scope, receive, send)
            return
        read, begun = 0, False

        async def limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            # The rest is not read: anyone who reads the body sees it end here.
            return {"type": "http.disconnect"} if read > self.most else message

        async def sending(message: Message) -> None:
            nonlocal begun
            if read <= self.most:
                await send(message)
            elif not begun:
                begun = True
                await self._refuse(scope, receive, send)

        await self.app(scope, limited, sending)
        if read > self.most and not begun:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = f"the body has more than {self.most:,} bytes; send less at once"
        response = problem_response(Request(scope), 413, _CODE, detail)
        await response(scope, receive, send)


SECRET_HEADER: Final = "X-CiteLoom-Secret"
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Posted for the length of what they ask; nothing changes.
_ASKING: Final = frozenset({"/api/v1/query", "/api/v1/exports/quotations"})


@dataclass(eq=False)
class WriteGuard(Interceptor):
    """An ASGI application before another. What changes something needs the secret that is that of
    its request in the header, which no page of another origin can read; without one (a token is
    asked for instead) it is let through. With ``read_only`` nothing is."""

    secret_of: Callable[[Scope], str | None]
    read_only: bool

    async def answer(self, request: Request) -> Response | None:
        if not may_change(request.scope):
            return None
        if self.read_only:
            detail = "this server is read-only (the setting mcp.read_only)"
            return problem_response(request, 403, "READ_ONLY", detail)
        secret = self.secret_of(request.scope)
        shown = request.headers.get(SECRET_HEADER, "").encode("latin-1", "replace")
        if secret is None or hmac.compare_digest(shown, secret.encode()):
            return None
        what = "is out of date: the server was restarted" if shown else "is missing"
        detail = f"{SECRET_HEADER}: {what}; the secret is in .citeloom/serve.json of the workspace"
        return problem_response(request, 403, "SECRET_NEEDED", detail)


def may_change(scope: Scope) -> bool:
    """Whether a request could change anything."""
    return scope["method"] not in _READING and scope["path"] not in _ASKING


HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
#: A string of structured fields, whose quotes may be left out.
KEY: Final = r'^("[ !#-\[\]-~]{1,255}"|[!#-\[\]-~]{1,255})$'
_API: Final = "/api/v1/"


def keys_of(scope: Scope) -> list[str]:
    """The idempotency keys of a request that may change something."""
    if scope["type"] != "http" or not scope["path"].startswith(_API) or not may_change(scope):
        return []
    return Headers(scope=scope).getlist(HEADER)


class KeysRefused(Interceptor):
    """ASGI middleware: refuses a request with a key, because its sender relies on it."""

    async def answer(self, request: Request) -> Response | None:
        if not keys_of(request.scope):
            return None
        error = InvalidRequest(
            f"{HEADER}: this server cannot do a request only once; run "
            f"`{install_line('server')}` there, or send the request without it",
            parameter=HEADER,
        )
        return problem_of(request, error)
