"""Handler of verify."""

import logging
from typing import Final

from citeloom.infrastructure.mcp.answers.search import Content
from citeloom.infrastructure.mcp.answers.verification import checking, verified
from citeloom.infrastructure.mcp.contract.parameters.drafts import VerifyParameters
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.handlers.waiting import named
from citeloom.infrastructure.mcp.jobs import verifications
from citeloom.infrastructure.mcp.jobs.queue import Tell, silent

_log: Final = logging.getLogger(__name__)


def verify(served: Served, parameters: VerifyParameters, tell: Tell = silent) -> Content:
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
    if not job.wait(served.patience, tell):
        return checking(job)
    with named(job):
        return verified(job.id, job.result(), parameters.offset)
