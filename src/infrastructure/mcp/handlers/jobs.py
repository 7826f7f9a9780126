"""Handlers of what becomes a job: ingests, verifications, reviews, tables."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from citeloom.application.documents.folder_access import FolderAccess
from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.projects.projects import ProjectChoice
from citeloom.application.review.requests import ReviewRequest
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import CiteLoomError, InvalidRequest, SessionNotFound
from citeloom.domain.ingest import IngestRequest, IngestResult
from citeloom.domain.jobs import JobStatus
from citeloom.domain.library import LibraryScope, SyncRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.research.session import LOCAL_USER, Depth, Recorded, SessionStatus
from citeloom.domain.review.answer import AskRequest
from citeloom.domain.review.report.table import PaperTable, TableRequest
from citeloom.domain.verification.drafts.draft import Verification
from citeloom.domain.verification.drafts.typed_citations import guessed_format
from citeloom.infrastructure.mcp.answers import jobs as ingest
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.jobs import (
    IngestReply,
    answered,
    listing,
    looked_up,
    reviewed,
    tabled,
    unfinished,
    validated,
    verified,
)
from citeloom.infrastructure.mcp.contract.arguments import to_filter
from citeloom.infrastructure.mcp.contract.parameters import (
    AskParameters,
    IngestParameters,
    JobsParameters,
    Parameters,
    ReviewParameters,
    StatusParameters,
    TableParameters,
    VerifyParameters,
)
from citeloom.infrastructure.serving.jobs import checks, ingests, reviews
from citeloom.infrastructure.serving.jobs.ingests import Wanted
from citeloom.infrastructure.serving.jobs.job import AnyView, JobView
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.jobs.reviews import EndedReview, writer_of
from citeloom.infrastructure.serving.next_steps import JobNotFound, MissingParameter
from citeloom.infrastructure.serving.served import Served
from citeloom.infrastructure.system.validated_request import build


def awaited(
    served: Served, job: AnyView, ended: Callable[[], Content], seconds: float | None = None
) -> Pending:
    """The result of the job from ``ended`` if there is one, else its progress after ``seconds``, at
    most the patience of a call."""

    def answer() -> Content:
        if not job.has_ended or job.status is JobStatus.CANCELLED:
            return unfinished(job)
        with _named(job):
            return ended()

    return Pending(job, served.patience if seconds is None else seconds, answer)


@contextmanager
def _named(job: AnyView) -> Iterator[None]:
    """Errors that ended the job name it."""
    try:
        yield
    except CiteLoomError as error:
        error.details = {**error.details, **job.handles()}
        raise


_log: Final = logging.getLogger(__name__)


def verify(served: Served, parameters: VerifyParameters) -> Pending:
    application = served.application
    if parameters.job_id is None:
        request = _verify_request(parameters, application.projects.choice, application.folders)
        application.stores.catalogue.project(request.project_id)
        if notice := application.verification.model_notice():
            _log.warning("verify: %s", notice)
        job = served.jobs.checks.submit(request)
    else:
        _refuse(parameters, _OF_A_DRAFT, _BESIDE_JOB)
        job = served.jobs.checks.find(parameters.job_id)
    return checked(served, job, parameters.offset)


def checked(
    served: Served, job: JobView[Verification], offset: int = 0, seconds: float | None = None
) -> Pending:
    """The findings from ``offset`` on, when they are there."""
    return awaited(served, job, lambda: verified(job.id, job.result(), offset), seconds)


_OF_A_DRAFT: Final = ("project", "text", "path", "format", "uncited")


def _verify_request(
    parameters: VerifyParameters, choice: ProjectChoice, access: FolderAccess
) -> VerifyRequest:
    """Of a draft that is given as ``text`` or ``path``. Raises MissingParameter,
    InvalidRequest, ProjectNotChosen, OutsideFolders."""
    if parameters.path is None:
        if not parameters.text:
            raise MissingParameter("text", "or give the path of a draft, or a job_id alone")
        markup = parameters.format or DraftMarkup(guessed_format(parameters.text))
        draft: Path | DraftText = DraftText(text=parameters.text, markup=markup)
    else:
        for name in ("text", "format"):
            if getattr(parameters, name) is not None:
                raise InvalidRequest(f"{name}: does not go with path; leave it out", parameter=name)
        draft = access.draft(parameters.path, "path").path
    return VerifyRequest(
        project_id=choice(parameters.project), draft=draft, uncited=parameters.uncited
    )


_BESIDE_JOB: Final = "does not go with job_id; leave it out, or job_id"


def _refuse(parameters: Parameters, names: Sequence[str], why: str, within: str = "") -> None:
    """Raises InvalidRequest for the first given one of ``names``, so that no restriction is
    ignored. ``within`` precedes the names."""
    for name in names:
        if getattr(parameters, name):
            raise InvalidRequest(f"{within}{name}: {why}", parameter=f"{within}{name}")


def table(served: Served, parameters: TableParameters) -> Pending:
    application = served.application
    if parameters.job_id is not None:
        _refuse(parameters, _OF_A_TABLE, _BESIDE_JOB)
        job = served.jobs.tables.find(parameters.job_id)
        return filled(served, job, parameters.offset)
    request = build(
        TableRequest,
        project_id=application.projects.choice(parameters.project),
        questions=tuple(parameters.questions),
        drop=tuple(parameters.drop),
        filter=to_filter(parameters.filters),
        writer=application.settings.review.writer,
    )
    application.stores.catalogue.project(request.project_id)
    if notice := application.research.table_notice(request.writer):
        _log.warning("table: %s", notice)
    return filled(served, served.jobs.tables.submit(request), parameters.offset)


_OF_A_TABLE: Final = ("project", "questions", "drop")


def filled(
    served: Served, job: JobView[PaperTable], offset: int = 0, seconds: float | None = None
) -> Pending:
    """The rows from ``offset`` on, when they are there."""
    return awaited(served, job, lambda: tabled(job.id, job.result(), offset), seconds)


def ingest_from_source(served: Served, parameters: IngestParameters) -> Pending:
    options = parameters.options
    application = served.application
    if options.identify and application.settings.metadata.lookup == "off":
        raise InvalidRequest(
            "options.identify: metadata.lookup is off here: nothing is sent to public services; "
            "the user may set it to ask or on",
            parameter="options.identify",
        )
    request = _ingest_request(parameters, application.stores.passwords, application.folders)
    application.check_filling(request.project_id)
    job = served.jobs.ingests.submit(request)
    pending = awaited(served, job, lambda: result(served, job))
    if not options.ocr_languages:
        return pending

    def warned() -> Content:
        answer = pending.answer()
        ignored = "options.ocr_languages: the setting ocr.languages decides; the option was ignored"
        return {**answer, "warnings": [*answer.get("warnings", ()), ignored]}

    return Pending(job, pending.seconds, warned)


def ingest_status(served: Served, parameters: StatusParameters) -> Pending:
    job = served.jobs.ingests.find(parameters.job_id)
    return ingested(served, job, parameters.wait_seconds)


def ingested(served: Served, job: JobView[IngestResult], seconds: float) -> Pending:
    """The job's result with its id, if it exists."""
    done = {"job_id": job.id, "status": "done"}
    return awaited(served, job, lambda: {**done, **result(served, job)}, seconds)


