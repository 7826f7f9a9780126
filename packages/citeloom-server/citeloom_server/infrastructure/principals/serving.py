"""A server with principals: owners of tokens and browsers, and their verbs."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import anyio.to_thread
from mcp.server.context import ServerRequestContext

from citeloom.infrastructure.composition.application import Application
from citeloom.infrastructure.http.browser_login import SessionCookies
from citeloom.infrastructure.serving.http import Caller, caller_in
from citeloom.infrastructure.serving.jobs.background import background
from citeloom.infrastructure.serving.served import Served, ServedParts
from citeloom_server.application.access.access import AccessControl, browser_secret
from citeloom_server.application.access.ports import KnownToken
from citeloom_server.domain.access import Rights

from .seen_jobs import SeenBackground
from .store import access_control, principal_store
from .views import PrincipalViews, Views


def principals_of(application: Application) -> "WorkspacePrincipals | None":
    """None without principals in the workspace. Raises StorageFailed."""
    access = access_control(application)
    return WorkspacePrincipals(application, access) if access.all() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrincipalCaller(Caller):
    """A caller whose ``rights`` were read just now."""

    rights: Rights


class WorkspacePrincipals:
    """The principals of the workspace of ``whole``."""

    def __init__(self, whole: Application, access: AccessControl) -> None:
        self._whole = whole
        self._access = access

    @property
    def tokens(self) -> "PrincipalTokens":
        return PrincipalTokens(self._access.of_token)

    @property
    def sessions(self) -> "PrincipalSessions":
        return PrincipalSessions(self._access, time.time)

    def parts(self, whole: Served) -> "PrincipalParts":
        return PrincipalParts(whole, PrincipalViews(self._whole, principal_store(self._whole)))


class PrincipalTokens:
    """The tokens of principals, looked up with each request: one that was renewed, or whose
    principal was removed, has ended."""

    def __init__(self, known: Callable[[str], KnownToken | None]) -> None:
        self._known = known

    async def __call__(self, shown: str) -> Caller | None:
        known = await anyio.to_thread.run_sync(self._known, shown)
        return _caller(known) if known else None


class PrincipalSessions:
    """Browser sessions of principals. The cookie holds a secret derived from the token and an
    expiry, signed with the token's stored digest. So a reader of the database cannot make one, and
    a client cannot extend one. It ends with the token. ``now``: seconds since 1970."""

    def __init__(self, access: AccessControl, now: Callable[[], float]) -> None:
        self._access = access
        self._now = now

    async def begin(self, token: str) -> str | None:
        known = await anyio.to_thread.run_sync(self._access.of_token, token)
        return f"{browser_secret(token)}.{self._cookies(known).new()}" if known else None

    async def caller(self, cookie: str) -> Caller | None:
        secret, _, told = cookie.partition(".")
        if not secret or not told:
            return None
        known = await anyio.to_thread.run_sync(self._access.of_browser_secret, secret)
        if known is None or not self._cookies(known).is_valid(told):
            return None
        return _caller(known)

    def _cookies(self, known: KnownToken) -> SessionCookies:
        return SessionCookies(known.digests.token, self._now)


class PrincipalParts(ServedParts):
    """For each principal the visible part of ``whole``; nothing for others."""

    def __init__(self, whole: Served, views: PrincipalViews) -> None:
        super().__init__(whole)
        self._views = views
        self._parts = Views(self._part)

    def of(self, context: ServerRequestContext[Any]) -> Served:
        return self.of_caller(caller_in(context))

    def name_of(self, context: ServerRequestContext[Any]) -> str:
        return caller_in(context).name

    def of_caller(self, caller: Caller) -> Served:
        """Raises PermissionError for an unknown caller."""
        if not isinstance(caller, PrincipalCaller):
            raise PermissionError("a request without a principal was admitted")
        self._views.of(caller.rights)
        return self._parts.of(caller.rights)

    def _part(self, rights: Rights) -> Served:
        seen = self._views.of(rights)
        own = background(seen, self.whole.models, self.whole.jobs.recorder)
        jobs = SeenBackground.of(self.whole.jobs, own, seen.jobs_seen)
        return replace(self.whole, application=seen, jobs=jobs)


def _caller(known: KnownToken) -> PrincipalCaller:
    rights = known.rights
    return PrincipalCaller(rights.name, known.digests.token, rights.stamp, rights=rights)
