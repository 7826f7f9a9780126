"""Whose a request is, entered in its scope by who let it in."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from starlette.types import Scope

from citeloom.infrastructure.serving.http.token import is_token


@dataclass(frozen=True, slots=True)
class Caller:
    """``name`` is that of the principal; where a server has none all is empty. ``key`` is what the
    secret of the principal's pages is made from; it ends with its token. ``stamp`` is another one
    once a role was taken from the principal: what was kept for the former is not shown."""

    name: str = ""
    key: str = ""
    stamp: str = ""


#: Whoever may ask a server without principals.
ANYBODY: Final = Caller()


class TokenCheck(Protocol):
    """Whose a token is."""

    async def __call__(self, shown: str) -> Caller | None:
        """None for nobody's."""


class BrowserSessions(Protocol):
    """Cookies for the browsers of those who have shown a token."""

    async def begin(self, token: str) -> str | None:
        """The value of a cookie; None for a wrong token."""

    async def caller(self, cookie: str) -> Caller | None:
        """Whose browser it is; None for a cookie that does not hold."""


class OneToken:
    """The one token of a server without principals."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def __call__(self, shown: str) -> Caller | None:
        return ANYBODY if is_token(shown, self._token) else None


def let_in(scope: Scope, caller: Caller) -> None:
    """``scope["state"]["principal"]`` is the name. A session of MCP is its principal's alone: the
    SDK compares ``scope["user"]``."""
    scope.setdefault("state", {}).update(principal=caller.name, caller=caller)
    if caller.name:
        token = AccessToken(token="", client_id=caller.name, scopes=[])
        scope["user"] = AuthenticatedUser(token)


def caller_of(scope: Scope) -> Caller:
    """Raises KeyError for a request that was not let in."""
    caller: Any = scope["state"]["caller"]
    assert isinstance(caller, Caller)
    return caller


def caller_in(context: ServerRequestContext[Any]) -> Caller:
    """Of a request of MCP. Over standard input and output whoever started the process asks."""
    scope = getattr(context.request, "scope", None)
    return ANYBODY if scope is None else caller_of(scope)
