"""Jobs of other processes, and of those that have ended, by the record."""

from collections.abc import Callable, Sequence
from typing import Generic

from citeloom.application.ports.server.jobs import JobEvent
from citeloom.domain.errors import Unavailable
from citeloom.domain.jobs.recorded_job import JobProgress, RecordedJob
from citeloom.infrastructure.serving.jobs.record.recorder import Recorder
from citeloom.infrastructure.serving.jobs.view import JobView, Result


class ResultNotKept(Unavailable):
    """The result of a job was too large for the record."""

    code = "RESULT_NOT_KEPT"

    def __init__(self, job_id: str) -> None:
        super().__init__(
            f"{job_id}: its result was too large to be kept, and the process that had it does not "
            "answer here; begin the same again, what was finished is not done twice",
            job_id=job_id,
        )


class JobElsewhere(JobView[Result], Generic[Result]):
    """A job as the record had it when it was last looked at."""

    is_elsewhere = True

    def __init__(
        self,
        job: RecordedJob,
        load: Callable[[str], Result],
        recorder: Recorder,
    ) -> None:
        self.id, self.kind, self.owner = job.id, job.kind, job.owner
        self.is_known = True
        self._job = job
        self._load = load
        self._recorder = recorder
        self._record = recorder.record

    @property
    def project(self) -> str:
        return self._job.project

    @property
    def session(self) -> str | None:
        return self._job.session

    @property
    def is_cancelling(self) -> bool:
        return self._job.cancelling

    @property
    def seconds(self) -> float:
        if (started := self.started) is None:
            return 0.0
        return ((self._job.ended_at or self._recorder.clock.now()) - started).total_seconds()

    @property
    def error(self) -> Exception | None:
        return None if self._job.failure is None else self._job.failure.as_error()

    @property
    def last_event(self) -> int:
        return self._job.sequence

    def progress(self) -> JobProgress:
        return self._job.progress

    def asked_json(self) -> str:
        return self._record.asked(self.id) or "{}"

    def result(self) -> Result:
        """Raises ResultNotKept as well."""
        if (error := self.error) is not None:
            raise error
        if (text := self._record.result(self.id)) is None:
            raise ResultNotKept(self.id)
        return self._load(text)

    def events(self, after: int) -> Sequence[JobEvent]:
        return self._record.events(self.id, after) if after < self._job.sequence else ()

    def cancel(self) -> None:
        """Its process hears of it within seconds; that of a job whose process is dead ends now."""
        self._record.cancel(self.id)
        self.refresh()

    def refresh(self) -> None:
        """A job that is no longer in the record stays as it was."""
        self._job = self._recorder.find(self.id) or self._job

    def join(self, ended: Callable[[], None]) -> None:
        """Nobody in this process hears of the end."""

    def leave(self, ended: Callable[[], None]) -> None:
        """Nobody has joined."""

    def give_up(self) -> None:
        """It is left to those who began it."""
