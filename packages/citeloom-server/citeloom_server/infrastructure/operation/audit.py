"""Requests and log-ins in the audit trail: changes, and reads if that is set.

A route is known when its dependencies run, and the outcome when its answer begins: the event is
written in between, twice.
"""

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, NamedTuple

import anyio.to_thread
from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.http.browser_login import LOGIN, LOGOUT
from citeloom.infrastructure.http.guards import may_change
from citeloom.infrastructure.http.problems import PROBLEM, problem_of
from citeloom.infrastructure.observability import Asker
from citeloom.infrastructure.serving.http import HttpMiddleware, client_address
from citeloom_server.application.audit.ports import DONE, AuditEvent, AuditOrigin
from citeloom_server.application.audit.recorder import AuditedAction, AuditRecorder

from .requests import asker_of

_EVENT: Final = "audit_event"
_READING: Final = "audited_reading"
_JSON: Final = "application/json"
_MADE: Final = re.compile(
    r"/api/v1/(?:projects/(?P<project>[^/]+/[^/]+)$|[a-z-]+/(?P<object>[^/]+))"
)


class RecordedActions:
    """Records the requests of an application as they begin. With ``reads`` also reading ones."""

    def __init__(self, recorder: AuditRecorder, *, reads: bool) -> None:
        self._recorder = recorder
        self._reads = reads

    async def begin(self, request: Request) -> None:
        """Raises StorageFailed, because unrecorded changes must not be made."""
        if may_change(request.scope):
            action = _action(request, await _project(request))
            event = await anyio.to_thread.run_sync(self._recorder.begin, action)
            request.scope["state"][_EVENT] = event
        elif self._reads:
            request.scope["state"][_READING] = _action(request, await _project(request))


@dataclass(eq=False)
class AuditedRequests(HttpMiddleware):
    """An ASGI application before another: no answer begins before its outcome is recorded. What
    was read and cannot be recorded is not answered."""

    recorder: AuditRecorder

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope.setdefault("state", {})
        is_refused = False

        async def recorded(message: Message) -> None:
            nonlocal is_refused
            if message["type"] == "http.response.start" and (_EVENT in state or _READING in state):
                try:
                    await anyio.to_thread.run_sync(self._record, state, message)
                except CiteLoomError as error:
                    is_refused = True
                    await problem_of(Request(scope), error)(scope, receive, send)
            if not is_refused:
                await send(message)

        await self.app(scope, receive, recorded)

    def _record(self, state: dict[str, object], start: Message) -> None:
        event, reading = state.pop(_EVENT, None), state.pop(_READING, None)
        outcome = _outcome(state, start["status"])
        if isinstance(event, AuditEvent):
            project, object = _made(start)
            self.recorder.end(event, outcome, project=project, object=object)
        elif isinstance(reading, AuditedAction):
            self.recorder.note(reading, outcome)


def _action(request: Request, project: str) -> AuditedAction:
    asked, named = asker_of(request.scope), dict(request.path_params)
    for name in ("namespace", "name"):
        named.pop(name, None)
    return AuditedAction(
        action=request.scope["route"].name,
        origin=AuditOrigin.REST,
        principal=asked.principal,
        project=project,
        object=" ".join(map(str, named.values())),
        request_id=asked.request_id,
    )


async def _project(request: Request) -> str:
    """The project in the path, the query or the body, as written there."""
    path = request.path_params
    if "namespace" in path and "name" in path:
        return f"{path['namespace']}/{path['name']}"
    if project := request.query_params.get("project"):
        return project
    if request.headers.get("content-type", "").partition(";")[0] != _JSON:
        return ""
    try:
        body = await request.json()
    except ValueError:
        return ""
    named = body.get("project") if isinstance(body, dict) else None
    return named if isinstance(named, str) else ""


def _outcome(state: dict[str, object], status: int) -> str:
    return DONE if status < 400 else str(state.get(PROBLEM) or status)


