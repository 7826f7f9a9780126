"""MCP server on the official SDK, over standard input and output."""

import json
import logging
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

import anyio
import orjson
from anyio.abc import ObjectReceiveStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    InputRequiredResult,
    JSONRPCError,
    ListToolsResult,
    PaginatedRequestParams,
    RequestId,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ToolDescription
from pydantic import ValidationError

import citeloom
from citeloom.infrastructure.mcp.protocol.prompts import (
    CACHED,
    DESCRIPTION,
    ICONS,
    TITLE,
    get_prompt,
    instructions,
    list_prompts,
)
from citeloom.infrastructure.mcp.protocol.requests import Completions
from citeloom.infrastructure.mcp.protocol.resources import ResourceReader, list_templates
from citeloom.infrastructure.mcp.protocol.subscriptions import ListSubscriptions
from citeloom.infrastructure.serving.extension import server_extension
from citeloom.infrastructure.serving.jobs.job import Advance
from citeloom.infrastructure.serving.next_steps import offering
from citeloom.infrastructure.serving.served import ServedParts
from citeloom.infrastructure.serving.serving import Serving

from .calls import Answer, Calls, call_confirmed
from .tools import TOOLS, Tool, offered_tools
from .visible import visible

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.S)
# Characters in which the id of a message is looked for that is no JSON.
_SEARCHED: Final = 1_000_000


@asynccontextmanager
async def answering_stdio() -> AsyncIterator[tuple["AnsweringStream", WriteStream[SessionMessage]]]:
    """The SDK's streams over standard input and output; what cannot be read is answered."""
    async with stdio_server() as (incoming, outgoing):
        yield AnsweringStream(incoming, outgoing), outgoing


@dataclass(eq=False)
class AnsweringStream(ObjectReceiveStream[SessionMessage]):
    """Messages of ``incoming``. For each that could not be read a JSON-RPC error goes to
    ``outgoing``, with the id of the message if it has one; blank lines are skipped."""

    incoming: ReadStream[SessionMessage | Exception]
    outgoing: WriteStream[SessionMessage]

    @property
    def last_context(self) -> Context | None:
        """The context in which the last message was sent; the SDK runs its handler in it."""
        context: Context | None = getattr(self.incoming, "last_context", None)
        return context

    async def receive(self) -> SessionMessage:
        while isinstance(item := await self.incoming.receive(), Exception):
            if (error := _error(item)) is not None:
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    await self.outgoing.send(SessionMessage(error))
        return item

    async def aclose(self) -> None:
        await self.incoming.aclose()


def _error(unreadable: Exception) -> JSONRPCError | None:
    """None for a blank line."""
    problems = unreadable.errors() if isinstance(unreadable, ValidationError) else []
    if problems and problems[0]["type"] == "json_invalid":
        line = str(problems[0]["input"])
        if not line.strip():
            return None
        reason = problems[0]["ctx"]["error"]
        return _refusal(PARSE_ERROR, f"not readable as JSON: {reason}", _id_in(line))
    given = next((one["input"] for one in problems if isinstance(one["input"], Mapping)), {})
    return _refusal(
        INVALID_REQUEST,
        'not a JSON-RPC 2.0 message: one object a line, with "jsonrpc": "2.0" and a method',
        _id(given.get("id")),
    )


def _refusal(code: int, message: str, id: RequestId | None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message))


def _id_in(line: str) -> RequestId | None:
    """The id at the top of a message that is nearly JSON: with half a surrogate pair, or nested
    deeper than any parser reads."""
    depth, before = 0, ("", "")
    for match in _TOKEN.finditer(line, 0, _SEARCHED):
        token = match[0]
        if depth == 1 and before == ('"id"', ":"):
            with suppress(ValueError):
                return _id(json.loads(token))
            return None
        depth += (token in "{[") - (token in "}]")
        before = (before[1], token)
    return None


def _id(value: Any) -> RequestId | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


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

    def resources(context: ServerRequestContext[Any]) -> ResourceReader:
        served = parts.of(context)
        return ResourceReader(served.application, served.lanes)

    knowing = partial(_knowing, tools)
    subscriptions = ListSubscriptions(parts)

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
        on_list_resources=knowing(lambda context, params: resources(context).list(context, params)),
        on_list_resource_templates=list_templates,
        on_read_resource=knowing(lambda context, params: resources(context).read(context, params)),
        on_subscribe_resource=None if stateless else subscriptions.subscribe,
        on_unsubscribe_resource=None if stateless else subscriptions.unsubscribe,
        on_subscriptions_listen=subscriptions.listen,
        on_list_prompts=knowing(list_prompts),
        on_get_prompt=knowing(get_prompt),
        on_completion=knowing(lambda asked, params: Completions(parts.of(asked))(asked, params)),
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
