"""Handlers of ingest_from_source and ingest_status."""

from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.mcp.answers import ingest
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.ingest import IngestReply
from citeloom.infrastructure.mcp.contract.parameters.ingest import (
    IngestParameters,
    StatusParameters,
)
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.handlers.waiting import awaited
from citeloom.infrastructure.mcp.jobs import ingests
from citeloom.infrastructure.mcp.jobs.pending import Pending
from citeloom.infrastructure.mcp.jobs.view import JobView


def ingest_from_source(served: Served, parameters: IngestParameters) -> Pending:
    options = parameters.options
    application = served.application
    request = ingests.request(parameters, application.stores.passwords, application.folders)
    application.check_filling(request.project_id)
    job = served.jobs.ingests.submit(request)
    pending = awaited(served, job, lambda: result(served, job))
    if not options.ocr_languages:
        return pending

    def warned() -> Content:
        answer = pending.answer()
        ignored = "options.ocr_languages: the setting ocr.languages says them; it was ignored"
        return {**answer, "warnings": [*answer.get("warnings", ()), ignored]}

    return Pending(job, pending.seconds, warned)


def ingest_status(served: Served, parameters: StatusParameters) -> Pending:
    job = served.jobs.ingests.find(parameters.job_id)
    return ingested(served, job, parameters.wait_seconds)


def ingested(served: Served, job: JobView[IngestResult], seconds: float) -> Pending:
    """The job's result, with its id, when it is there."""
    done = {"job_id": job.id, "status": "done"}
    return awaited(served, job, lambda: {**done, **result(served, job)}, seconds)


def result(served: Served, job: JobView[IngestResult]) -> IngestReply:
    found = job.result()
    ingest.refuse_failure(found)
    project = served.application.stores.catalogue.project(ProjectId.parse(job.project))
    return ingest.ingested(found, project.sparse_model)
