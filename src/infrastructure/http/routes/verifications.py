"""Verifications of drafts, as jobs."""

from enum import StrEnum
from typing import Annotated, Final

from fastapi import APIRouter, Body, Response
from pydantic import BaseModel, ConfigDict, Field

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.verification.drafts.draft import Verification
from citeloom.domain.verification.drafts.typed_citations import guessed_format
from citeloom.domain.verification.report import markdown_report
from citeloom.infrastructure.http.access import OfProject, Verbs
from citeloom.infrastructure.http.events import JobState, begun
from citeloom.infrastructure.http.problems import in_words, worded
from citeloom.infrastructure.serving.jobs.checks import MAX_DRAFT
from citeloom.infrastructure.serving.jobs.job import JobView, Result

router = APIRouter(tags=["verifications"])

_MARKDOWN: Final = "text/markdown"


class VerificationFormat(StrEnum):
    JSON = "json"
    MARKDOWN = "markdown"


class DraftBody(BaseModel):
    """A draft as text. Its format is guessed where it is not said; ``uncited`` also lists facts
    without a citation."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "Ponds cool the evening air [@ponds, p. 3]."}]},
    )

    text: str = Field(min_length=1, max_length=MAX_DRAFT)
    format: DraftMarkup | None = None
    uncited: bool = False


@router.post("/projects/{namespace}/{name}/verifications", status_code=202)
async def begin_verification(
    verbs: Verbs, project_id: OfProject, body: Annotated[DraftBody, Body()], response: Response
) -> JobState:
    """Check the cited claims of a draft against the works that it cites: a job."""
    markup = body.format or DraftMarkup(guessed_format(body.text))
    draft = DraftText(text=body.text, markup=markup)
    wanted = VerifyRequest(project_id=project_id, draft=draft, uncited=body.uncited)

    def submit() -> JobView[Verification]:
        verbs.application.stores.catalogue.project(project_id)
        return verbs.jobs.checks.submit(wanted)

    return begun(await verbs.run("verify", submit), response)


@router.get(
    "/jobs/{job_id}/verification",
    response_model=Verification,
    responses={200: {"content": {_MARKDOWN: {}}, "description": "The findings."}},
)
async def show_verification(
    verbs: Verbs, job_id: str, format: VerificationFormat = VerificationFormat.JSON
) -> Response:
    """The findings of a verification that has ended, or a report of them for people."""
    found = await verbs.run("verification", lambda: result_of(verbs.jobs.checks.find(job_id)))
    if format is VerificationFormat.MARKDOWN:
        told = {"Content-Disposition": 'attachment; filename="report.md"'}
        return Response(markdown_report(found, in_words) + "\n", media_type=_MARKDOWN, headers=told)
    return worded(found)


def result_of(job: JobView[Result]) -> Result:
    """Raises InvalidRequest for a job that goes on, and what ended one that failed."""
    if not job.has_ended:
        raise InvalidRequest(
            f"{job.id}: the {job.kind} goes on; wait until the job has ended", parameter="job_id"
        )
    return job.result()
