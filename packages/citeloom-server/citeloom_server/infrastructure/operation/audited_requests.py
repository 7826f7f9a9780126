"""Requests in the audit trail: what changes something, and what reads where that is wanted.

A route is known when its dependencies run, and the outcome when its answer begins: the event is
written in between, twice.
"""

import re
from typing import Final

import anyio.to_thread
from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeloom.domain.errors import CiteLoomError
from citeloom.infrastructure.http.problems import PROBLEM, problem_of
from citeloom.infrastructure.http.protection.write_guard import may_change
from citeloom_server.application.audit.ports import DONE, AuditEvent, AuditOrigin
from citeloom_server.application.audit.recorder import AuditedAction, AuditRecorder
from citeloom_server.infrastructure.operation.identified_requests import asker_of

_EVENT: Final = "audit_event"
_READING: Final = "audited_reading"
_JSON: Final = "application/json"
_MADE: Final = re.compile(
    r"/api/v1/(?:projects/(?P<project>[^/]+/[^/]+)$|[a-z-]+/(?P<object>[^/]+))"
)


class RecordedActions:
    """What is recorded of the requests of an application, as they begin. With ``reads`` also what
    reads."""

    def __init__(self, recorder: AuditRecorder, *, reads: bool) -> None:
        self._recorder = recorder
        self._reads = reads

    async def begin(self, request: Request) -> None:
        """Raises StorageFailed: what cannot be recorded is not done."""
        if may_change(request.scope):
            action = _action(request, await _project(request))
            event = await anyio.to_thread.run_sync(self._recorder.begin, action)
            request.scope["state"][_EVENT] = event
        elif self._reads:
            request.scope["state"][_READING] = _action(request, await _project(request))


class AuditedRequests:
    """An ASGI application before another: no answer begins before its outcome is recorded. What
    was read and cannot be recorded is not answered."""

    def __init__(self, app: ASGIApp, recorder: AuditRecorder) -> None:
        self._app = app
        self._recorder = recorder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
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

        await self._app(scope, receive, recorded)

    def _record(self, state: dict[str, object], start: Message) -> None:
        event, reading = state.pop(_EVENT, None), state.pop(_READING, None)
        outcome = _outcome(state, start["status"])
        if isinstance(event, AuditEvent):
            project, object = _made(start)
            self._recorder.end(event, outcome, project=project, object=object)
        elif isinstance(reading, AuditedAction):
            self._recorder.note(reading, outcome)


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
    """Of the path, the query or the body, as it is written there."""
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
    """Project and object of the header ``Location``: what was made had no name before."""
    found = _MADE.match(Headers(raw=start["headers"]).get("location", ""))
    return (found["project"] or "", found["object"] or "") if found else ("", "")