def result(served: Served, job: JobView[IngestResult]) -> IngestReply:
    found = job.result()
    ingest.refuse_failure(found)
    project = served.application.stores.catalogue.project(ProjectId.parse(job.project))
    return ingest.ingested(found, project.sparse_model)


#: The source that is not a path.
ZOTERO: Final = "zotero"
_ZOTERO_ONLY: Final = ("collection_key", "include_tags", "exclude_tags", "zotero_config")


def _ingest_request(
    parameters: IngestParameters, passwords: Mapping[str, str], access: FolderAccess
) -> Wanted:
    """Raises OutsideFolders; MissingParameter and InvalidRequest for options that do not go
    together."""
    options, project_id = parameters.options, ProjectId.parse(parameters.project)
    if parameters.source != ZOTERO:
        only = f"goes with source {ZOTERO!r} only; leave it out"
        _refuse(options, _ZOTERO_ONLY, only, "options.")
        source = access.source(parameters.source, "source")
        references = options.references and access.source(options.references, "options.references")
        return IngestRequest(
            project_id=project_id,
            sources=(str(source.path),),
            references=(str(references.path),) if references else (),
            force=options.force_rebuild,
            passwords=passwords,
            within=source.within,
            identify=options.identify,
        )
    if options.collection_key is None:
        raise MissingParameter("options.collection_key", "name the Zotero collection to ingest")
    items, settings = "Zotero's items are the references", "the settings under [zotero] say it"
    _refuse(options, ("references", "identify"), f"{items}; leave it out", "options.")
    _refuse(options, ("zotero_config",), f"{settings}; leave it out", "options.")
    scope = LibraryScope(
        collections=(options.collection_key,),
        tags=tuple(options.include_tags),
        exclude_tags=tuple(options.exclude_tags),
    )
    return SyncRequest(
        project_id=project_id, scope=scope, force=options.force_rebuild, passwords=passwords
    )


def ask(served: Served, parameters: AskParameters) -> Pending:
    application = served.application
    request = build(
        AskRequest,
        project_id=application.projects.choice(parameters.project),
        question=parameters.question,
    )
    application.stores.catalogue.project(request.project_id)
    notices = (application.research.ask.notice, application.verification.model_notice())
    for notice in filter(None, notices):
        _log.warning("ask: %s", notice)
    job = served.jobs.answers.submit(request)
    return awaited(served, job, lambda: answered(job))


