"""Handlers of ingest_from_source and ingest_status."""

from collections.abc import Mapping, Sequence
from typing import Final

from citeloom.application.documents.folder_access import FolderAccess
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.ingest.request import IngestRequest
from citeloom.domain.library.snapshot import LibraryScope, SyncRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.mcp.answers import ingest
from citeloom.infrastructure.mcp.answers.contents import Content
from citeloom.infrastructure.mcp.answers.ingest import IngestReply
from citeloom.infrastructure.mcp.contract.parameters.ingest import (
    IngestOptions,
    IngestParameters,
    StatusParameters,
)
from citeloom.infrastructure.mcp.handlers.waiting import awaited
from citeloom.infrastructure.serving.errors import MissingParameter
from citeloom.infrastructure.serving.jobs.ingests import Wanted
from citeloom.infrastructure.serving.jobs.pending import Pending
from citeloom.infrastructure.serving.jobs.view import JobView
from citeloom.infrastructure.serving.served import Served


def ingest_from_source(served: Served, parameters: IngestParameters) -> Pending:
    options = parameters.options
    application = served.application
    request = _request(parameters, application.stores.passwords, application.folders)
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


#: The source that is no path.
ZOTERO: Final = "zotero"
_ZOTERO_ONLY: Final = ("collection_key", "include_tags", "exclude_tags", "zotero_config")


def _request(
    parameters: IngestParameters, passwords: Mapping[str, str], access: FolderAccess
) -> Wanted:
    """Raises OutsideFolders; MissingParameter and InvalidRequest for options that do not go
    together: what would narrow down what is ingested is not passed over."""
    options, project_id = parameters.options, ProjectId.parse(parameters.project)
    if parameters.source != ZOTERO:
        _refuse(options, _ZOTERO_ONLY, f"goes with source {ZOTERO!r} only; leave it out")
        source = access.source(parameters.source, "source")
        references = options.references and access.source(options.references, "options.references")
        return IngestRequest(
            project_id=project_id,
            sources=(str(source.path),),
            references=str(references.path) if references else None,
            force=options.force_rebuild,
            passwords=passwords,
            within=source.within,
        )
    if options.collection_key is None:
        raise MissingParameter("options.collection_key", "name the Zotero collection to ingest")
    _refuse(options, ("references",), "Zotero's items are the references; leave it out")
    _refuse(options, ("zotero_config",), "the settings under [zotero] say it; leave it out")
    scope = LibraryScope(
        collections=(options.collection_key,),
        tags=tuple(options.include_tags),
        exclude_tags=tuple(options.exclude_tags),
    )
    return SyncRequest(
        project_id=project_id, scope=scope, force=options.force_rebuild, passwords=passwords
    )


def _refuse(options: IngestOptions, names: Sequence[str], why: str) -> None:
    for name in names:
        if getattr(options, name):
            raise InvalidRequest(f"options.{name}: {why}", parameter=f"options.{name}")
