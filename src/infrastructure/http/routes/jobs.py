"""Ingests, and all jobs of the server: list, state, cancel, follow."""

from collections.abc import AsyncIterator, Sequence
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel

from citeloom.domain.ingest import IngestRequest, IngestResult
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.http.access import OfProject, Verbs, body_of
from citeloom.infrastructure.http.events import (
    After,
    FollowedJob,
    JobState,
    LastEventId,
    begun,
    begun_after,
    check_given,
)
from citeloom.infrastructure.http.lists import Paged
from citeloom.infrastructure.http.uploads import check_entries, file_name, joined, kept
from citeloom.infrastructure.serving.jobs.job import JobView
from citeloom.infrastructure.system.workspace import upload_folder

router = APIRouter(tags=["jobs"])


class JobPage(BaseModel):
    """In order of arrival; ``next`` is the cursor of the next page, null on the last."""

    jobs: Sequence[JobState]
    total: int
    next: str | None


class UploadState(JobState):
    """The job that reads a file; ``file`` is the name under which it is kept."""

    file: str


class SourceBody(BaseModel):
    """A file or folder on the server's machine, in a folder that may be read (``mcp.folders``)."""

    model_config = body_of(source="/home/ada/papers")

    source: str
    references: str | None = None
    force: bool = False


@router.post("/projects/{namespace}/{name}/ingests", status_code=202)
async def begin_ingest(
    verbs: Verbs, project_id: OfProject, body: Annotated[SourceBody, Body()], response: Response
) -> JobState:
    """Read a file or folder into a project, created if needed: a job."""
    folders = verbs.application.folders

    def request() -> IngestRequest:
        verbs.application.check_filling(project_id)
        source = folders.source(body.source, "source")
        references = folders.source(body.references, "references") if body.references else None
        return IngestRequest(
            project_id=project_id,
            sources=(str(source.path),),
            references=(str(references.path),) if references else (),
            force=body.force,
            passwords=verbs.application.stores.passwords,
            within=source.within,
        )

    job = await verbs.run("ingest", lambda: verbs.jobs.ingests.submit(request()))
    return begun(job, response)


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
async def upload_file(
    verbs: Verbs,
    request: Request,
    response: Response,
    project_id: OfProject,
    file: Annotated[str, Path(max_length=300, description="Its name, with its ending.")],
) -> UploadState:
    """Send a file as the body. It is kept below ``uploads`` in the workspace, or in the folder that
    machines share, and a job reads it into the project, together with the project's other waiting
    files. A file with the ending of a reference file (.bib, .ris, .json and others) becomes the
    project's first reference file, and the papers are cited by it. Sending the same file again
    costs nothing."""
    await verbs.run("upload", lambda: verbs.application.check_filling(project_id))
    folder = upload_folder(verbs.application.stores.upload_root, project_id)
    path = await kept(request.stream(), folder, file_name(file))
    wanted = IngestRequest(
        project_id=project_id,
        sources=(str(path),),
        passwords=verbs.application.stores.passwords,
    )

    def submit() -> JobView[IngestResult]:
        if path.suffix.lower() not in verbs.application.stores.references.suffixes:
            return verbs.jobs.ingests.submit(wanted, joined)
        check_entries(verbs.application, path)
        changes = {"sources": (), "references": (str(path),)}
        return verbs.jobs.ingests.submit(wanted.model_copy(update=changes), joined)

    state = begun(await verbs.run("upload", submit), response)
    return UploadState(**state.model_dump(), file=path.name)


@router.get("/jobs")
async def list_jobs(
    verbs: Verbs, paging: Paged, project: Annotated[str | None, Query(max_length=300)] = None
) -> JobPage:
    """The jobs of all processes of this library: running ones, and those that ended within seven
    days."""
    wanted = ProjectId.parse(project).value if project else None

    def listed() -> JobPage:
        jobs = [job for job in verbs.jobs.all() if wanted in (None, job.project)]
        shown, rest = paging.of(jobs, lambda one: one.id, f"jobs {project}")
        return JobPage(jobs=[JobState.of(job) for job in shown], **rest)

    return await verbs.run("list jobs", listed)


@router.get("/jobs/{job_id}")
async def show_job(verbs: Verbs, job_id: str) -> JobState:
    """How far a job is, and how it ended."""
    return await verbs.run("job", lambda: JobState.of(verbs.jobs.find(job_id)))


@router.delete("/jobs/{job_id}", status_code=202)
async def cancel_job(verbs: Verbs, job_id: str) -> JobState:
    """End a job at its next checkpoint; what it finished is kept."""

    def cancel() -> JobState:
        job = verbs.jobs.find(job_id)
        verbs.jobs.cancel(job)
        return JobState.of(job)

    return await verbs.run("cancel job", cancel)


async def followed(
    verbs: Verbs, job_id: str, last_event_id: LastEventId = None, after: After = 0
) -> AsyncIterator[FollowedJob]:
    """Raises JobNotFound, InvalidRequest, and Busy where too many streams are open."""
    begun = begun_after(last_event_id, after)
    with verbs.streams.opened("events"):
        job = await verbs.streams.look(lambda: verbs.jobs.find(job_id))
        check_given(begun, job.last_event, "job")
        yield FollowedJob(job, verbs.streams, begun, verbs.jobs.sees)


@router.get("/jobs/{job_id}/events", response_class=EventSourceResponse)
async def follow_job(
    job: Annotated[FollowedJob, Depends(followed)],
) -> AsyncIterator[ServerSentEvent]:
    """Its states as server-sent events (`progress`), numbered, each time something has changed;
    the last event has no number and is called as the job ended: `done`, `failed` or `cancelled`.
    Send `Last-Event-ID` to go on where you were, at whatever process of the library."""
    async for event in job.events():
        yield event
