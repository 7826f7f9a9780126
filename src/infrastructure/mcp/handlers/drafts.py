"""Handler of verify."""

import logging
from pathlib import Path
from typing import Final

from citeloom.application.documents.folder_access import FolderAccess
from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.projects.choice import ProjectChoice
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.verification.drafts.citation_forms import guessed_format
from citeloom.domain.verification.drafts.findings import Verification
from citeloom.infrastructure.mcp.answers.verification import verified
from citeloom.infrastructure.mcp.contract.parameters.drafts import VerifyParameters
from citeloom.infrastructure.mcp.handlers.waiting import awaited
from citeloom.infrastructure.serving.errors import MissingParameter
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.jobs.view import JobView
from citeloom.infrastructure.serving.served import Served

_log: Final = logging.getLogger(__name__)


def verify(served: Served, parameters: VerifyParameters) -> Pending:
    application = served.application
    if parameters.job_id is None:
        request = _request(parameters, application.projects.choice, application.folders)
        application.stores.catalogue.project(request.project_id)
        if notice := application.verification.model_notice():
            _log.warning("verify: %s", notice)
        job = served.jobs.checks.submit(request)
    else:
        _refuse_beside_job(parameters)
        job = served.jobs.checks.find(parameters.job_id)
    return checked(served, job, parameters.offset)


def checked(
    served: Served, job: JobView[Verification], offset: int = 0, seconds: float | None = None
) -> Pending:
    """The findings from ``offset`` on, when they are there."""
    return awaited(served, job, lambda: verified(job.id, job.result(), offset), seconds)


_OF_A_DRAFT: Final = ("project", "text", "path", "format", "uncited")


def _request(
    parameters: VerifyParameters, choice: ProjectChoice, access: FolderAccess
) -> VerifyRequest:
    """Of a draft that is given as ``text`` or ``path``. Raises MissingParameter,
    InvalidRequest, ProjectNotChosen, OutsideFolders."""
    if parameters.path is None:
        if not parameters.text:
            raise MissingParameter("text", "or give the path of a draft, or a job_id alone")
        markup = parameters.format or guessed_format(parameters.text)
        draft: Path | DraftText = DraftText(text=parameters.text, markup=DraftMarkup(markup))
    else:
        for name in ("text", "format"):
            if getattr(parameters, name) is not None:
                raise InvalidRequest(f"{name}: does not go with path; leave it out", parameter=name)
        draft = access.draft(parameters.path, "path").path
    return VerifyRequest(
        project_id=choice(parameters.project), draft=draft, uncited=parameters.uncited
    )


def _refuse_beside_job(parameters: VerifyParameters) -> None:
    """Raises InvalidRequest for what a job cannot be asked: it has its draft."""
    for name in _OF_A_DRAFT:
        if getattr(parameters, name):
            raise InvalidRequest(
                f"{name}: does not go with job_id; leave it out, or job_id", parameter=name
            )
