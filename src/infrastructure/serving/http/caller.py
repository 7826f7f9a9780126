"""Whose a request is: the principal of its token, entered in the scope."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol

import anyio.to_thread
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import Scope

from citeloom.application.ports.server.access import KnownToken
from citeloom.domain.access.rights import Rights
from citeloom.infrastructure.serving.http.token import is_token


class Caller(NamedTuple):
    """``name`` is that of the principal; where a server has none it is empty, and ``known`` is
    None."""

    name: str
    known: KnownToken | None

    @property
    def rights(self) -> Rights | None:
        return self.known.rights if self.known else None


#: Whoever may ask a server without principals.
ANYBODY: Final = Caller("", None)


class TokenCheck(Protocol):
    """Whose a token is."""

    async def __call__(self, shown: str) -> Caller | None:
        """None for nobody's."""


class OneToken:
    """The one token of a server without principals."""

    def __init__(self, token: str) -> None:
        self._token = token

    async def __call__(self, shown: str) -> Caller | None:
        return ANYBODY if is_token(shown, self._token) else None


class PrincipalTokens:
    """The tokens of principals, looked up with each request: one that was renewed, or whose
    principal was removed, has ended."""

    def __init__(self, known: Callable[[str], KnownToken | None]) -> None:
        self._known = known

    async def __call__(self, shown: str) -> Caller | None:
        known = await anyio.to_thread.run_sync(self._known, shown)
        return Caller(known.rights.name, known) if known else None


def let_in(scope: Scope, caller: Caller) -> None:
    """``scope["state"]["principal"]`` is the name. A session of MCP is its principal's alone: the
    SDK compares ``scope["user"]``."""
    scope.setdefault("state", {}).update(principal=caller.name, caller=caller)
    if caller.known is not None:
        token = AccessToken(token="", client_id=caller.name, scopes=[])
        scope["user"] = AuthenticatedUser(token)


def caller_of(scope: Scope) -> Caller:
    """Raises KeyError for a request that was not let in."""
    caller: Any = scope["state"]["caller"]
    assert isinstance(caller, Caller)
    return caller
