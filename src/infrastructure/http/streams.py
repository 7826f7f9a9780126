"""Streams of server-sent events: how many are open, and the waiting between two looks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

import anyio
import anyio.to_thread

from citeloom.infrastructure.serving.errors import Busy

T = TypeVar("T")
# Seconds between two looks at what a stream tells of.
_LOOK_SECONDS: Final = 0.25
# Streams open at once.
_MOST: Final = 32
# Threads that look, for all streams.
_LOOKING: Final = 2
_RETRY_SECONDS: Final = 5


class Streams:
    """The streams of a server; for the thread of its loop. ``is_ending``: the server ends, and
    they with it."""

    def __init__(self, is_ending: Callable[[], bool]) -> None:
        self._is_ending = is_ending
        self._open = 0
        self._threads = anyio.CapacityLimiter(_LOOKING)

    @contextmanager
    def opened(self, operation: str) -> Iterator[None]:
        """Raises Busy while as many are open as may be."""
        if self._open >= _MOST:
            raise Busy(operation, self._open, _RETRY_SECONDS)
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    async def pause(self) -> bool:
        """Wait until the next look; returns whether there is one."""
        await anyio.sleep(_LOOK_SECONDS)
        return not self._is_ending()

    async def look(self, read: Callable[[], T]) -> T:
        """What ``read`` returns, in a thread."""
        return await anyio.to_thread.run_sync(read, limiter=self._threads)
