"""Job: work of this process that outlasts a call, with its state, its progress and its end."""

import logging
import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Generic, Protocol
from uuid import uuid4

from citeloom.application.ports.server.jobs import JobEvent
from citeloom.domain.cancellation import Cancelled, cancellable
from citeloom.domain.jobs.recorded_job import MOST_EVENTS, JobProgress, JobStatus
from citeloom.infrastructure.observability.asker import asked_by, asker
from citeloom.infrastructure.observability.log_fields import logged_with
from citeloom.infrastructure.serving.errors import Interrupted
from citeloom.infrastructure.serving.jobs.record.kinds import Asked
from citeloom.infrastructure.serving.jobs.view import Advance, JobView, Result

_log: Final = logging.getLogger(__name__)


class Queue(Protocol):
    """What a job needs of those who keep it."""

    def before(self, job: "AnyJob") -> Sequence["AnyJob"]:
        """The jobs that a queued one waits for, the running one first."""

    def asked_json(self, job: "AnyJob") -> str: ...

    def ended(self, job: "AnyJob", end: JobStatus) -> None:
        """Write down the end of a job, before anybody is told of it."""


class Job(JobView[Result], Generic[Asked, Result]):
    """One job and its progress. ``stopping`` is set when the server ends.

    ``asker`` is who has asked for it first. A job that nobody knows of ends with the calls that
    wait for it.
    """

    is_elsewhere = False

    def __init__(self, asked: Asked, stopping: threading.Event) -> None:
        self.id = uuid4().hex
        self.owner = ""
        self.asked = asked
        self.is_known = False
        self.asker = asker()
        self._stopping = stopping
        self._queue: Queue | None = None
        self._cancelling = threading.Event()
        self._guard = threading.Lock()
        self._waiting: list[Callable[[], None]] = []
        self._followers: list[Callable[[], None]] = []
        self._status = JobStatus.QUEUED
        self._is_taken = False
        self._started: datetime | None = None
        self._begun = self._over = 0.0
        self._result: Result | None = None
        self._error: Exception | None = None
        self._events: deque[JobEvent] = deque(maxlen=MOST_EVENTS)

    @abstractmethod
    def work(self) -> Result:
        """Does it; its checkpoints raise Cancelled once it is to stop."""

    @abstractmethod
    def advance(self) -> Advance: ...

    def counts(self) -> Mapping[str, Any]:
        """Numbers of its kind, as answers have them."""
        return {}

    @property
    def session(self) -> str | None:
        return None

    @property
    def status(self) -> JobStatus:
        return self._status

    @property
    def started(self) -> datetime | None:
        return self._started

    @property
    def is_cancelling(self) -> bool:
        return self._cancelling.is_set()

    @property
    def seconds(self) -> float:
        if self._started is None:
            return 0.0
        return (self._over or time.monotonic()) - self._begun

    @property
    def error(self) -> Exception | None:
        return self._error

    @property
    def last_event(self) -> int:
        return self._events[-1].number if self._events else 0

    def queued(self, queue: Queue, owner: str) -> None:
        """It waits in ``queue`` from now on."""
        self._queue, self.owner = queue, owner

    def asked_json(self) -> str:
        return "{}" if self._queue is None else self._queue.asked_json(self)

    def progress(self, end: JobStatus | None = None) -> JobProgress:
        """``end``: as it will be told when it has ended so."""
        advance, status = self.advance(), end or self._status
        before = self._queue.before(self) if self._queue and not status.is_end else ()
        return JobProgress(
            status=status,
            done=advance.done,
            total=advance.total,
            doing=None if status.is_end else advance.doing,
            position=len(before) or None,
            waits_for=before[0].id if before else None,
            started_at=self._started,
            counts=self.counts(),
        )

    def events(self, after: int) -> Sequence[JobEvent]:
        return [one for one in list(self._events) if one.number > after]

    def note(self, event: JobEvent) -> None:
        """A state that those who follow may be told: it is written down."""
        self._events.append(event)

    def refresh(self) -> None:
        """It is always as it is."""

    def go_on(self) -> None:
        """Raises Interrupted when the server ends, Cancelled when the job is cancelled."""
        if self._stopping.is_set():
            raise Interrupted
        if self._cancelling.is_set():
            raise Cancelled

    def take_in(self, asked: Asked, join: Callable[[Asked, Asked], Asked | None]) -> bool:
        """Also do what else is ``asked``: where it has not begun, and ``join`` makes one request
        of both."""
        with self._guard:
            both = None if self._is_taken else join(self.asked, asked)
            if both is not None:
                self.asked = both
        return both is not None

    def cancel(self) -> None:
        self._cancelling.set()
        if self._take():
            self._error = Cancelled("it was cancelled before it began")
            self._end(JobStatus.CANCELLED)

    def run(self) -> None:
        if not self._take():
            return
        with asked_by(self.asker), logged_with(job=self.id, kind=self.kind):
            self._run()

    def _run(self) -> None:
        self._started, self._begun = datetime.now(UTC), time.monotonic()
        self._status, end = JobStatus.RUNNING, JobStatus.FAILED
        try:
            self.go_on()
            with cancellable(self.go_on):
                self._result = self.work()
            end = JobStatus.DONE
        except Cancelled as error:
            self._error, end = error, JobStatus.CANCELLED
        except Exception as error:
            # Its message may quote what was asked.
            _log.warning(
                "%s %s: %s", self.kind, self.id, getattr(error, "code", type(error).__name__)
            )
            self._error = _bare(error)
        finally:
            self._over = time.monotonic()
            self._end(end)

    def join(self, ended: Callable[[], None]) -> None:
        with self._guard:
            self._waiting.append(ended)
            is_past = self.has_ended
        if is_past:
            ended()

    def follow(self, ended: Callable[[], None]) -> None:
        """As ``join``, of who does not wait for it: it is not wanted for that. For who has made
        it, before it may begin."""
        self._followers.append(ended)

    def leave(self, ended: Callable[[], None]) -> None:
        with self._guard:
            self._waiting.remove(ended)

    def give_up(self) -> None:
        """It is cancelled, unless others wait for it or know its id."""
        with self._guard:
            is_wanted = self._waiting or self.is_known
        if not is_wanted:
            self.cancel()

    def result(self) -> Result:
        if self._error is not None:
            raise self._error.with_traceback(None)
        assert self._result is not None, "only a job that has ended has a result"
        return self._result

    def outcome(self) -> Result | None:
        """What its work has given, also while its end is written down."""
        return self._result

    def _take(self) -> bool:
        """Whether it had neither begun nor ended."""
        with self._guard:
            is_taken, self._is_taken = self._is_taken, True
        return not is_taken

    def _end(self, end: JobStatus) -> None:
        if self._queue is not None:
            self._queue.ended(self, end)
        with self._guard:
            self._status = end
            waiting = [*self._followers, *self._waiting]
        for ended in waiting:
            ended()


AnyJob = Job[Any, Any]


def _bare(error: Exception) -> Exception:
    """Without its traceback, whose frames would keep the job's processes alive."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
