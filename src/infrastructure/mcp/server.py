"""MCP server on the official SDK, over standard input and output."""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ToolDescription

import citeloom
from citeloom.infrastructure.mcp.audited_call import CallAudit
from citeloom.infrastructure.mcp.call_listeners import CallListeners
from citeloom.infrastructure.mcp.calls import Answer, Calls
from citeloom.infrastructure.mcp.confirmation import call_confirmed
from citeloom.infrastructure.mcp.contract.next_steps import offering
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.handlers.served_parts import ServedParts
from citeloom.infrastructure.mcp.jobs.background import Background, background
from citeloom.infrastructure.mcp.jobs.record.recorder import Recorder
from citeloom.infrastructure.mcp.jobs.view import Advance
from citeloom.infrastructure.mcp.jobs.warm_models import WarmModels
from citeloom.infrastructure.mcp.lanes import Lanes
from citeloom.infrastructure.mcp.protocol.identity import (
    CACHED,
    DESCRIPTION,
    ICONS,
    TITLE,
    instructions,
)
from citeloom.infrastructure.mcp.protocol.principal_requests import PrincipalRequests
from citeloom.infrastructure.mcp.protocol.prompts import get_prompt, list_prompts
from citeloom.infrastructure.mcp.protocol.resources import list_templates
from citeloom.infrastructure.mcp.protocol.subscriptions import ListSubscriptions
from citeloom.infrastructure.mcp.stdio import answering_stdio
from citeloom.infrastructure.mcp.tools.table import TOOLS, offered_tools
from citeloom.infrastructure.mcp.tools.tool import PATIENCE, Tool
from citeloom.infrastructure.mcp.visible import visible
from citeloom.infrastructure.system.locks.processes import new_process_name
from citeloom.infrastructure.system.threads import threads_end

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application
    from citeloom.infrastructure.composition.principals.views import PrincipalViews

# Clients kill a server that is still there two seconds after its input has ended.
_GRACE_SECONDS: Final = 0.7
# What writing the last answers may take.
_WRITING_SECONDS: Final = 0.1
# What shells give for a process that SIGTERM has ended.
_TERMINATED: Final = 128 + signal.SIGTERM
_log: Final = logging.getLogger(__name__)

_Handler = Callable[[ServerRequestContext[Any], Any], Awaitable[Any]]


class Serving:
    """A workspace that is served: ``server`` for any transport, and what is to be done before
    the first call and after the last. With ``views`` each principal is served its own."""

    def __init__(self, application: "Application", views: "PrincipalViews | None" = None) -> None:
        self._application = application
        self._is_leaving = False
        self.views = views
        self._at_end: list[Callable[[], None]] = []
        self._models = WarmModels(application.models.embedder)
        stores = application.stores
        recorder = Recorder(stores.job_record, stores.clock, new_process_name())
        most = application.settings.quota.jobs
        self._jobs = background(application, self._models, recorder, most)
        audit = CallAudit(application.operation.recorder, application.settings.audit.reads)
        self._served = Served(application, self._jobs, self._models, patience=PATIENCE, audit=audit)
        wanted = application.settings.mcp
        tools = offered_tools(read_only=wanted.read_only, names=wanted.tools)
        self.parts = ServedParts(self._served, views)
        self.server = build_server(self.parts, tools, stateless=wanted.stateless)

    @property
    def jobs(self) -> Background:
        """The jobs of this process, whichever interface they were begun over."""
        return self._jobs

    @property
    def lanes(self) -> Lanes:
        """The lanes of the tools."""
        return self._served.lanes

    @property
    def models(self) -> WarmModels:
        return self._models

    @property
    def calls(self) -> CallListeners:
        """Who hears of calls of tools."""
        return self._served.listeners

    def is_ending(self) -> bool:
        """Whether it ends now, and with it all calls and streams."""
        return self._served.under_way.is_ending

    def is_leaving(self) -> bool:
        """Whether the process was told to end, and asks others not to begin anything here."""
        return self._is_leaving or self.is_ending()

    def leave(self) -> None:
        """The process was told to end; it still answers."""
        self._is_leaving = True

    def prepare(self) -> None:
        _import_verbs(self._application)
        self._models.warm_up(lambda: _models_in_use(self._application))

    def end_calls(self) -> None:
        """Answer the calls under way: the server ends. For the thread of the loop, handlers of
        signals included."""
        asyncio.get_running_loop().call_soon_threadsafe(self._served.under_way.end)

    async def answered(self) -> None:
        """Returns when no call is under way, or after the time that is left for that."""
        with anyio.move_on_after(_GRACE_SECONDS):
            await self._served.under_way.ended()

    def stop(self, seconds: float = _GRACE_SECONDS) -> bool:
        """Interrupt jobs and begin no more calls; whether all has ended in time."""
        deadline = time.monotonic() + seconds
        for lane in self._served.lanes.values():
            lane.close()
        jobs_ended = self._jobs.stop(seconds)
        return self._models.settled(max(0.0, deadline - time.monotonic())) and jobs_ended

    def at_end(self, call: Callable[[], None]) -> None:
        """Call this when no call is answered any more and jobs have ended."""
        self._at_end.append(call)

    def end(self, code: int = 0) -> None:
        """End the process, with what runs in it. Jobs are left where they are: an ingest's
        converters end with the process, and the next ingest of the same source goes on."""
        deadline = time.monotonic() + _GRACE_SECONDS
        has_ended = self.stop()
        for call in self._at_end:
            call()
        if not has_ended or not threads_end(deadline):
            _log.warning("citeloom mcp: ended in the middle of its work")
            self._application.close()
            os._exit(code)


