"""Requests besides tools: answered in a thread within a deadline, with the protocol's errors."""

import logging
from collections.abc import Callable
from typing import Final, TypeVar

from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

from citeloom.domain.errors import (
    CiteLoomError,
    Refused,
    StorageFailed,
    UsageError,
)
from citeloom.infrastructure.mcp.answers.refusal import refused
from citeloom.infrastructure.mcp.visible import visible
from citeloom.infrastructure.serving.lanes import LaneName, Lanes

_SECONDS: Final = 15.0
# Resource not found: revisions 2024-11-05 to 2025-11-25. From 2026-07-28 on it is -32602
# (SEP-2164).
_NOT_FOUND: Final = -32002
_ONE_CODE_SINCE: Final = "2026-07-28"

_T = TypeVar("_T")
_log: Final = logging.getLogger(__name__)


class Answering:
    """Requests that are no calls of tools, in the lane of those that look things up."""

    def __init__(self, lanes: Lanes) -> None:
        self._lane = lanes[LaneName.READING]

    async def run(self, what: str, work: Callable[[], _T], revision: str = _ONE_CODE_SINCE) -> _T:
        """``what`` names the request, ``revision`` is that of the protocol. Raises MCPError."""
        try:
            return await self._lane.run(what, work, _SECONDS)
        except CiteLoomError as error:
            raise told(error, revision) from error
        except OSError as error:
            failed = StorageFailed(f"{error.filename or what}: {error.strerror}")
            raise told(failed, revision) from error
        except MCPError:
            raise
        except Exception as error:
            _log.exception("%s", what)
            kind = type(error).__name__
            raise MCPError(
                INTERNAL_ERROR, f"{what}: unexpected {kind}; the server's log has the details"
            ) from error


def told(error: CiteLoomError, revision: str) -> MCPError:
    """An error with the code that ``revision`` has for it."""
    refusal = refused(error)["error"]
    message = visible(refusal["message"])
    data = visible({"code": error.code, **refusal["details"]})
    if isinstance(error, UsageError):
        return MCPError(INVALID_PARAMS, message, data)
    if isinstance(error, Refused):
        not_found = INVALID_PARAMS if revision >= _ONE_CODE_SINCE else _NOT_FOUND
        return MCPError(not_found, message, data)
    return MCPError(INTERNAL_ERROR, message, data)
