"""Handler of jobs."""

from citeloom.domain.errors import InvalidRequest
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.jobs import listing, validated
from citeloom.infrastructure.mcp.contract.parameters.jobs import JobsParameters
from citeloom.infrastructure.mcp.handlers.drafts import checked
from citeloom.infrastructure.mcp.handlers.ingest import ingested
from citeloom.infrastructure.mcp.handlers.reviews import reported
from citeloom.infrastructure.mcp.handlers.waiting import awaited
from citeloom.infrastructure.serving.errors import JobNotFound
from citeloom.infrastructure.serving.jobs import checks, ingests, reviews
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.served import Served

# How long a call that cancels waits for the end, in seconds; a job ends sooner.
_END_SECONDS = 5


def jobs(served: Served, parameters: JobsParameters) -> Content | Pending:
    if parameters.job_id is None:
        for name in ("cancel", "wait_seconds"):
            if getattr(parameters, name):
                raise InvalidRequest(
                    f"{name}: goes with job_id; say which job is meant", parameter=name
                )
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
        case checks.VALIDATION.name:
            return awaited(served, job, lambda: validated(job), seconds)
        case _:
            raise JobNotFound(parameters.job_id)
