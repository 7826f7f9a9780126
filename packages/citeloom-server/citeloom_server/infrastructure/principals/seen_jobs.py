"""Jobs as a principal sees them; those that it begins are its own."""

from collections.abc import Callable, Sequence
from typing import Generic

from citeloom.domain.errors import NotPermitted
from citeloom.domain.jobs import RecordedJob
from citeloom.infrastructure.serving.jobs.background import Background, Visible, everything
from citeloom.infrastructure.serving.jobs.job import AnyJob, AnyView, Asked, Job, JobView, Result
from citeloom.infrastructure.serving.jobs.queue import JobQueue, Joining, Make
from citeloom.infrastructure.serving.next_steps import JobNotFound
from citeloom_server.application.access.current_rights import JobSight


class SeenJobs(Generic[Asked, Result]):
    """The queue ``shared``, within ``sight``. A new job is made by ``own``, a queue whose verbs
    work with the principal's rights, and waits in ``shared`` with the others."""

    def __init__(
        self, shared: JobQueue[Asked, Result], own: JobQueue[Asked, Result], sight: JobSight
    ) -> None:
        self.kind = shared.kind
        self.make = own.make
        self._shared = shared
        self._sight = sight

    def submit(
        self,
        asked: Asked,
        join: Joining[Asked] | None = None,
        owner: str = "",
        make: Make[Asked, Result] | None = None,
    ) -> JobView[Result]:
        return self._shared.submit(asked, join, owner or self._sight.name, make or self.make)

    def find(self, job_id: str) -> JobView[Result]:
        job = self._shared.find(job_id)
        if not is_seen(job, self._sight):
            raise JobNotFound(job_id, self.kind.tool)
        return job

    def own(self, job_id: str) -> Job[Asked, Result] | None:
        job = self._shared.own(job_id)
        return job if job is not None and is_seen(job, self._sight) else None

    def elsewhere(self, job: RecordedJob) -> JobView[Result]:
        return self._shared.elsewhere(job)

    def latest(self, wanted: Callable[[Job[Asked, Result]], bool]) -> Job[Asked, Result] | None:
        return self._shared.latest(lambda job: is_seen(job, self._sight) and wanted(job))

    def all(self) -> Sequence[Job[Asked, Result]]:
        return [job for job in self._shared.all() if is_seen(job, self._sight)]

    def hear_ends(self, listener: Callable[[AnyJob], None]) -> None:
        self._shared.hear_ends(lambda job: listener(job) if is_seen(job, self._sight) else None)

    def stop(self, seconds: float) -> bool:
        return self._shared.stop(seconds)


class SeenBackground(Background):
    """The jobs of all kinds, within a sight."""

    sight: JobSight

    @classmethod
    def of(cls, shared: Background, own: Background, sight: JobSight) -> "SeenBackground":
        seen = cls(
            SeenJobs(shared.ingests, own.ingests, sight),
            SeenJobs(shared.checks, own.checks, sight),
            SeenJobs(shared.reviews, own.reviews, sight),
            SeenJobs(shared.validations, own.validations, sight),
            SeenJobs(shared.lookups, own.lookups, sight),
            SeenJobs(shared.answers, own.answers, sight),
            SeenJobs(shared.tables, own.tables, sight),
            shared.recorder,
        )
        seen.sight = sight
        return seen

    def sees(self, job: AnyView) -> bool:
        return is_seen(job, self.sight)

    def all(self, visible: Visible = everything) -> list[AnyView]:
        return super().all(lambda job: self.sees(job) and visible(job))

    def going_on(self, project: str) -> list[AnyView]:
        """Of a project that the principal may change all: they keep it from being removed."""
        changes = self.sight.may_change(project)
        return [job for job in super().going_on(project) if changes or self.sees(job)]

    def find(self, job_id: str, visible: Visible = everything) -> AnyView:
        return super().find(job_id, lambda job: self.sees(job) and visible(job))

    def cancel(self, job: AnyView) -> None:
        if not self.sight.may_cancel(job.project, job.owner):
            raise NotPermitted(
                f"{job.id}: {self.sight.name} may see this job, and not cancel it; who began it "
                "and the owners of its project may"
            )
        job.cancel()


def is_seen(job: AnyView, sight: JobSight) -> bool:
    return sight.sees(job.kind, job.project, job.owner)
