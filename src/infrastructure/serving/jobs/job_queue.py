"""The queue of the jobs of one kind, as those who ask for jobs know it."""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from citeloom.domain.jobs.recorded_job import RecordedJob
from citeloom.infrastructure.serving.jobs.job import AnyJob, Job
from citeloom.infrastructure.serving.jobs.record.kinds import Asked, JobKind
from citeloom.infrastructure.serving.jobs.view import JobView, Result

Make = Callable[[Asked, threading.Event], Job[Asked, Result]]
Joining = Callable[[Asked, Asked], Asked | None]


class JobQueue(Protocol[Asked, Result]):
    """Jobs of one kind, those of this process and of others. Thread-safe."""

    kind: JobKind[Asked, Result]
    #: Makes a new job, with the verbs that are wanted for it.
    make: Make[Asked, Result]

    def submit(
        self,
        asked: Asked,
        join: Joining[Asked] | None = None,
        owner: str = "",
        make: Make[Asked, Result] | None = None,
    ) -> JobView[Result]:
        """A job of ``owner`` for it: one that goes on and is asked the same, also by another
        process of this machine; one that waits here and that ``join`` makes one request with
        (None where it is another matter); or a new one, which ``make`` makes where the queue's
        own verbs are not wanted. Raises TooManyJobs."""

    def find(self, job_id: str) -> JobView[Result]:
        """Raises JobNotFound."""

    def own(self, job_id: str) -> Job[Asked, Result] | None:
        """A job of this process."""

    def elsewhere(self, job: RecordedJob) -> JobView[Result]:
        """What the record has of a job."""

    def latest(self, wanted: Callable[[Job[Asked, Result]], bool]) -> Job[Asked, Result] | None:
        """The job that came last of those of this process that are ``wanted``."""

    def all(self) -> Sequence[Job[Asked, Result]]:
        """Those of this process, in order of arrival."""

    def hear_ends(self, listener: Callable[[AnyJob], None]) -> None:
        """``listener`` is told each job of this process that ends, in any thread."""

    def stop(self, seconds: float) -> bool:
        """Interrupt the job that runs and start no other; whether all has ended in time."""
