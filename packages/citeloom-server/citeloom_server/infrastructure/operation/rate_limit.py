"""Requests a minute of each principal, in this process."""

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from citeloom.infrastructure.http.problems import problem_response
from citeloom_server.infrastructure.operation.identified_requests import asker_of

#: Principals that are remembered; the one that asked longest ago is forgotten first.
MOST: Final = 10_000
_CODE: Final = "TOO_MANY_REQUESTS"
_STATIC: Final = "/static/"


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


class RateLimit:
    """An ASGI application before another, behind the login. Static files are not counted."""

    def __init__(self, app: ASGIApp, rates: RequestRates, a_minute: int) -> None:
        self._app = app
        self._rates = rates
        self._a_minute = a_minute

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(_STATIC):
            wait = math.ceil(self._rates.take(asker_of(scope).principal))
            if wait:
                detail = (
                    f"more than {self._a_minute} requests a minute (quota.requests_per_minute); "
                    f"ask again in {wait} s"
                )
                told = {"Retry-After": str(wait)}
                response = problem_response(Request(scope), 429, _CODE, detail, headers=told)
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)
