"""The header ``Idempotency-Key``, which a package that plugs in understands.

After the Internet-Draft "The Idempotency-Key HTTP Header Field"
(draft-ietf-httpapi-idempotency-key-header-07).
"""

from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.http.guards import may_change
from citeloom.infrastructure.http.problems import problem_of
from citeloom.infrastructure.plugins import install_line

HEADER: Final = "Idempotency-Key"
REPLAYED: Final = "Idempotency-Replayed"
#: A string of structured fields, whose quotes may be left out.
KEY: Final = r'^("[ !#-\[\]-~]{1,255}"|[!#-\[\]-~]{1,255})$'
_API: Final = "/api/v1/"


def keys_of(scope: Scope) -> list[str]:
    """Those of a request that may change something."""
    if scope["type"] != "http" or not scope["path"].startswith(_API) or not may_change(scope):
        return []
    return Headers(scope=scope).getlist(HEADER)


class KeysRefused:
    """An ASGI application before another: who sends a key relies on it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not keys_of(scope):
            await self._app(scope, receive, send)
            return
        error = InvalidRequest(
            f"{HEADER}: this server cannot do a request only once; run "
            f"`{install_line('server')}` there, or send the request without it",
            parameter=HEADER,
        )
        await problem_of(Request(scope), error)(scope, receive, send)
