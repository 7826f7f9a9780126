"""Requests behind the login: done for the principal that the login has found."""

from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.infrastructure.observability.asker import Asker, asked_by

#: Name in the state of a request.
PRINCIPAL = "principal"
REQUEST_ID = "request_id"


class IdentifiedRequests:
    """An ASGI application before another, behind the login."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with asked_by(asker_of(scope)):
            await self._app(scope, receive, send)


def asker_of(scope: Scope) -> Asker:
    state = scope.get("state", {})
    return Asker(state.get(PRINCIPAL, ""), state.get(REQUEST_ID, ""))
