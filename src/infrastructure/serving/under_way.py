"""Calls under way: answered before the server ends."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import anyio

from citeloom.infrastructure.serving.errors import Interrupted

T = TypeVar("T")

# Seconds between two looks at whether calls are under way.
_PULSE: Final = 0.02


class CallsUnderWay:
    """Of one server; all methods are for the thread of its loop."""

    def __init__(self) -> None:
        self._scopes: set[anyio.CancelScope] = set()
        self.is_ending = False

    async def run(self, call: Callable[[], Awaitable[T]]) -> T:
        """What ``call`` returns. Raises Interrupted once the server ends."""
        if not self.is_ending:
            with anyio.CancelScope() as scope:
                self._scopes.add(scope)
                try:
                    return await call()
                finally:
                    self._scopes.discard(scope)
        raise Interrupted

    def end(self) -> None:
        """The server ends: calls under way are interrupted, as are later ones."""
        self.is_ending = True
        for scope in list(self._scopes):
            scope.cancel()

    async def ended(self) -> None:
        """Returns when no call is under way."""
        while self._scopes:
            await anyio.sleep(_PULSE)
