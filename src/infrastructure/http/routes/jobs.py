"""Ingests, and all jobs of the server: list, state, cancel, follow."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Self

from fastapi import APIRouter, Body, Depends, Path, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict

from citeloom.domain.errors import CiteLoomError
from citeloom.domain.ingest.report import IngestResult
from citeloom.domain.ingest.request import IngestRequest
from citeloom.domain.projects.project_id import ProjectId
from citeloom.infrastructure.http.access import Access, Verbs
from citeloom.infrastructure.http.next_steps import in_words
from citeloom.infrastructure.http.uploads import file_name, kept, upload_folder
from citeloom.infrastructure.mcp.jobs.ingests import IngestJob
from citeloom.infrastructure.mcp.jobs.job import AnyJob

router = APIRouter(tags=["jobs"])
_UNREAD: Final = "the job failed; the server's log has the details"


class JobState(BaseModel):
    """A job. ``done`` of ``total`` is in documents, citations or steps; ``total`` is null while it
    is not known. ``position`` counts in the queue, from 1. ``code`` and ``detail`` say why it
    failed; ``documents`` what became of each file of an ingest that has ended."""

    id: str
    kind: str
    project: str
    status: str
    done: float
    total: float | None
    doing: str | None
    position: int | None
    started: datetime | None
    code: str | None = None
    detail: str | None = None
    documents: Sequence[dict[str, Any]] | None = None
    warnings: Sequence[str] = ()

    @classmethod
    def of(cls, verbs: Access, job: AnyJob) -> Self:
        advance = job.advance()
        before = verbs.jobs.before(job)
        state = cls(
            id=job.id,
            kind=job.kind,
            project=job.project,
            status=job.status.value,
            done=advance.done,
            total=advance.total,
            doing=None if job.has_ended else advance.doing,
            position=len(before) or None,
            started=job.started,
        )
        return state._ended(job) if job.has_ended else state

    def _ended(self, job: AnyJob) -> Self:
        try:
            result = job.result()
        except CiteLoomError as error:
            return self.model_copy(update={"code": error.code, "detail": in_words(error.message)})
        except Exception:
            return self.model_copy(update={"code": "INTERNAL_ERROR", "detail": _UNREAD})
        if not isinstance(result, IngestResult):
            return self
        told = result.model_dump(mode="json", context=in_words)
        return self.model_copy(
            update={"documents": told["documents"], "warnings": told.get("warnings", ())}
        )


class JobList(BaseModel):
    jobs: Sequence[JobState]


class SourceBody(BaseModel):
    """A file or folder on the server's machine, in a folder that may be read (``mcp.folders``)."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"source": "/home/ada/papers"}]}
    )

    source: str
    references: str | None = None
    force: bool = False


@router.post("/projects/{namespace}/{name}/ingests", status_code=202)
async def ingest(
    verbs: Verbs, namespace: str, name: str, body: Annotated[SourceBody, Body()]
) -> JobState:
    """Read a file or folder into a project, which is made if there is none: a job."""
    project_id = ProjectId.parse(f"{namespace}/{name}")
    folders = verbs.application.folders

    def request() -> IngestRequest:
        source = folders.source(body.source, "source")
        references = folders.source(body.references, "references") if body.references else None
        return IngestRequest(
            project_id=project_id,
            sources=(str(source.path),),
            references=str(references.path) if references else None,
            force=body.force,
            passwords=verbs.application.stores.passwords,
            within=source.within,
        )

    return _submitted(verbs, await verbs.run("ingest", request))


@router.put(
    "/projects/{namespace}/{name}/uploads/{file}",
    status_code=202,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"format": "binary"}}},
        }
    },
)
async def upload(
    verbs: Verbs,
    request: Request,
    namespace: str,
    name: str,
    file: Annotated[str, Path(max_length=300, description="Its name, with its ending.")],
) -> JobState:
    """Send a file as the body: it is kept below ``uploads`` in the workspace and read into the
    project, as a job. The same file again costs nothing."""
    project_id = ProjectId.parse(f"{namespace}/{name}")
    folder = upload_folder(verbs.application.workspace.root, project_id)
    path = await kept(request.stream(), folder, file_name(file))
    wanted = IngestRequest(
        project_id=project_id,
        sources=(str(path),),
        passwords=verbs.application.stores.passwords,
    )
    return _submitted(verbs, wanted)


@router.get("/jobs")
async def list_jobs(
    verbs: Verbs, project: Annotated[str | None, Query(max_length=300)] = None
) -> JobList:
    """The jobs of this server since its start, the latest 64 of each kind."""
    wanted = ProjectId.parse(project).value if project else None
    jobs = [job for job in verbs.jobs.all() if wanted in (None, job.project)]
    return JobList(jobs=[JobState.of(verbs, job) for job in jobs])


@router.get("/jobs/{job_id}")
async def show_job(verbs: Verbs, job_id: str) -> JobState:
    """How far a job is, and how it ended."""
    return JobState.of(verbs, verbs.jobs.find(job_id))


@router.delete("/jobs/{job_id}", status_code=202)
async def cancel_job(verbs: Verbs, job_id: str) -> JobState:
    """End a job at its next checkpoint; what it finished is kept."""
    job = verbs.jobs.find(job_id)
    job.cancel()
    return JobState.of(verbs, job)


async def followed(verbs: Verbs, job_id: str) -> AsyncIterator[AnyJob]:
    """Raises JobNotFound, and Busy where too many streams are open."""
    with verbs.streams.opened("events"):
        yield verbs.jobs.find(job_id)


@router.get("/jobs/{job_id}/events", response_class=EventSourceResponse)
async def follow_job(
    verbs: Verbs, job: Annotated[AnyJob, Depends(followed)]
) -> AsyncIterator[ServerSentEvent]:
    """Its states as server-sent events (`progress`), each time something has changed; the last is
    called as the job ended. Whoever comes back gets the present one."""
    told: JobState | None = None
    number = 0
    while True:
        has_ended = job.has_ended
        state = JobState.of(verbs, job)
        if state != told:
            told, number = state, number + 1
            kind = state.status if has_ended else "progress"
            yield ServerSentEvent(data=state.model_dump(mode="json"), event=kind, id=str(number))
        if has_ended or not await verbs.streams.pause():
            return


def _submitted(verbs: Access, wanted: IngestRequest) -> JobState:
    job: IngestJob = verbs.jobs.ingests.submit(wanted)
    job.is_known = True
    return JobState.of(verbs, job)
