"""Background jobs of a server: one queue for each kind, and the record of all processes."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from citeloom.application.ports.ingest import Progress
from citeloom.application.ports.jobs import JobFilter
from citeloom.application.validation.checks import Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import ProjectNotFound
from citeloom.domain.ingest import IngestRequest, IngestResult, provisional_citations
from citeloom.domain.jobs import RecordedJob
from citeloom.domain.library import SyncRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.references.lookup import (
    IdentifyOutcome,
    IdentifyRequest,
    IdentifyResult,
)
from citeloom.domain.review.answer import AskRequest, WrittenAnswer
from citeloom.domain.review.report.table import PaperTable, TableRequest
from citeloom.domain.text.phrasing import listed
from citeloom.domain.verification.drafts.draft import Verification
from citeloom.infrastructure.serving.next_steps import JobNotFound

from .checks import LOOKUP, TABLE, VALIDATION, VERIFICATION, answers, checks
from .ingests import Wanted, ingests
from .job import AnyJob, AnyView
from .pending import WarmModels
from .queue import JobQueue, Recorder
from .reviews import Asked, EndedReview, reviews

if TYPE_CHECKING:
    from citeloom.application.review.review import Review
    from citeloom.infrastructure.composition.application import Application

T = TypeVar("T")
Visible = Callable[[AnyView], bool]


def everything(_job: AnyView) -> bool:
    """All jobs may be seen."""
    return True


class Background(NamedTuple):
    """``visible`` says whether the caller may know of a job."""

    ingests: JobQueue[Wanted, IngestResult]
    checks: JobQueue[VerifyRequest, Verification]
    reviews: JobQueue[Asked, EndedReview]
    validations: JobQueue[ValidateRequest, Validation]
    lookups: JobQueue[IdentifyRequest, IdentifyResult]
    answers: JobQueue[AskRequest, WrittenAnswer]
    tables: JobQueue[TableRequest, PaperTable]
    recorder: Recorder

    def all(self, visible: Visible = everything) -> list[AnyView]:
        """All that are known, of whatever process, in order of arrival."""
        return [one for one in self._known(JobFilter()) if visible(one)]

    def going_on(self, project: str) -> list[AnyView]:
        """The jobs of a project that have not ended, in order of arrival."""
        known = self._known(JobFilter(project=project, going_on=True))
        return [one for one in known if one.project == project and not one.has_ended]

    def find(self, job_id: str, visible: Visible = everything) -> AnyView:
        """An answer by its id, or the latest one by that of its session. Raises JobNotFound."""
        found: AnyView | None = None
        for job in reversed(self.own()):
            if job_id in job.handles().values():
                found = job
                break
        else:
            if (recorded := self.recorder.find(job_id)) is not None:
                found = self._view(recorded)
        if found is None or not visible(found):
            raise JobNotFound(job_id)
        return found

    def sees(self, job: AnyView) -> bool:
        """Whether the caller may still know of the job."""
        return everything(job)

    def cancel(self, job: AnyView) -> None:
        """Raises NotPermitted."""
        job.cancel()

    def hear_ends(self, listener: Callable[[AnyJob], None]) -> None:
        """``listener`` hears each job of this process that ends, of any kind, in any thread."""
        for queue in self._queues():
            queue.hear_ends(listener)

    def stop(self, seconds: float) -> bool:
        """Interrupt what runs and start nothing more; whether all has ended in time."""
        deadline = time.monotonic() + seconds
        for queue in self._queues():
            queue.stop(0)
        ended = [queue.stop(max(0.0, deadline - time.monotonic())) for queue in self._queues()]
        self.recorder.abandon()
        return all(ended)

    def _queues(self) -> Iterator[JobQueue[Any, Any]]:
        yield from (self.ingests, self.checks, self.reviews, self.validations)
        yield from (self.lookups, self.answers, self.tables)

    def own(self) -> list[AnyJob]:
        """The jobs of this process."""
        return [job for queue in self._queues() for job in queue.all()]

    def _view(self, job: RecordedJob) -> AnyView | None:
        """None for a kind that only a newer process knows."""
        for queue in self._queues():
            if queue.kind.name == job.kind:
                return queue.own(job.id) or queue.elsewhere(job)
        return None

    def _known(self, wanted: JobFilter) -> list[AnyView]:
        """The recorded and wanted jobs, then those that only this process knows."""
        recorded = self.recorder.jobs(wanted)
        views = [view for one in recorded if (view := self._view(one)) is not None]
        known = {one.id for one in recorded}
        return [*views, *(one for one in self.own() if one.id not in known)]


def _loaded(
    models: WarmModels,
    model_of: Callable[[ProjectId], str],
    verb: Callable[[], Callable[..., T]],
) -> Callable[..., T]:
    """The verb, which is made and called once the model of the project of its request is loaded."""

    def run(request: VerifyRequest | AskRequest | TableRequest, told: Callable[..., None]) -> T:
        models.ready(model_of(request.project_id))
        return verb()(request, told)

    return run


def background(
    application: "Application", models: WarmModels, recorder: Recorder, most: int = 0
) -> Background:
    """The verbs of the application, each with its embedding model loaded before; ``most`` jobs of
    a kind an owner has at once, 0: any number."""

    def model_of(project_id: ProjectId) -> str:
        return application.stores.catalogue.project(project_id).embedding_model.name

    def ingest(request: Wanted, progress: Progress) -> IngestResult:
        try:
            model = model_of(request.project_id)
        except ProjectNotFound:
            model = application.settings.embedding.default_model
        models.ready(model)
        if isinstance(request, SyncRequest):
            result = application.ingest.library(application.library.source, request, progress)
        else:
            result = application.ingest.files(request, progress)
        if not _is_looked_up(application, request) or provisional_citations(result) is None:
            return result
        found = application.projects.identify(
            IdentifyRequest(project_id=request.project_id, all=True),
            lambda one, *_: progress.notice(f"{one.name}: {one.outcome.value}"),
        )
        return with_identified(result, found)

    def review(project_id: ProjectId) -> "Review":
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

    def look_up(request: IdentifyRequest, told: Callable[[int, int], None]) -> IdentifyResult:
        return application.projects.identify(request, lambda _, done, total: told(done, total))

    loaded = partial(_loaded, models, model_of)
    return Background(
        ingests(ingest, recorder, most),
        checks(
            VERIFICATION,
            "checking citations",
            loaded(lambda: application.verification.verify),
            recorder,
            most,
        ),
        reviews(review, recorder, most),
        checks(VALIDATION, "checking projects", validate, recorder, most),
        checks(LOOKUP, "looking up papers", look_up, recorder, most),
        answers(loaded(lambda: application.research.ask), recorder, most),
        checks(TABLE, "reading papers", loaded(lambda: application.research.table), recorder, most),
        recorder,
    )


def _is_looked_up(application: "Application", request: Wanted) -> bool:
    asked = request.identify if isinstance(request, IngestRequest) else None
    return application.settings.metadata.lookup == "on" if asked is None else asked


def with_identified(result: IngestResult, found: IdentifyResult) -> IngestResult:
    """With how many documents were looked up, by outcome, and those whose record a person has to
    look at."""
    proposed = [one.name for one in found.documents if one.outcome is IdentifyOutcome.PROPOSED]
    warnings = [*result.warnings, *found.warnings]
    if proposed:
        warnings.append(
            f"{listed(proposed)}: the text does not confirm the record; the user may accept it"
        )
    return result.model_copy(update={"warnings": tuple(warnings), "identified": found.counts})
