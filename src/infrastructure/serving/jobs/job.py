"""Job: work of this process that outlasts a call, with its state, its progress and its end."""

import hashlib
import json
import logging
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar
from uuid import uuid4

from pydantic import BaseModel

from citeloom.application.ports.jobs import JobEvent
from citeloom.domain.jobs import MOST_EVENTS, JobProgress, JobStatus
from citeloom.domain.messages import NextStep, UserMessage, WarningCode
from citeloom.domain.progress import Cancelled, cancellable
from citeloom.infrastructure.observability import asked_by, asker, logged_with
from citeloom.infrastructure.serving.next_steps import Interrupted

if TYPE_CHECKING:
    from .queue import Jobs

Result = TypeVar("Result")


class Advance(NamedTuple):
    """How far a job is: ``done`` of ``total`` (None while that is not known), in the unit of
    its kind, and what it is at."""

    done: float
    total: float | None = None
    doing: str | None = None


class JobView(ABC, Generic[Result]):
    """One job. ``owner`` is the principal that began it, empty where there are none.

    ``is_known`` says whether a caller has the id.
    """

    id: str
    kind: str
    owner: str
    is_known: bool
    #: Whether another process works on it: ``refresh`` says how far it is by now.
    is_elsewhere: bool

    @property
    @abstractmethod
    def project(self) -> str:
        """Empty for a job of all projects."""

    @property
    @abstractmethod
    def session(self) -> str | None:
        """The research session that it works on, if any."""

    @abstractmethod
    def progress(self) -> JobProgress: ...

    @property
    @abstractmethod
    def is_cancelling(self) -> bool: ...

    @property
    @abstractmethod
    def seconds(self) -> float:
        """How long it has run."""

    @property
    @abstractmethod
    def error(self) -> Exception | None:
        """What ended it, if it failed or was cancelled."""

    @abstractmethod
    def asked_json(self) -> str:
        """What was asked, as JSON, without passwords."""

    @abstractmethod
    def result(self) -> Result:
        """The result of a job that has ended. Raises what its work raised."""

    @abstractmethod
    def events(self, after: int) -> Sequence[JobEvent]:
        """States with a higher number that are kept, in order."""

    @property
    @abstractmethod
    def last_event(self) -> int:
        """The number of the last state; 0 without any."""

    @abstractmethod
    def cancel(self) -> None:
        """It ends at its next checkpoint, at once if it has not begun; what it finished is kept."""

    @abstractmethod
    def refresh(self) -> None: ...

    @abstractmethod
    def join(self, ended: Callable[[], None]) -> None:
        """Somebody waits: ``ended`` is called at the end, in any thread, now if that is past;
        never for a job of another process."""

    @abstractmethod
    def leave(self, ended: Callable[[], None]) -> None:
        """Who joined with ``ended`` waits no longer."""

    @abstractmethod
    def give_up(self) -> None:
        """A call that asked for it was given up."""

    @property
    def status(self) -> JobStatus:
        return self.progress().status

    @property
    def has_ended(self) -> bool:
        return self.status.is_end

    @property
    def started(self) -> datetime | None:
        return self.progress().started_at

    def handles(self) -> dict[str, str]:
        """By which it can be asked for, or gone on with."""
        return {"job_id": self.id} | ({"session_id": self.session} if self.session else {})


AnyView = JobView[Any]


Asked = TypeVar("Asked")
_M = TypeVar("_M", bound=BaseModel)
# What is never written down, wherever in a request it stands.
_SECRET: Final = {"password", "passwords"}
# Begins a sentence of which more is kept than its text (ASCII: record separator).
_MARK: Final = "\x1e"


@dataclass(frozen=True)
class JobKind(Generic[Asked, Result]):
    """``tool`` is the tool that starts them. ``asked`` gives the JSON of a request without
    secrets, ``dump`` that of a result, which ``load`` reads."""

    name: str
    tool: str
    asked: Callable[[Asked], str]
    dump: Callable[[Result], str]
    load: Callable[[str], Result]


def request_json(request: BaseModel) -> str:
    return request.model_dump_json(exclude=_SECRET, exclude_defaults=True)


def digest_of(kind: str, asked: str) -> str:
    """The same for equal requests on one machine: a path may lead elsewhere on another."""
    told = json.dumps([kind, asked, socket.gethostname()])
    return hashlib.sha256(told.encode()).hexdigest()


def result_json(result: BaseModel) -> str:
    """With the next steps of its sentences."""
    return json.dumps(result.model_dump(mode="json", context=_marked), ensure_ascii=False)


def result_of(model: type[_M]) -> Callable[[str], _M]:
    """What reads ``result_json``."""
    return lambda text: model.model_validate(_unmarked(json.loads(text)))


def _marked(sentence: str) -> str:
    if not isinstance(sentence, UserMessage) or not (sentence.next_step or sentence.code):
        return sentence
    step = sentence.next_step
    told = {
        "text": str(sentence),
        "step": step and {"action": step.action.value, **step.arguments},
        "code": sentence.code,
    }
    return _MARK + json.dumps(told)


def _unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _unmarked(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_unmarked(part) for part in value]
    if not isinstance(value, str) or not value.startswith(_MARK):
        return value
    try:
        told = json.loads(value[1:])
        code = told["code"] and WarningCode(told["code"])
        return UserMessage(told["text"], NextStep.of(told["step"]), code)
    except (ValueError, KeyError, TypeError):  # a text that merely begins so
        return value


_log: Final = logging.getLogger(__name__)


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
        self._queue: Jobs[Asked, Result] | None = None
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

    def queued(self, queue: "Jobs[Asked, Result]", owner: str) -> None:
        """It waits in ``queue`` from now on."""
        self._queue, self.owner = queue, owner

    def asked_json(self) -> str:
        return "{}" if self._queue is None else self._queue.asked_json(self)

    def progress(self, end: JobStatus | None = None) -> JobProgress:
        """``end``: the state to announce if it ends so."""
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
        """A state that followers may see, because it is recorded."""
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
        """Also do what else is ``asked``: where it has not started, and ``join`` makes one request
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

    def do(self) -> Result:
        """The work, in this thread. Raises what it raises."""
        self._take()
        self._started, self._begun = datetime.now(UTC), time.monotonic()
        self._status, end = JobStatus.RUNNING, JobStatus.FAILED
        try:
            self.go_on()
            with cancellable(self.go_on):
                self._result = self.work()
            end = JobStatus.DONE
            return self._result
        except (Cancelled, KeyboardInterrupt) as error:
            self._error = error if isinstance(error, Cancelled) else Cancelled()
            end = JobStatus.CANCELLED
            raise
        except Exception as error:
            self._error = error
            raise
        finally:
            self._over = time.monotonic()
            self._end(end)

    def _run(self) -> None:
        try:
            self.do()
        except Cancelled:
            return
        except Exception as error:
            # Its message may quote what was asked.
            _log.warning(
                "%s %s: %s", self.kind, self.id, getattr(error, "code", type(error).__name__)
            )
            # Frames of its traceback would keep the job's processes alive.
            error.__cause__ = error.__context__ = None
            error.with_traceback(None)

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
        """Whether it had neither started nor ended."""
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
