"""Standard input and output of the server, where a message that cannot be read gets an answer.

The SDK hands on what it cannot read as an exception, and no answer follows; a client would wait for
one until its own deadline.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from types import TracebackType
from typing import Any, Final, Self

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, RequestId
from pydantic import ValidationError

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.S)
# Characters in which the id of a message is looked for that is no JSON.
_SEARCHED: Final = 1_000_000


@asynccontextmanager
async def answering_stdio() -> AsyncIterator[tuple["AnsweringStream", WriteStream[SessionMessage]]]:
    """The SDK's streams over standard input and output; what cannot be read is answered."""
    async with stdio_server() as (incoming, outgoing):
        yield AnsweringStream(incoming, outgoing), outgoing


class AnsweringStream:
    """Messages of ``incoming``. For each that could not be read a JSON-RPC error goes to
    ``outgoing``, with the id of the message if it has one; blank lines are skipped."""

    def __init__(
        self,
        incoming: ReadStream[SessionMessage | Exception],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
        self._incoming = incoming
        self._outgoing = outgoing

    @property
    def last_context(self) -> Context | None:
        """The context in which the last message was sent; the SDK runs its handler in it."""
        context: Context | None = getattr(self._incoming, "last_context", None)
        return context

    async def receive(self) -> SessionMessage:
        while isinstance(item := await self._incoming.receive(), Exception):
            if (error := _error(item)) is not None:
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    await self._outgoing.send(SessionMessage(error))
        return item

    async def aclose(self) -> None:
        await self._incoming.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


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
