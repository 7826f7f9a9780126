"""Validations: of a project or of all, at once or as jobs."""

from typing import Annotated, Final

from fastapi import APIRouter, Body, Query, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from citeloom.application.validation.checks import Check, Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.infrastructure.http.access import Access, OfProject, Verbs
from citeloom.infrastructure.http.events import JobState, begun
from citeloom.infrastructure.http.problems import worded
from citeloom.infrastructure.serving.jobs.job import JobView

from .verifications import result_of

router = APIRouter(tags=["validations"])

_AS_A_JOB: Final = "begin it as a job: POST /api/v1/validations"
Deep = Annotated[bool, Query(description="Read everything that is stored, not only a sample.")]


class ValidationAnswer(BaseModel):
    """``ok``: no check failed. The same facts as `citeloom validate --json`."""

    ok: bool
    checks: tuple[Check, ...]


class ValidationBody(BaseModel):
    """Without a project all are checked. ``deep`` reads everything that is stored."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"project": "reading", "deep": True}]}
    )

    project: str | None = Field(default=None, max_length=300)
    deep: bool = False


@router.get("/projects/{namespace}/{name}/validate", response_model=ValidationAnswer)
async def validate_project(verbs: Verbs, project_id: OfProject, deep: Deep = False) -> JSONResponse:
    """Check the consistency of a project: references, model, conversions, index, citations."""
    return await _validated(verbs, project_id, deep)


@router.get("/validate", response_model=ValidationAnswer)
async def validate_workspace(verbs: Verbs, deep: Deep = False) -> JSONResponse:
    """Check the catalogue and all projects."""
    return await _validated(verbs, None, deep)


@router.post("/validations", status_code=202)
async def begin_validation(
    verbs: Verbs, body: Annotated[ValidationBody, Body()], response: Response
) -> JobState:
    """Check one project or all, as a job: for what takes longer than a request may."""
    project_id = ProjectId.parse(body.project) if body.project is not None else None

    def submit() -> JobView[Validation]:
        if project_id is not None:
            verbs.application.stores.catalogue.project(project_id)
        request = ValidateRequest(project_id=project_id, deep=body.deep)
        return verbs.jobs.validations.submit(request)

    return begun(await verbs.run("validate", submit), response)


@router.get("/jobs/{job_id}/validation", response_model=ValidationAnswer)
async def show_validation(verbs: Verbs, job_id: str) -> JSONResponse:
    """The findings of a validation that has ended."""
    jobs = verbs.jobs.validations
    found = await verbs.run("validation", lambda: result_of(jobs.find(job_id)))
    return worded(_answer(found))


async def _validated(verbs: Access, project_id: ProjectId | None, deep: bool) -> JSONResponse:
    projects = verbs.application.projects

    def work() -> Validation:
        return projects.validate(project_id, retractions=projects.retraction_list, deep=deep)

    return worded(_answer(await verbs.run("validate", work, instead=_AS_A_JOB)))


def _answer(found: Validation) -> ValidationAnswer:
    return ValidationAnswer(ok=found.ok, checks=found.checks)
