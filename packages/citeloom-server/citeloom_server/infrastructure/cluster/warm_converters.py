"""Converters of a cluster worker, whose processes stay between documents."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer

from citeloom.application.ports.ingest import ConversionJob, ConversionOutcome, Heard
from citeloom.infrastructure.ingest.conversion.limits import Limits
from citeloom.infrastructure.ingest.conversion.options import Options
from citeloom.infrastructure.ingest.conversion.pool import ProcessConverter, WorkerRun

#: Seconds after which a process without documents ends.
IDLE_SECONDS = 60.0

#: Function, options and limits: documents with the same may have the same process.
_Key = tuple[str, str, str]


class _LaterJobs(Iterator[ConversionJob]):
    """Jobs of which there may be more later."""

    def __init__(self) -> None:
        self.waiting: list[ConversionJob] = []

    def __next__(self) -> ConversionJob:
        if not self.waiting:
            raise StopIteration
        return self.waiting.pop()


class WarmConverter:
    """One conversion process, which converts one document after another."""

    def __init__(self, settings: ProcessConverter) -> None:
        self._jobs = _LaterJobs()
        self._run = WorkerRun(settings, self._jobs, None)
        self.idle_since = 0.0

    def convert(self, job: ConversionJob, on_pages: Heard) -> ConversionOutcome:
        """The outcome of a job. Raises Unavailable if the process cannot be started, and what
        stops the work at a checkpoint; then it is to be closed."""
        self._run.heard = on_pages
        self._jobs.waiting.append(job)
        return next(self._run.outcomes())

    def close(self) -> None:
        """End the process at once, also in the middle of a document."""
        self._run.close()


class WarmConverters:
    """Those of one worker, as many as it has tasks at a time. Thread-safe."""

    def __init__(self) -> None:
        self._idle: dict[_Key, list[WarmConverter]] = {}
        self._guard = Lock()
        self._timer: Timer | None = None

    @contextmanager
    def borrowed(self, function: str, options: Options, limits: Limits) -> Iterator[WarmConverter]:
        """An idle converter with these settings, or a new one; after an error it is closed."""
        key = (function, options.model_dump_json(), limits.model_dump_json())
        with self._guard:
            waiting = self._idle.get(key)
            converter = waiting.pop() if waiting else None
        if converter is None:
            settings = ProcessConverter(limits=limits, options=options, function=function)
            converter = WarmConverter(settings)
        try:
            yield converter
        except BaseException:
            converter.close()
            raise
        converter.idle_since = time.monotonic()
        with self._guard:
            self._idle.setdefault(key, []).append(converter)
            self._arm()

    def _arm(self) -> None:
        if self._timer is None:
            self._timer = Timer(IDLE_SECONDS, self._close_old)
            self._timer.daemon = True
            self._timer.start()

    def close(self) -> None:
        """End the processes that are idle now."""
        self._close_idle(float("inf"))

    def _close_old(self) -> None:
        self._close_idle(time.monotonic() - IDLE_SECONDS)

    def _close_idle(self, since: float) -> None:
        with self._guard:
            old = [one for idle in self._idle.values() for one in idle if one.idle_since < since]
            self._idle = {
                key: rest
                for key, idle in self._idle.items()
                if (rest := [one for one in idle if one not in old])
            }
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._idle:
                self._arm()
        for converter in old:
            converter.close()
