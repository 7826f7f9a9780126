"""Handler of review."""

import logging
from typing import Final

from citeloom.application.ports.research import Recorded
from citeloom.application.projects.choice import ProjectChoice
from citeloom.application.review.requests import ReviewRequest
from citeloom.domain.errors import InvalidRequest, SessionNotFound
from citeloom.domain.research.session import LOCAL_USER, Depth, SessionStatus
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.review import reviewed
from citeloom.infrastructure.mcp.contract.parameters.reviews import ReviewParameters
from citeloom.infrastructure.mcp.handlers.waiting import awaited
from citeloom.infrastructure.serving.errors import JobNotFound, MissingParameter
from citeloom.infrastructure.serving.jobs import reviews
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.jobs.reviews import EndedReview, Resumption
from citeloom.infrastructure.serving.jobs.view import JobView
from citeloom.infrastructure.serving.served import Served
from citeloom.infrastructure.system.validated_request import build

_log: Final = logging.getLogger(__name__)
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
    """The report from ``offset`` on, when it is there."""

    def ended() -> Content:
        return reviewed(_session(served, str(job.result().session_id)), offset, job.id)

    return awaited(served, job, ended, seconds)


def _begun(served: Served, parameters: ReviewParameters) -> AnyReview:
    application = served.application
    request = _request(
        parameters,
        application.projects.choice,
        application.settings.review.writer,
        application.research.user,
    )
    _announce(served, request.writer)
    application.stores.catalogue.project(request.project_id)
    return served.jobs.reviews.submit(request)


def _gone_on_with(served: Served, parameters: ReviewParameters, id: str) -> AnyReview | Recorded:
    """The job that works on it, or the session as the record has it where none does and
    none is needed: it is completed, or another process works on it."""
    _refuse_beside_job(parameters)
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
    resumption = Resumption.of(found.session)
    _announce(served, resumption.writer)
    return served.jobs.reviews.submit(resumption)


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
    """In the server's log, before anything is sent to a language model. Raises
    ConfigurationError where one is wanted and none is configured."""
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


def _request(
    parameters: ReviewParameters, choice: ProjectChoice, writer: str, user: str = LOCAL_USER
) -> ReviewRequest:
    """``writer`` is that of the settings; ``user`` whose review it is. Raises MissingParameter,
    InvalidRequest, ProjectNotChosen."""
    if parameters.question is None:
        raise MissingParameter("question", "or give a job_id alone")
    if parameters.cancel:
        raise InvalidRequest("cancel: goes with job_id; say what to cancel", parameter="cancel")
    return build(
        ReviewRequest,
        project_id=choice(parameters.project),
        question=parameters.question,
        depth=Depth(parameters.depth) if parameters.depth else None,
        user_id=user,
        writer=writer,
    )


def _refuse_beside_job(parameters: ReviewParameters) -> None:
    """Raises InvalidRequest for what a job cannot be asked: it has its question."""
    for name in _OF_A_QUESTION:
        if getattr(parameters, name) is not None:
            raise InvalidRequest(
                f"{name}: does not go with job_id; leave it out, or job_id", parameter=name
            )