def _made(start: Message) -> tuple[str, str]:
    """Project and object of the header ``Location``, because a new object had no name before."""
    found = _MADE.match(Headers(raw=start["headers"]).get("location", ""))
    return (found["project"] or "", found["object"] or "") if found else ("", "")


#: Statuses of requests that were refused for who asks, or where from.
REFUSED: Final = frozenset((401, 403, 421, 429))
#: Seconds in which refusals of an address are told together.
SECONDS: Final = 60.0
#: Addresses that are told apart in that time; more are ``OTHERS`` together.
MOST: Final = 16
OTHERS: Final = "others"
_SEE_OTHER: Final = 303
_ACTIONS: Final = {LOGIN: "log_in", LOGOUT: "log_out"}

_log: Final = logging.getLogger(__name__)


class _RefusalKind(NamedTuple):
    address: str
    status: int
    principal: str


class Refusals:
    """Refusals of a server: of an address the first is an event at once, those that follow are one
    event a minute. Guessing tokens fills no disk. For several threads."""

    def __init__(self, recorder: AuditRecorder, clock: Callable[[], float]) -> None:
        self._recorder = recorder
        self._clock = clock
        self._lock = Lock()
        self._counts: dict[_RefusalKind, int] = {}
        self._since = clock()

    def add(self, address: str, status: int, asked: Asker) -> bool:
        """Returns whether it waits to be merged with others."""
        with self._lock:
            known = {kind.address for kind in self._counts}
            named = address if address in known or len(known) < MOST else OTHERS
            kind = _RefusalKind(named, status, asked.principal)
            is_first = kind not in self._counts
            self._counts[kind] = self._counts.get(kind, 0) + (not is_first)
        if is_first:
            self._note(kind, 1, asked.request_id)
        return not is_first

    def flush(self, *, is_end: bool = False) -> None:
        """Notify waiting listeners whose time is over."""
        with self._lock:
            if not is_end and self._clock() - self._since < SECONDS:
                return
            counts, self._counts, self._since = self._counts, {}, self._clock()
        for kind, count in counts.items():
            if count:
                self._note(kind, count, "")

    def _note(self, kind: _RefusalKind, count: int, request_id: str) -> None:
        action = AuditedAction(
            action="refuse",
            origin=AuditOrigin.LOGIN,
            principal=kind.principal,
            object=kind.address,
            request_id=request_id,
        )
        try:
            self._recorder.note(action, str(kind.status), count)
        except CiteLoomError as error:
            _log.error("audit trail: %d refusals are not recorded: %s", count, error)


@dataclass(eq=False)
class AuditedLogins(HttpMiddleware):
    """An ASGI application before the login. A log-in is recorded before it is answered."""

    recorder: AuditRecorder
    refusals: Refusals
    _is_waiting: bool = field(default=False, init=False)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def recorded(message: Message) -> None:
            if message["type"] == "http.response.start":
                await self._record(scope, message["status"])
            await send(message)

        await self.app(scope, receive, recorded)

    async def _record(self, scope: Scope, status: int) -> None:
        action = _ACTIONS.get(scope["path"]) if scope["method"] == "POST" else None
        if status in REFUSED:
            asyncio.get_running_loop().run_in_executor(None, self._refuse, scope, status)
            self._tell_later()
        elif action and status == _SEE_OTHER:
            asked = asker_of(scope)
            told = AuditedAction(
                action=action,
                origin=AuditOrigin.LOGIN,
                principal=asked.principal,
                object=client_address(scope),
                request_id=asked.request_id,
            )
            await anyio.to_thread.run_sync(self.recorder.note, told, DONE)

    def _refuse(self, scope: Scope, status: int) -> None:
        self.refusals.flush()
        self.refusals.add(client_address(scope), status, asker_of(scope))

    def _tell_later(self) -> None:
        if not self._is_waiting:
            self._is_waiting = True
            asyncio.get_running_loop().call_later(SECONDS, self._tell)

    def _tell(self) -> None:
        self._is_waiting = False
        asyncio.get_running_loop().run_in_executor(None, self.refusals.flush)
