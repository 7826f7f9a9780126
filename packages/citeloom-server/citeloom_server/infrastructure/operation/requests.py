"""Each request with an id, in the log and in the figures; and how many a minute a principal may
send to this process."""

import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from citeloom.domain.progress import measured
from citeloom.infrastructure.http.browser_login import LOGIN, LOGOUT
from citeloom.infrastructure.http.problems import PROBLEM, problem_response
from citeloom.infrastructure.observability import ACCESS, Asker, asked_by
from citeloom.infrastructure.serving.http import HttpMiddleware, Interceptor

from .figures import OTHER, PATH, Meters
from .health import LIVE, READY

#: Name in the state of a request.
PRINCIPAL = "principal"
REQUEST_ID = "request_id"


class IdentifiedRequests(HttpMiddleware):
    """An ASGI application before another, behind the login."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        with asked_by(asker_of(scope)):
            await self.app(scope, receive, send)


def asker_of(scope: Scope) -> Asker:
    state = scope.get("state", {})
    return Asker(state.get(PRINCIPAL, ""), state.get(REQUEST_ID, ""))


HEADER: Final = "X-Request-ID"
#: Of a request whose client was gone before an answer had started, as nginx counts it.
GONE: Final = 499
_FAILED: Final = 500
_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_API: Final = "/api/v1"
_STATIC: Final = "/static/"
_PROBES: Final = (LIVE, READY)
_FIXED: Final = frozenset(("/mcp", PATH, LOGIN, LOGOUT, *_PROBES))


@dataclass(eq=False)
class ObservedRequests(HttpMiddleware):
    """ASGI middleware before all others. The id is a plain ``X-Request-ID`` (letters, digits and
    ``._:-``, up to 100), else a new one, and the answer repeats it. With ``access`` each request is
    a line of the log, except probes of a healthy server."""

    meters: Meters
    access: bool

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        given = Headers(scope=scope).getlist(HEADER)
        request_id = given[0] if len(given) == 1 and _ID.fullmatch(given[0]) else uuid4().hex
        scope.setdefault("state", {})[REQUEST_ID] = request_id
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._count(scope, status, time.perf_counter() - began)
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        with asked_by(asker_of(scope)), measured(self.meters.stage):
            try:
                await self.app(scope, receive, noted)
            finally:
                if not status:
                    status = GONE
                    self._count(scope, status, time.perf_counter() - began)
                if self.access:
                    _log(scope, status, time.perf_counter() - began)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        self.meters.request(route_of(scope), scope["method"], status, seconds)


def route_of(scope: Scope) -> str:
    """The template of the path that answered (``/api/v1/projects/{namespace}/{name}``), never the
    path itself; ``other`` without a route."""
    path: str = scope["path"]
    template = getattr(scope.get("route"), "path", None)
    if template is not None:
        return f"{_API}{template}" if path.startswith(f"{_API}/") else str(template)
    if path in _FIXED:
        return path
    return f"{_STATIC}{{file}}" if path.startswith(_STATIC) else OTHER


def _log(scope: Scope, status: int, seconds: float) -> None:
    if scope["path"] in _PROBES and status < _FAILED:
        return
    route, milliseconds = route_of(scope), round(seconds * 1000, 1)
    fields = {
        "method": scope["method"],
        "route": route,
        "status": status,
        "ms": milliseconds,
    }
    state = scope["state"]
    fields |= {name: state[name] for name in (PRINCIPAL, PROBLEM) if state.get(name)}
    message = f"{scope['method']} {route} {status} {milliseconds} ms"
    ACCESS.info("%s", message, extra={"fields": fields})


#: Principals that are remembered; the one that asked longest ago is forgotten first.
MOST: Final = 10_000
_CODE: Final = "TOO_MANY_REQUESTS"


class RequestRates:
    """A token bucket a principal: ``a_minute`` requests at once, refilled evenly. For the thread
    of the loop; ``clock`` is in seconds."""

    def __init__(self, a_minute: int, clock: Callable[[], float]) -> None:
        self._most = float(a_minute)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, principal: str) -> float:
        """Seconds until it may ask again; 0: it may now, and that was one request."""
        now = self._clock()
        left, at = self._buckets.pop(principal, (self._most, now))
        left = min(self._most, left + (now - at) * self._most / 60.0)
        wait = 0.0 if left >= 1 else (1 - left) * 60.0 / self._most
        self._buckets[principal] = (left if wait else left - 1, now)
        if len(self._buckets) > MOST:
            self._buckets.popitem(last=False)
        return wait


@dataclass(eq=False)
class RateLimit(Interceptor):
    """An ASGI application before another, behind the login. Static files are not counted."""

    rates: RequestRates
    a_minute: int

    async def answer(self, request: Request) -> Response | None:
        if request.scope["path"].startswith(_STATIC):
            return None
        wait = math.ceil(self.rates.take(asker_of(request.scope).principal))
        if not wait:
            return None
        detail = (
            f"more than {self.a_minute} requests a minute (quota.requests_per_minute); "
            f"ask again in {wait} s"
        )
        told = {"Retry-After": str(wait)}
        return problem_response(request, 429, _CODE, detail, headers=told)
