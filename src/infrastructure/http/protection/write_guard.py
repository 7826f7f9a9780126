"""Who may change anything: requests that show the secret of this start of the server."""

import hmac
from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.infrastructure.http.problems import problem_response

HEADER: Final = "X-CiteLoom-Secret"
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Posted for the length of what they ask; nothing changes.
_ASKING: Final = frozenset({"/api/v1/query", "/api/v1/exports/quotations"})


class WriteGuard:
    """An ASGI application before another. What changes something needs the secret that is that of
    its request in the header, which no page of another origin can read; without one (a token is
    asked for instead) it is let through. With ``read_only`` nothing is."""

    def __init__(
        self, app: ASGIApp, secret_of: Callable[[Scope], str | None], *, read_only: bool
    ) -> None:
        self._app = app
        self._secret_of = secret_of
        self._read_only = read_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refused := self._refused(scope)):
            code, detail = refused
            response = problem_response(Request(scope), 403, code, detail)
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refused(self, scope: Scope) -> tuple[str, str] | None:
        if not may_change(scope):
            return None
        if self._read_only:
            return "READ_ONLY", "this server reads only (the setting mcp.read_only)"
        secret = self._secret_of(scope)
        if secret is None:
            return None
        shown = Headers(scope=scope).get(HEADER, "")
        if hmac.compare_digest(shown.encode("latin-1", "replace"), secret.encode()):
            return None
        what = "is another one: the server was started anew" if shown else "is missing"
        return (
            "SECRET_NEEDED",
            f"{HEADER}: {what}; the secret is in .citeloom/serve.json of the workspace",
        )


def may_change(scope: Scope) -> bool:
    """Whether a request could change anything."""
    return scope["method"] not in _READING and scope["path"] not in _ASKING
