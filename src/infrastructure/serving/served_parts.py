"""What each principal of a server is served."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mcp.server.context import ServerRequestContext

from citeloom.infrastructure.composition.principals.views import PrincipalViews, Views
from citeloom.infrastructure.serving.http.caller import ANYBODY, Caller, caller_of
from citeloom.infrastructure.serving.jobs.background import background
from citeloom.infrastructure.serving.jobs.seen_jobs import SeenBackground
from citeloom.infrastructure.serving.served import Served

if TYPE_CHECKING:
    from citeloom.domain.access.rights import Rights


class ServedParts:
    """``whole`` for everybody; with ``views`` for each principal what it sees of it, and nothing
    for others."""

    def __init__(self, whole: Served, views: PrincipalViews | None = None) -> None:
        self.whole = whole
        self._views = views
        self._parts = Views(self._part)

    def of(self, context: ServerRequestContext[Any]) -> Served:
        """What the principal of a request is served. Over standard input and output whoever
        started the process asks."""
        return self.whole if self._views is None else self.of_caller(_caller(context))

    def name_of(self, context: ServerRequestContext[Any]) -> str:
        """The principal of a request; empty where there are none."""
        return "" if self._views is None else _caller(context).name

    def of_caller(self, caller: Caller) -> Served:
        """Raises PermissionError for nobody, where there are principals."""
        if self._views is None:
            return self.whole
        if caller.rights is None:
            raise PermissionError("a request of no principal was let in")
        return self.of_rights(caller.rights)

    def of_rights(self, rights: "Rights") -> Served:
        """``rights`` were read just now."""
        assert self._views is not None, "whole is served to everybody"
        self._views.of(rights)
        return self._parts.of(rights)

    def _part(self, rights: "Rights") -> Served:
        assert self._views is not None, "whole is served to everybody"
        seen = self._views.of(rights)
        own = background(seen, self.whole.models, self.whole.jobs.recorder)
        jobs = SeenBackground.of(self.whole.jobs, own, seen.jobs_seen)
        return replace(self.whole, application=seen, jobs=jobs)


def _caller(context: ServerRequestContext[Any]) -> Caller:
    scope = getattr(context.request, "scope", None)
    return ANYBODY if scope is None else caller_of(scope)
