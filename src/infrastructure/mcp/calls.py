"""Calls of tools: validated, run in a thread within a deadline, always answered."""

import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import uuid4

import anyio
import anyio.from_thread
import anyio.to_thread

from citeloom.domain.errors import CiteLoomError, OperationTimeout, StorageFailed
from citeloom.infrastructure.mcp.answers.search import Content, refused
from citeloom.infrastructure.mcp.contract.arguments import read
from citeloom.infrastructure.mcp.contract.errors import UnknownTool
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.jobs.queue import Advance
from citeloom.infrastructure.mcp.tools.tool import Tool

# Threads of their own: calls that overstay their deadline must not starve the transport,
# which reads its input in a thread too.
_THREADS: Final = 16

Report = Callable[[Advance], Coroutine[Any, Any, None]]

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """Content of a response; it always has a ``correlation_id``."""

    content: Content
    is_error: bool = False


async def unreported(_advance: Advance) -> None:
    """Discards reports."""


class Calls:
    """Answers calls of ``tools``. ``report`` receives the progress of a job that a call waits
    for."""

    def __init__(self, tools: Mapping[str, Tool], served: Served) -> None:
        self._tools = tools
        self._served = served
        self._threads = anyio.CapacityLimiter(_THREADS)

    async def __call__(
        self, name: str, arguments: Mapping[str, Any], report: Report = unreported
    ) -> Answer:
        correlation_id = uuid4().hex
        try:
            content = await self._run(name, arguments, report)
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
        return Answer({"correlation_id": correlation_id} | content)

    async def _run(self, name: str, arguments: Mapping[str, Any], report: Report) -> Content:
        tool = self._tools.get(name)
        if tool is None:
            raise UnknownTool(name, self._tools)
        work = partial(tool.handler, self._served, read(tool.parameters, arguments))
        if tool.waits:
            work = partial(work, tell=lambda advance: anyio.from_thread.run(report, advance))
        with anyio.move_on_after(tool.seconds):
            return await anyio.to_thread.run_sync(
                work, abandon_on_cancel=True, limiter=self._threads
            )
        raise OperationTimeout(name, tool.seconds)


def _failed(error: CiteLoomError, correlation_id: str) -> Answer:
    return Answer({**refused(error), "correlation_id": correlation_id}, is_error=True)
