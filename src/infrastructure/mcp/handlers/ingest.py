"""Handlers of ingest_from_source and ingest_status."""

from citeloom.infrastructure.mcp.answers.search import Content
from citeloom.infrastructure.mcp.contract.parameters.ingest import (
    IngestParameters,
    StatusParameters,
)
from citeloom.infrastructure.mcp.handlers.served import Served
from citeloom.infrastructure.mcp.handlers.waiting import named, progress
from citeloom.infrastructure.mcp.jobs import ingests
from citeloom.infrastructure.mcp.jobs.queue import Tell, silent


def ingest_from_source(
    served: Served, parameters: IngestParameters, tell: Tell = silent
) -> Content:
    options = parameters.options
    application = served.application
    request = ingests.request(parameters, application.stores.passwords, application.folders)
    answer = progress(served, served.jobs.ingests.submit(request), served.patience, tell)
    if options.ocr_languages:
        answer.setdefault("warnings", []).append(
            "options.ocr_languages: the setting ocr.languages says them; it was ignored"
        )
    return answer


def ingest_status(served: Served, parameters: StatusParameters, tell: Tell = silent) -> Content:
    job = served.jobs.ingests.find(parameters.job_id)
    with named(job):
        told = progress(served, job, parameters.wait_seconds, tell)
    return {"job_id": job.id, "status": "done", **told}
