"""Answers in sentences, as jobs."""

from typing import Annotated

from fastapi import APIRouter, Body, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from citeloom.domain.review.answer import AskRequest, WrittenAnswer
from citeloom.domain.search.request import MAX_QUERY_CHARACTERS
from citeloom.infrastructure.http.access import OfProject, Verbs
from citeloom.infrastructure.http.events import JobState, begun
from citeloom.infrastructure.http.problems import worded
from citeloom.infrastructure.serving.jobs.checks import written_so_far
from citeloom.infrastructure.serving.jobs.job import JobView

from .projects import filter_of

router = APIRouter(tags=["answers"])


class AskBody(BaseModel):
    """A question to the papers of a project."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"question": "How far does a pond cool the evening air?"}]},
    )

    question: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_CHARACTERS)
    ]
    filters: list[str] = Field(default=[], max_length=50, description="clauses; all hold")


@router.post("/projects/{namespace}/{name}/answers", status_code=202)
async def begin_answer(
    verbs: Verbs, project_id: OfProject, body: Annotated[AskBody, Body()], response: Response
) -> JobState:
    """Answer a question in sentences, each checked before it counts: a job, whose `done` are
    sentences."""
    wanted = AskRequest(
        project_id=project_id,
        question=body.question,
        filter=filter_of(body.filters),
    )

    def submit() -> JobView[WrittenAnswer]:
        verbs.application.stores.catalogue.project(project_id)
        return verbs.jobs.answers.submit(wanted)

    return begun(await verbs.run("ask", submit), response)


@router.get("/jobs/{job_id}/answer", response_model=WrittenAnswer | None)
async def show_answer(verbs: Verbs, job_id: str) -> Response:
    """The answer, also while it is written; null while nothing is."""
    found = await verbs.run("answer", lambda: written_so_far(verbs.jobs.answers.find(job_id)))
    return JSONResponse(None) if found is None else worded(found)
