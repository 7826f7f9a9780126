"""Jobs as answers see them, whichever process works on them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

from citeloom.application.ports.server.jobs import JobEvent
from citeloom.domain.jobs.recorded_job import JobProgress, JobStatus

Result = TypeVar("Result")


class Advance(NamedTuple):
    """How far a job is: ``done`` of ``total`` (None while that is not known), in the unit of
    its kind, and what it is at."""

    done: float
    total: float | None = None
    doing: str | None = None


class JobView(ABC, Generic[Result]):
    """One job. ``owner`` is the principal that began it, empty where there are none.

    ``is_known`` says whether a caller was told the id.
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
        """Of a job that has ended. Raises what its work raised."""

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
