"""Health of the server at ``/health/live`` and ``/health/ready``, as probes ask for it.

Answers have the form of MicroProfile Health 4.0: statuses by name, and no reasons, which are in the
log. Anybody may ask.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.serving.http import Interceptor

if TYPE_CHECKING:
    from citeloom.infrastructure.serving.serving import Serving

    from .verbs import Check

LIVE: Final = "/health/live"
READY: Final = "/health/ready"
#: Seconds that a check has, and for which its result is told again: probes cost nothing.
CHECK_SECONDS: Final = 3.0
KEPT_SECONDS: Final = 2.0
_UP, _DOWN = "UP", "DOWN"

_log: Final = logging.getLogger(__name__)


class Readiness:
    """What a server needs to answer, checked on request. In addition to ``checks``: its models are
    loaded, and it is not stopping."""

    def __init__(self, checks: "Mapping[str, Check]", serving: "Serving") -> None:
        self._checks = checks
        self._serving = serving
        # A check that hangs keeps its thread, and later ones wait in vain: it is down.
        self._threads = {name: anyio.CapacityLimiter(1) for name in checks}
        self._checking = anyio.Lock()
        self._results: dict[str, bool] = {}
        self._checked_at = float("-inf")

    async def results(self) -> Mapping[str, bool]:
        async with self._checking:
            if time.monotonic() - self._checked_at > KEPT_SECONDS:
                await self._check()
                self._checked_at = time.monotonic()
        models = not self._serving.models.is_warming
        return {**self._results, "models": models, "server": not self._serving.is_leaving()}

    async def _check(self) -> None:
        found: dict[str, bool] = {}

        async def look(name: str) -> None:
            reason = await self._failure(name)
            found[name] = reason is None
            if reason and self._results.get(name, True):
                _log.warning("not ready: %s: %s", name, reason)
            elif not reason and not self._results.get(name, True):
                _log.warning("ready again: %s", name)

        async with anyio.create_task_group() as tasks:
            for name in self._checks:
                tasks.start_soon(look, name)
        self._results = found

    async def _failure(self, name: str) -> str | None:
        with anyio.move_on_after(CHECK_SECONDS):
            try:
                await anyio.to_thread.run_sync(
                    self._checks[name], abandon_on_cancel=True, limiter=self._threads[name]
                )
            except (CiteLoomError, OSError) as error:
                return str(error)
            except Exception as error:
                _log.exception("%s", name)
                return f"unexpected {type(error).__name__}"
            return None
        return f"no answer within {CHECK_SECONDS:g} s"


@dataclass(eq=False)
class Health(Interceptor):
    """An ASGI application before another."""

    readiness: Readiness

    async def answer(self, request: Request) -> Response | None:
        path = request.scope["path"]
        if path not in (LIVE, READY) or request.method not in ("GET", "HEAD"):
            return None
        return _report(await self.readiness.results() if path == READY else {})


def _report(results: Mapping[str, bool]) -> JSONResponse:
    is_up = all(results.values())
    checks = [{"name": name, "status": _UP if ok else _DOWN} for name, ok in results.items()]
    content = {"status": _UP if is_up else _DOWN, "checks": checks}
    return JSONResponse(content, 200 if is_up else 503)
