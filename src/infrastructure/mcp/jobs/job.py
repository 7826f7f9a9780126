"""Job: work that outlasts a call, with its state, its progress and its end."""

import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar
from uuid import uuid4

from citeloom.domain.cancellation import Cancelled, cancellable
from citeloom.infrastructure.mcp.contract.errors import Interrupted
from citeloom.infrastructure.observability.log_fields import logged_with

Asked = TypeVar("Asked")
Result = TypeVar("Result")

_log: Final = logging.getLogger(__name__)


class JobStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Advance(NamedTuple):
    """How far a job is: ``done`` of ``total`` (None while that is not known), in the unit of
    its kind, and what it is at."""

    done: float
    total: float | None = None
    doing: str | None = None


class Job(ABC, Generic[Asked, Result]):
    """One job and its progress. ``stopping`` is set when the server ends.

    ``is_known`` says whether a caller was told the id; a job that nobody knows of ends with the
    calls that wait for it.
    """

    kind: ClassVar[str]

    def __init__(self, asked: Asked, stopping: threading.Event) -> None:
        self.id = uuid4().hex
        self.asked = asked
        self.status = JobStatus.QUEUED
        self.started: datetime | None = None
        self.is_known = False
        self._stopping = stopping
        self._cancelling = threading.Event()
        self._guard = threading.Lock()
        self._waiting: list[Callable[[], None]] = []
        self._followers: list[Callable[[], None]] = []
        self._begun = self._over = 0.0
        self._result: Result | None = None
        self._error: Exception | None = None

    @abstractmethod
    def work(self) -> Result:
        """Does it; its checkpoints raise Cancelled once it is to stop."""

    @abstractmethod
    def advance(self) -> Advance: ...

    @property
    @abstractmethod
    def project(self) -> str: ...

    @property
    def has_ended(self) -> bool:
        return self.status not in (JobStatus.QUEUED, JobStatus.RUNNING)

    @property
    def is_cancelling(self) -> bool:
        return self._cancelling.is_set()

    @property
    def seconds(self) -> float:
        """How long it has run."""
        if self.started is None:
            return 0.0
        return (self._over or time.monotonic()) - self._begun

    @property
    def error(self) -> Exception | None:
        """What ended it, if it failed or was cancelled."""
        return self._error

    def handles(self) -> dict[str, str]:
        """By which it can be asked for, or gone on with."""
        return {"job_id": self.id}

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
            both = join(self.asked, asked) if self.status is JobStatus.QUEUED else None
            if both is not None:
                self.asked = both
        return both is not None

    def cancel(self) -> None:
        """It ends at its next checkpoint, at once if it has not begun; what it finished is kept."""
        self._cancelling.set()
        with self._guard:
            never_began = self.status is JobStatus.QUEUED
            if never_began:
                self.status = JobStatus.CANCELLED
                self._error = Cancelled("it was cancelled before it began")
        if never_began:
            self._tell_end()

    def run(self) -> None:
        with self._guard:
            if self.status is not JobStatus.QUEUED:
                return
            self.status = JobStatus.RUNNING
            self.started, self._begun = datetime.now(UTC), time.monotonic()
        status = JobStatus.FAILED
        try:
            self.go_on()
            with cancellable(self.go_on), logged_with(job=self.id, kind=self.kind):
                self._result = self.work()
            status = JobStatus.DONE
        except Cancelled as error:
            self._error, status = error, JobStatus.CANCELLED
        except Exception as error:
            # Its message may quote what was asked.
            _log.warning(
                "%s %s: %s", self.kind, self.id, getattr(error, "code", type(error).__name__)
            )
            self._error = _bare(error)
        finally:
            self._over = time.monotonic()
            with self._guard:
                self.status = status
            self._tell_end()

    def join(self, ended: Callable[[], None]) -> None:
        """Somebody waits: ``ended`` is called at the end, in any thread; now if that is past."""
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
        """Who joined with ``ended`` waits no longer."""
        with self._guard:
            self._waiting.remove(ended)

    def give_up(self) -> None:
        """A call that asked for it was given up: it is cancelled, unless others wait for it or
        know its id."""
        with self._guard:
            is_wanted = self._waiting or self.is_known
        if not is_wanted:
            self.cancel()

    def result(self) -> Result:
        """Of a job that has ended. Raises what its work raised."""
        if self._error is not None:
            raise self._error.with_traceback(None)
        assert self._result is not None, "only a job that has ended has a result"
        return self._result

    def _tell_end(self) -> None:
        with self._guard:
            waiting = [*self._followers, *self._waiting]
        for ended in waiting:
            ended()


AnyJob = Job[Any, Any]


def _bare(error: Exception) -> Exception:
    """Without its traceback, whose frames would keep the job's processes alive."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)
