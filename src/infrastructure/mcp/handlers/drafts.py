"""Handler of verify."""

import logging
from typing import Final

from citeloom.domain.verification.drafts.findings import Verification
from citeloom.infrastructure.mcp.answers.verification import verified
from citeloom.infrastructure.mcp.contract.parameters.drafts import VerifyParameters
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.handlers.waiting import awaited
from citeloom.infrastructure.mcp.jobs import verifications
from citeloom.infrastructure.mcp.jobs.pending import Pending
from citeloom.infrastructure.mcp.jobs.view import JobView

_log: Final = logging.getLogger(__name__)


def verify(served: Served, parameters: VerifyParameters) -> Pending:
    application = served.application
    if parameters.job_id is None:
        request = verifications.request(
            parameters, application.projects.choice, application.folders
        )
        application.stores.catalogue.project(request.project_id)
        if notice := application.verification.model_notice():
            _log.warning("verify: %s", notice)
        job = served.jobs.checks.submit(request)
    else:
        verifications.refuse_beside_job(parameters)
        job = served.jobs.checks.find(parameters.job_id)
    return checked(served, job, parameters.offset)


def checked(
    served: Served, job: JobView[Verification], offset: int = 0, seconds: float | None = None
) -> Pending:
    """The findings from ``offset`` on, when they are there."""
    return awaited(served, job, lambda: verified(job.id, job.result(), offset), seconds)
