"""Job queue: jobs of one kind run one at a time in order of arrival; kinds run in parallel."""

import itertools
import queue
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Generic, TypeVar

from citeloom.infrastructure.mcp.contract.errors import JobNotFound
from citeloom.infrastructure.mcp.jobs.job import AnyJob, Asked, JobStatus

# Jobs that have ended and whose results can still be asked for, of each kind.
_KEPT: Final = 64

J = TypeVar("J", bound=AnyJob)


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
        self._listeners: list[Callable[[AnyJob], None]] = []

    def hear_ends(self, listener: Callable[[AnyJob], None]) -> None:
        """``listener`` is told each job that ends, in any thread."""
        self._listeners.append(listener)

    def submit(self, asked: Asked, join: Callable[[Asked, Asked], Asked | None] | None = None) -> J:
        """A job for it: one that goes on and is asked the same, one that waits and that ``join``
        makes one request with (None where it is another matter), or a new one."""
        with self._guard:
            going = [one for one in self._jobs.values() if not one.has_ended]
            wanted = [one for one in going if not one.is_cancelling]
            for job in wanted:
                if job.asked == asked or (join is not None and job.take_in(asked, join)):
                    return job
            self._forget()
            job = self._make(asked, self._stopping)
            self._jobs[job.id] = job
            for listener in self._listeners:
                job.follow(partial(listener, job))
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

    def all(self) -> Sequence[J]:
        """In order of arrival."""
        with self._guard:
            return list(self._jobs.values())

    def before(self, job: AnyJob) -> Sequence[J]:
        """The jobs of this kind that a queued one waits for, the running one first."""
        if job.status is not JobStatus.QUEUED:
            return []
        with self._guard:
            if job.id not in self._jobs:
                return []
            earlier = itertools.takewhile(lambda one: one is not job, self._jobs.values())
            return [one for one in earlier if not one.has_ended]

    def stop(self, seconds: float) -> bool:
        """Interrupt the job that runs and start no other; whether all has ended in time."""
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
        ended = [id for id, job in self._jobs.items() if job.has_ended]
        for id in ended[: max(0, len(ended) - _KEPT + 1)]:
            del self._jobs[id]
