"""Answers that wait for a job, without a thread."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import anyio
import anyio.to_thread

from citeloom.infrastructure.serving.jobs.view import Advance, AnyView
from citeloom.infrastructure.serving.lanes import Report

# Seconds between two looks at how far a job is that somebody waits for.
_PULSE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Pending:
    """``answer`` is due when the ``job`` has ended, or after so many ``seconds``."""

    job: AnyView
    seconds: float
    answer: Callable[[], Mapping[str, Any]]

    async def due(self, report: Report) -> None:
        """Returns when the answer is due; ``report`` hears each time that more is done."""
        loop, ended = asyncio.get_running_loop(), anyio.Event()

        def tell() -> None:
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(ended.set)

        told, deadline = 0.0, anyio.current_time() + self.seconds
        self.job.join(tell)
        try:
            while (left := deadline - anyio.current_time()) > 0:
                with anyio.move_on_after(min(_PULSE, left)):
                    await ended.wait()
                    return
                if self.job.is_elsewhere:
                    await anyio.to_thread.run_sync(self.job.refresh)
                progress = self.job.progress()
                if progress.status.is_end:
                    return
                if progress.done > told:
                    told = progress.done
                    await report(Advance(told, progress.total, progress.doing))
        finally:
            self.job.leave(tell)
