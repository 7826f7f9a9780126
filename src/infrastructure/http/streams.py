"""Streams of server-sent events: how many are open, the waiting between two looks, and the numbers
of events, by which a client goes on where it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Final, TypeVar

import anyio
import anyio.to_thread
from fastapi import Header, Query

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.serving.errors import Busy

T = TypeVar("T")
# Seconds between two looks at what a stream tells of.
_LOOK_SECONDS: Final = 0.25
# Streams open at once.
_MOST: Final = 32
# Threads that look, for all streams.
_LOOKING: Final = 2
_RETRY_SECONDS: Final = 5
HEADER: Final = "Last-Event-ID"
_HIGHEST: Final = 2**53 - 1

LastEventId = Annotated[
    str | None,
    Header(
        alias=HEADER,
        max_length=20,
        json_schema_extra={"pattern": "^[0-9]{1,15}$"},
        description="Number of the last event that the client has; `after` without one.",
    ),
]
After = Annotated[int, Query(ge=0, le=_HIGHEST, description="Begin after the event so numbered.")]


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


def begun_after(last_event_id: str | None, after: int) -> int:
    """The number of the last event that the client has, 0 without any. Raises InvalidRequest."""
    if last_event_id is None:
        return after
    is_number = last_event_id.isascii() and last_event_id.isdecimal()
    if not is_number or int(last_event_id) > _HIGHEST:
        raise InvalidRequest(
            f"{HEADER}: {last_event_id!r}: no number of an event; leave it out to begin with the "
            "first",
            parameter=HEADER,
        )
    return int(last_event_id)


def check_given(after: int, last: int, whose: str) -> None:
    """Raises InvalidRequest for a number beyond the ``last`` event."""
    if after > last:
        raise InvalidRequest(
            f"{HEADER}: {after}: the {whose} has {last} events; leave it out to begin with the "
            "first",
            parameter=HEADER,
        )
