"""MCP server on the official SDK, over standard input and output."""

import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import cache, partial
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
from citeloom.infrastructure.serving.extension import server_extension
from citeloom.infrastructure.serving.jobs.job import Advance
from citeloom.infrastructure.serving.next_steps import offering
from citeloom.infrastructure.serving.served import ServedParts
from citeloom.infrastructure.serving.serving import Serving

from .calls import Answer, Calls, call_confirmed
from .protocol.prompts import (
    CACHED,
    DESCRIPTION,
    ICONS,
    TITLE,
    get_prompt,
    instructions,
    list_prompts,
)
from .protocol.requests import PrincipalRequests
from .protocol.resources import list_templates
from .protocol.subscriptions import ListSubscriptions
from .stdio import answering_stdio
from .tools import TOOLS, Tool, offered_tools
from .visible import visible

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application

# What writing the last answers may take.
_WRITING_SECONDS: Final = 0.1
# What shells give for a process that SIGTERM has ended.
_TERMINATED: Final = 128 + signal.SIGTERM
_log: Final = logging.getLogger(__name__)

_Handler = Callable[[ServerRequestContext[Any], Any], Awaitable[Any]]


def serve(application: "Application") -> None:
    """Serve over standard input and output, until the input ends."""
    signal.signal(signal.SIGINT, _stop_at_once)
    serving = Serving(application, audit=server_extension(application).call_audit())
    try:
        anyio.run(_serve_stdio, serving, mcp_server(serving))
    except* OSError as lost:
        _log.warning("citeloom mcp: the client is gone: %s", lost.exceptions[0])
    serving.end()


def mcp_server(serving: Serving) -> Server[Any]:
    """The tools that the settings offer, for any transport."""
    wanted = serving.settings.mcp
    tools = offered_tools(
        read_only=wanted.read_only,
        names=wanted.tools,
        has_model=bool(serving.settings.llm.url),
    )
    return build_server(serving.parts, tools, stateless=wanted.stateless)


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


@cache
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


async def _serve_stdio(serving: Serving, server: Server[Any]) -> None:
    # From here on the transport keeps standard output to itself: what libraries print goes
    # to standard error.
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


def _stop_at_once(_signal: int, _frame: object) -> None:
    """Ctrl-C: the thread that reads the input cannot be woken, so the process ends here. An
    ingest that this kills is finished by the next one."""
    os.write(2, b"stopped; what was finished is kept\n")
    os._exit(130)
