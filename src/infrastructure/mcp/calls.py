"""Calls of tools: validated, run in the lane of the tool within a deadline, always answered."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar
from uuid import uuid4

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import NoBackChannelError
from mcp.types import (
    CallToolRequestParams,
    ContentBlock,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from citeloom.domain.errors import CiteLoomError, Refused, StorageFailed
from citeloom.domain.progress import Cancelled, checkpoint
from citeloom.infrastructure.observability import logged_with
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.lanes import LaneName, Report, unreported
from citeloom.infrastructure.serving.next_steps import UnknownTool
from citeloom.infrastructure.serving.served import AnsweredCall, CallRecord, Served

from .answers.contents import Content, refused
from .contract.arguments import read
from .contract.parameters import Parameters
from .protocol.resources import Illustrated
from .tools import Tool
from .visible import visible

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """Content of a response, which always has a ``correlation_id``, and the ``blocks`` that follow
    it."""

    content: Content
    is_error: bool = False
    blocks: tuple[ContentBlock, ...] = ()

    @property
    def outcome(self) -> str:
        """``done``, or the code of the error."""
        return str(self.content["error"]["code"]) if self.is_error else "done"


class Calls:
    """Answers calls of ``tools``. ``report`` receives the progress of a job that a call waits
    for, and its place while it waits for its turn."""

    def __init__(self, tools: Mapping[str, Tool], served: Served) -> None:
        self._tools = tools
        self._served = served

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], report: Report = unreported
    ) -> Answer:
        correlation_id, began = uuid4().hex, time.monotonic()
        audited = self._served.audit(correlation_id) if self._served.audit else None
        with logged_with(call=correlation_id):
            run = partial(self._run, name, arguments, report, audited)
            answer = await self._answered(name, run, correlation_id)
        if audited and audited.has_begun:
            await anyio.to_thread.run_sync(audited.end, answer.outcome)
        known = name if name in self._tools else ""
        told = AnsweredCall(known, answer.outcome, time.monotonic() - began)
        self._served.listeners.tell(told)
        return answer

    async def _answered(
        self,
        name: str,
        run: Callable[[], Awaitable[Content | Illustrated]],
        correlation_id: str,
    ) -> Answer:
        try:
            given = await self._served.under_way.run(run)
        except CiteLoomError as error:
            return _failed(error, correlation_id)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            message = f"{where}{error.strerror or error}; free space or check permissions"
            return _failed(StorageFailed(message), correlation_id)
        except Exception as error:
            _log.exception("%s [%s]", name, correlation_id)
            kind = type(error).__name__
            message = f"{name}: unexpected {kind}; the server's log has the details"
            return _failed(CiteLoomError(message, type=kind), correlation_id)
        told = given if isinstance(given, Illustrated) else Illustrated(given, ())
        return Answer({"correlation_id": correlation_id, **told.content}, blocks=told.blocks)

    async def _run(
        self, name: str, arguments: Mapping[str, Any], report: Report, audited: CallRecord | None
    ) -> Content | Illustrated:
        tool = self._tools.get(name)
        if tool is None:
            raise UnknownTool(name, self._tools)
        parameters = read(tool.parameters, arguments)
        work = partial(_started, tool, self._served, parameters, audited)
        content = await self._in_lane(tool, parameters, work, report)
        if not isinstance(content, Pending):
            return content
        job = content.job
        try:
            await content.due(report)
            answer = await self._in_lane(tool, parameters, content.answer, report)
        except anyio.get_cancelled_exc_class():
            if not self._served.under_way.is_ending:
                job.give_up()
            raise
        job.is_known = True
        return answer

    async def _in_lane(
        self, tool: Tool, parameters: Parameters, work: Callable[[], T], report: Report
    ) -> T:
        lane, instead = tool.lane, ""
        if tool.heavy_with and getattr(parameters, tool.heavy_with):
            lane, instead = LaneName.HEAVY, f"leave out {tool.heavy_with}"
        return await self._served.lanes[lane].run(
            tool.name, work, tool.seconds, report, instead=instead
        )


def _started(
    tool: Tool, served: Served, parameters: Parameters, audited: CallRecord | None
) -> Content | Illustrated | Pending:
    """What the handler returns. A job that a call began which was given up meanwhile is given up
    as well."""
    if audited:
        audited.begin(tool, parameters)
    content = tool.handler(served, parameters)
    try:
        checkpoint()
    except Cancelled:
        if isinstance(content, Pending):
            content.job.give_up()
        raise
    return content


def _failed(error: CiteLoomError, correlation_id: str) -> Answer:
    return Answer({**refused(error), "correlation_id": correlation_id}, is_error=True)


# From here on what a client is asked is the result of its call, which it repeats with the answer.
_ASKED_IN_RESULT: Final = "2026-07-28"
_QUESTION: Final = "removal"
_AGREES: Final = "agree"
_SHOWN: Final = 10
_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {_AGREES: {"type": "boolean", "title": "Remove them"}},
    "required": [_AGREES],
}


class NotConfirmed(Refused):
    """The user was asked and did not agree."""

    def __init__(self) -> None:
        super().__init__("the user did not agree; nothing was removed")


async def call_confirmed(
    calls: Calls, context: ServerRequestContext[Any], params: CallToolRequestParams, report: Report
) -> Answer | InputRequiredResult:
    """The call of a destructive tool. A client that can ask its user does: what a model says in
    ``confirm`` does not count there."""
    arguments = dict(params.arguments or {})
    if not _can_ask(context):
        return await calls(params.name, arguments, report)
    arguments.pop("confirm", None)
    answer = await calls(params.name, arguments, report)
    name = answer.content.get("confirm")
    if answer.is_error or name is None:
        return answer
    question = ElicitRequestFormParams(message=_question(answer.content), requested_schema=_SCHEMA)
    response: Any
    if context.protocol_version >= _ASKED_IN_RESULT:
        response = (params.input_responses or {}).get(_QUESTION)
        if response is None or params.request_state != name:
            asked = ElicitRequest(params=question)
            return InputRequiredResult(input_requests={_QUESTION: asked}, request_state=name)
    else:
        try:
            response = await context.session.elicit_form(
                question.message, _SCHEMA, related_request_id=context.request_id
            )
        except NoBackChannelError:  # it could show a form, but cannot be sent one here
            return await calls(params.name, params.arguments or {}, report)
    if _agrees(response):
        return await calls(params.name, {**arguments, "confirm": name}, report)
    declined = {**refused(NotConfirmed()), "correlation_id": answer.content["correlation_id"]}
    return Answer(declined, is_error=True)


def _can_ask(context: ServerRequestContext[Any]) -> bool:
    """Whether the client shows forms; one that names no kind of elicitation does."""
    capabilities = context.session.client_capabilities
    wanted = capabilities.elicitation if capabilities else None
    return wanted is not None and (wanted.form is not None or wanted.url is None)


def _agrees(response: Any) -> bool:
    return (
        isinstance(response, ElicitResult)
        and response.action == "accept"
        and (response.content or {}).get(_AGREES) is True
    )


def _question(content: Mapping[str, Any]) -> str:
    documents = list(content["documents"])
    more = len(documents) - _SHOWN
    lines = [f"- {line}" for line in documents[:_SHOWN]]
    if more > 0:
        lines.append(f"and {more} more")
    lines.append("Their passages are deleted; your own files stay.")
    head = f"Remove from the library: {content['confirm']}, {content['passages']} passages?"
    return str(visible("\n".join([head, *lines])))