def serve(application: "Application") -> None:
    """Serve over standard input and output, until the input ends."""
    signal.signal(signal.SIGINT, _stop_at_once)
    serving = Serving(application)
    try:
        anyio.run(_serve_stdio, serving)
    except* OSError as lost:
        _log.warning("citeloom mcp: the client is gone: %s", lost.exceptions[0])
    serving.end()


def build_server(
    parts: ServedParts, tools: Mapping[str, Tool] = TOOLS, *, stateless: bool = False
) -> Server[Any]:
    """The server with its tools and resources, for any transport: each request is answered from
    what its principal is served. ``stateless``: without what needs a session."""

    # Once: over HTTP the SDK asks for the list with every call, and schemas take 0.1 s to make.
    listed = ListToolsResult(tools=[describe(tool) for tool in tools.values() if tool.listed])

    async def list_tools(
        _context: ServerRequestContext[Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return listed

    async def call_tool(
        context: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        async def report(advance: Advance) -> None:
            # Goes to clients only that have asked for it with a progress token.
            await context.session.report_progress(*advance)

        calls = Calls(tools, parts.of(context))
        tool = tools.get(params.name)
        if tool is None:
            unknown = visible((await calls(params.name, {})).content)
            raise MCPError(INVALID_PARAMS, unknown["error"]["message"], unknown)
        if not tool.destructive:
            return _result(await calls(params.name, params.arguments or {}, report))
        answer = await call_confirmed(calls, context, params, report)
        return answer if isinstance(answer, InputRequiredResult) else _result(answer)

    knowing = partial(_knowing, tools)
    subscriptions = ListSubscriptions(parts)

    requests = PrincipalRequests(parts)
    return Server(
        "citeloom",
        version=citeloom.__version__,
        title=TITLE,
        description=DESCRIPTION,
        icons=ICONS,
        instructions=instructions(tools),
        cache_hints=CACHED,
        lifespan=subscriptions.lifespan,
        on_list_tools=list_tools,
        on_call_tool=knowing(call_tool),
        on_list_resources=knowing(requests.list_resources),
        on_list_resource_templates=list_templates,
        on_read_resource=knowing(requests.read_resource),
        on_subscribe_resource=None if stateless else subscriptions.subscribe,
        on_unsubscribe_resource=None if stateless else subscriptions.unsubscribe,
        on_subscriptions_listen=subscriptions.listen,
        on_list_prompts=knowing(list_prompts),
        on_get_prompt=knowing(get_prompt),
        on_completion=knowing(requests.complete),
    )


def _knowing(tools: Collection[str], answered: _Handler) -> _Handler:
    """The same handler, which names tools of this server only."""

    async def answer(context: ServerRequestContext[Any], params: Any) -> Any:
        with offering(tools):
            return await answered(context, params)

    return answer


def describe(tool: Tool) -> ToolDescription:
    """A tool as clients see it."""
    return ToolDescription(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema,
        output_schema=tool.output,
        title=tool.title,
        annotations=ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.open_world,
        ),
    )


def _result(answer: Answer) -> CallToolResult:
    text = orjson.dumps(visible(answer.content), default=str, option=orjson.OPT_NON_STR_KEYS)
    return CallToolResult(
        content=[TextContent(type="text", text=text.decode()), *answer.blocks],
        # Read back: what is structured holds plain JSON and equals the text.
        structured_content=orjson.loads(text),
        is_error=answer.is_error,
    )


async def _serve_stdio(serving: Serving) -> None:
    # From here on the transport keeps standard output to itself: what libraries print goes
    # to standard error.
    server = serving.server
    async with answering_stdio() as (incoming, outgoing), anyio.create_task_group() as tasks:
        serving.prepare()
        if sys.platform != "win32":
            tasks.start_soon(_end_when_told, serving)
        await server.run(incoming, outgoing, server.create_initialization_options())
        tasks.cancel_scope.cancel()
        sys.stdout.flush()


async def _end_when_told(serving: Serving) -> None:
    """SIGTERM: calls under way are answered, then the process ends; the thread that reads the
    input cannot be woken."""
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        async for _ in signals:
            serving.end_calls()
            await serving.answered()
            await anyio.sleep(_WRITING_SECONDS)
            serving.end(_TERMINATED)
            os._exit(_TERMINATED)


def _import_verbs(application: "Application") -> tuple[object, ...]:
    """The verbs of the tools, imported before the first call has to wait for them."""
    return (
        application.ingest.files,
        application.search.query,
        application.projects.inspect,
        application.projects.projects,
        application.maps.structure,
        application.maps.resolve,
        application.resources.observe,
        application.verification.verify,
        application.research.review,
        application.research.sessions,
    )


def _models_in_use(application: "Application") -> list[str]:
    names = [project.embedding_model.name for project in application.stores.catalogue.projects()]
    return list(dict.fromkeys(names)) or [application.settings.embedding.default_model]


def _stop_at_once(_signal: int, _frame: object) -> None:
    """Ctrl-C: the thread that reads the input cannot be woken, so the process ends here. An
    ingest that this kills is finished by the next one."""
    os.write(2, b"stopped; what was finished is kept\n")
    os._exit(130)
