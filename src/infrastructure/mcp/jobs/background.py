"""Background jobs of a server: one queue for each kind."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from citeloom.application.ports.ingest import Progress
from citeloom.application.validation.checks import Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.library.sync import SyncRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.domain.verification.drafts.findings import Verification
from citeloom.infrastructure.mcp.contract.errors import JobNotFound
from citeloom.infrastructure.mcp.jobs.ingests import IngestJob, Wanted, ingests
from citeloom.infrastructure.mcp.jobs.job import AnyJob
from citeloom.infrastructure.mcp.jobs.queue import Jobs
from citeloom.infrastructure.mcp.jobs.reviews import Asked, ReviewJob, ReviewVerb, reviews
from citeloom.infrastructure.mcp.jobs.validations import ValidateJob, validations
from citeloom.infrastructure.mcp.jobs.verifications import VerifyJob, checks
from citeloom.infrastructure.mcp.jobs.warm_models import WarmModels

if TYPE_CHECKING:
    from citeloom.infrastructure.composition.application import Application


class Background(NamedTuple):
    ingests: Jobs[Wanted, IngestJob]
    checks: Jobs[VerifyRequest, VerifyJob]
    reviews: Jobs[Asked, ReviewJob]
    validations: Jobs[ValidateRequest, ValidateJob]

    def all(self) -> list[AnyJob]:
        """All that are known, of each kind in order of arrival."""
        return [job for queue in self for job in queue.all()]

    def find(self, job_id: str) -> AnyJob:
        """By its id, or the latest one by that of its session. Raises JobNotFound."""
        for job in reversed(self.all()):
            if job_id in job.handles().values():
                return job
        raise JobNotFound(job_id)

    def before(self, job: AnyJob) -> list[AnyJob]:
        """The jobs that a queued one waits for, the running one first."""
        return [one for queue in self for one in queue.before(job)]

    def hear_ends(self, listener: Callable[[AnyJob], None]) -> None:
        """``listener`` is told each job that ends, of any kind, in any thread."""
        for queue in self:
            queue.hear_ends(listener)

    def stop(self, seconds: float) -> bool:
        """Interrupt what runs and start nothing more; whether all has ended in time."""
        deadline = time.monotonic() + seconds
        for queue in self:
            queue.stop(0)
        return all(queue.stop(max(0.0, deadline - time.monotonic())) for queue in self)


def background(application: "Application", models: WarmModels) -> Background:
    """The verbs of the application, each with its embedding model loaded before."""

    def model_of(project_id: ProjectId) -> str:
        return application.stores.catalogue.project(project_id).embedding_model.name

    def ingest(request: Wanted, progress: Progress) -> IngestResult:
        try:
            model = model_of(request.project_id)
        except ProjectNotFound:
            model = application.settings.embedding.default_model
        models.ready(model)
        if isinstance(request, SyncRequest):
            return application.ingest.library(application.library.source, request, progress)
        return application.ingest.files(request, progress)

    def verify(request: VerifyRequest, told: Callable[[int, int], None]) -> Verification:
        models.ready(model_of(request.project_id))
        return application.verification.verify(request, told)

    def review(project_id: ProjectId) -> ReviewVerb:
        models.ready(model_of(project_id))
        return application.research.review

    def validate(request: ValidateRequest, told: Callable[[int, int], None]) -> Validation:
        projects = application.projects
        return projects.validate(
            request.project_id,
            retractions=projects.retraction_list,
            deep=request.deep,
            told=told,
        )

    return Background(ingests(ingest), checks(verify), reviews(review), validations(validate))
