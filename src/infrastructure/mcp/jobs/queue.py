"""Job queue: jobs of one kind run one at a time in order of arrival; kinds run in parallel."""

import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import uuid4

from citeloom.infrastructure.mcp.contract.errors import Interrupted, JobNotFound

Asked = TypeVar("Asked")
Result = TypeVar("Result")

# Jobs that have ended and whose results can still be asked for, of each kind.
_KEPT: Final = 64
# Seconds between two looks at how far a job is that somebody waits for.
_PULSE: Final = 0.5

_log: Final = logging.getLogger(__name__)


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    ENDED = "ended"


class Advance(NamedTuple):
    """How far a job is: ``done`` of ``total`` (None while that is not known), in the unit of
    its kind, and what it is at."""

    done: float
    total: float | None = None
    doing: str | None = None


Tell = Callable[[Advance], None]


def silent(_advance: Advance) -> None:
    """Discards progress."""


class Job(ABC, Generic[Asked, Result]):
    """One job and its progress. ``stopping`` is set when the server ends."""

    def __init__(self, asked: Asked, stopping: threading.Event) -> None:
        self.id = uuid4().hex
        self.asked = asked
        self.status = JobStatus.QUEUED
        self._stopping = stopping
        self._ended = threading.Event()
        self._result: Result | None = None
        self._error: Exception | None = None

    @abstractmethod
    def work(self) -> Result:
        """Does it; calls ``go_on`` wherever it can stop."""

    @abstractmethod
    def advance(self) -> Advance: ...

    def handles(self) -> dict[str, str]:
        """By which it can be asked for, or gone on with."""
        return {"job_id": self.id}

    def go_on(self) -> None:
        """Raises Interrupted when the server ends."""
        if self._stopping.is_set():
            raise Interrupted

    def run(self) -> None:
        self.status = JobStatus.RUNNING
        try:
            self.go_on()
            self._result = self.work()
        except Exception as error:
            kind = type(self).__name__
            _log.warning("%s %s: %s: %s", kind, self.id, type(error).__name__, error)
            self._error = _bare(error)
        finally:
            self.status = JobStatus.ENDED
            self._ended.set()

    def wait(self, seconds: float, tell: Tell = silent) -> bool:
        """Whether the job has ended, within ``seconds`` at the latest. ``tell`` hears each
        time that more is done."""
        told, deadline = 0.0, time.monotonic() + seconds
        while not self._ended.wait(max(0.0, min(_PULSE, deadline - time.monotonic()))):
            advance = self.advance()
            if advance.done > told:
                told = advance.done
                tell(advance)
            if time.monotonic() >= deadline:
                return False
        return True

    def result(self) -> Result:
        """Of a job that has ended. Raises what its work raised."""
        if self._error is not None:
            raise self._error.with_traceback(None)
        assert self._result is not None, "only a job that has ended has a result"
        return self._result


J = TypeVar("J", bound=Job[Any, Any])


class Jobs(Generic[Asked, J]):
    """The jobs of one kind in one server; thread-safe. ``tool`` is the tool that starts them."""

    def __init__(self, tool: str, make: Callable[[Asked, threading.Event], J]) -> None:
        self._tool = tool
        self._make = make
        self._jobs: dict[str, J] = {}
        self._waiting: queue.SimpleQueue[J | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None

    def submit(self, asked: Asked) -> J:
        """A job for it: one that has not ended and is asked the same, or a new one."""
        with self._guard:
            for job in self._jobs.values():
                if job.status is not JobStatus.ENDED and job.asked == asked:
                    return job
            self._forget()
            job = self._make(asked, self._stopping)
            self._jobs[job.id] = job
            self._waiting.put(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=self._tool, daemon=True)
                self._thread.start()
            return job

    def find(self, job_id: str) -> J:
        """Raises JobNotFound."""
        with self._guard:
            if job_id not in self._jobs:
                raise JobNotFound(job_id, self._tool)
            return self._jobs[job_id]

    def latest(self, wanted: Callable[[J], bool]) -> J | None:
        """The job that came last of those that are ``wanted``."""
        with self._guard:
            return next((job for job in reversed(self._jobs.values()) if wanted(job)), None)

    def stop(self, seconds: float) -> bool:
        """Interrupt the job that runs and start no other; whether all has ended in time.

        A job stops where it calls ``go_on``. A conversion cannot be interrupted: the process
        has to end, and its converters with it.
        """
        self._stopping.set()
        self._waiting.put(None)
        if self._thread is not None:
            self._thread.join(seconds)
        return self._thread is None or not self._thread.is_alive()

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            job.run()

    def _forget(self) -> None:
        """The oldest results, beyond those that are kept."""
        ended = [id for id, job in self._jobs.items() if job.status is JobStatus.ENDED]
        for id in ended[: max(0, len(ended) - _KEPT + 1)]:
            del self._jobs[id]


def _bare(error: Exception) -> Exception:
    """Without its traceback, whose frames would keep the job's processes alive."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