AnyReview = JobView[EndedReview]


def review(served: Served, parameters: ReviewParameters) -> Content | Pending:
    if parameters.job_id is None:
        found: AnyReview | Recorded = _begun(served, parameters)
    else:
        found = _gone_on_with(served, parameters, parameters.job_id)
    if isinstance(found, Recorded):
        return reviewed(found, parameters.offset)
    return reported(served, found, parameters.offset)


def reported(
    served: Served, job: AnyReview, offset: int = 0, seconds: float | None = None
) -> Pending:
    """The report from ``offset`` on, if it exists."""

    def ended() -> Content:
        return reviewed(_session(served, str(job.result().session_id)), offset, job.id)

    return awaited(served, job, ended, seconds)


def _begun(served: Served, parameters: ReviewParameters) -> AnyReview:
    application = served.application
    request = _review_request(
        parameters,
        application.projects.choice,
        application.settings.review.writer,
        application.research.user,
    )
    _announce(served, request.writer)
    application.stores.catalogue.project(request.project_id)
    return served.jobs.reviews.submit(request)


def _gone_on_with(served: Served, parameters: ReviewParameters, id: str) -> AnyReview | Recorded:
    """The job that works on the session, or the session as recorded if it has none and needs none:
    it is completed, or another process works on it."""
    _refuse(parameters, _OF_A_QUESTION, _BESIDE_JOB)
    job = _job(served, id)
    if job is not None:
        if parameters.cancel:
            served.jobs.cancel(job)
        return job
    found = _session(served, id)
    if parameters.cancel:
        served.application.research.sessions.cancel(str(found.session.id))
        return _session(served, id)
    if found.session.status in (SessionStatus.COMPLETED, SessionStatus.IN_PROGRESS):
        return found
    _announce(served, writer_of(found.session))
    return served.jobs.reviews.submit(found.session)


def _job(served: Served, id: str) -> AnyReview | None:
    """One of this id, or one that works on this session."""
    jobs = served.jobs.reviews
    if own := jobs.latest(lambda one: id == one.session and not one.has_ended):
        return own
    try:
        job = jobs.find(id)
    except JobNotFound:
        return None
    return job if job.id == id or not job.has_ended else None


def _announce(served: Served, writer: str) -> None:
    """Log what will be sent to a language model. Raises ConfigurationError if a model is wanted and
    none is configured."""
    if notice := served.application.research.model_notice(writer):
        _log.warning("review: %s", notice)


def _session(served: Served, name: str) -> Recorded:
    try:
        found = served.application.research.sessions.show(name)
    except SessionNotFound:
        raise JobNotFound(name, reviews.TOOL) from None
    if found.session.is_deleted:
        raise JobNotFound(name, reviews.TOOL)
    return found


_OF_A_QUESTION: Final = ("project", "question", "depth")


def _review_request(
    parameters: ReviewParameters, choice: ProjectChoice, writer: str, user: str = LOCAL_USER
) -> ReviewRequest:
    """``writer`` defaults to the settings; ``user`` owns the review. Raises MissingParameter,
    InvalidRequest, ProjectNotChosen."""
    if parameters.question is None:
        raise MissingParameter("question", "or give a job_id alone")
    _refuse(parameters, ("cancel",), "goes with job_id; say what to cancel")
    return build(
        ReviewRequest,
        project_id=choice(parameters.project),
        question=parameters.question,
        depth=Depth(parameters.depth) if parameters.depth else None,
        user_id=user,
        writer=writer,
    )


# How long a call that cancels waits for the end, in seconds; a job ends sooner.
_END_SECONDS = 5


def jobs(served: Served, parameters: JobsParameters) -> Content | Pending:
    if parameters.job_id is None:
        _refuse(parameters, ("cancel", "wait_seconds"), "goes with job_id; say which job is meant")
        return listing(served.jobs, parameters.offset)
    job = served.jobs.find(parameters.job_id)
    seconds = parameters.wait_seconds
    if parameters.cancel and not job.has_ended:
        served.jobs.cancel(job)
        seconds = max(seconds, _END_SECONDS)
    match job.kind:
        case ingests.KIND.name:
            return ingested(served, job, seconds)
        case checks.VERIFICATION.name:
            return checked(served, job, parameters.offset, seconds)
        case reviews.KIND.name:
            return reported(served, job, parameters.offset, seconds)
        case checks.TABLE.name:
            return filled(served, job, parameters.offset, seconds)
        case checks.VALIDATION.name:
            return awaited(served, job, lambda: validated(job), seconds)
        case checks.LOOKUP.name:
            return awaited(served, job, lambda: looked_up(job), seconds)
        case checks.ANSWER.name:
            return awaited(served, job, lambda: answered(job), seconds)
        case _:
            raise JobNotFound(parameters.job_id)
