"""Which web pages a browser lets ask: those of this server, and those of configured origins."""

from collections.abc import Set
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.infrastructure.http.problems import problem_response

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_DETAIL: Final = (
    "a web page of another origin may ask this server for nothing, and another port is another "
    "origin; if it should, list its origin in mcp.origins (CITELOOM_MCP__ORIGINS) and start the "
    "server again"
)


class OwnPages:
    """An ASGI application before another. What a page of another origin asks for, embeds or sends
    is refused, that of another port of this machine as well, which shares cookies with this one.
    Links to here may be followed. Requests that name no page are those of programs."""

    def __init__(self, app: ASGIApp, origins: Set[str]) -> None:
        self._app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._is_foreign(scope):
            refused = problem_response(Request(scope), 403, "FOREIGN_PAGE", _DETAIL)
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_foreign(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        if origin.lower() in self._origins:
            return False
        # Fetch Metadata (W3C): what the browser knows, whatever a proxy does to names and ports.
        # It tells it over TLS and on loopback.
        if site := headers.get("sec-fetch-site"):
            return site not in ("same-origin", "none") and not _follows_link(scope, headers)
        return bool(origin) and not _is_of(origin, headers.get("host", ""))


def _follows_link(scope: Scope, headers: Headers) -> bool:
    """Whether a tab or window of its own opens; a frame is none."""
    told = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    return scope["method"] in ("GET", "HEAD") and told == ("navigate", "document")


def _is_of(origin: str, host: str) -> bool:
    """Whether ``origin`` has the name and the port of a header ``Host``."""
    try:
        own, asked = urlsplit(origin), urlsplit(f"//{host}")
        default = _DEFAULT_PORTS.get(own.scheme)
        ports = (own.port or default, asked.port or default)
    except ValueError:  # a port that is none
        return False
    return own.hostname == asked.hostname and ports[0] == ports[1]
