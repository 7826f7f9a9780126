"""What is made by jobs: verifications of drafts, answers in sentences, tables of papers and
questions, validations of a project or of all."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from citeloom.application.ports.verification import DraftMarkup, DraftText
from citeloom.application.validation.checks import Check, Validation
from citeloom.application.validation.validate import ValidateRequest
from citeloom.application.verification.verify import VerifyRequest
from citeloom.domain.choices import TableFormat
from citeloom.domain.errors import InvalidRequest
from citeloom.domain.projects.project import ProjectId
from citeloom.domain.review.answer import AskRequest, WrittenAnswer
from citeloom.domain.review.report.table import MOST_QUESTIONS, PaperTable, TableRequest
from citeloom.domain.verification.drafts.draft import Verification
from citeloom.domain.verification.drafts.typed_citations import guessed_format
from citeloom.domain.verification.report import markdown_report
from citeloom.infrastructure.http.access import Access, OfProject, Verbs, body_of
from citeloom.infrastructure.http.events import JobState, begun
from citeloom.infrastructure.http.problems import file_of, files, in_words, worded
from citeloom.infrastructure.http.reports import page_link, verification_file
from citeloom.infrastructure.serving.jobs.checks import MAX_DRAFT, written_so_far
from citeloom.infrastructure.serving.jobs.job import JobView, Result
from citeloom.infrastructure.system.validated_request import build

from .projects import Filters, filter_of
from .search import Question

verifications_router = APIRouter(tags=["verifications"])

_MARKDOWN: Final = "text/markdown"
_HTML: Final = "text/html"


class VerificationFormat(StrEnum):
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


class DraftBody(BaseModel):
    """A draft as text. Its format is guessed where it is not said; ``uncited`` also lists facts
    without a citation."""

    model_config = body_of(text="Ponds cool the evening air [@ponds, p. 3].")

    text: str = Field(min_length=1, max_length=MAX_DRAFT)
    format: DraftMarkup | None = None
    uncited: bool = False


@verifications_router.post("/projects/{namespace}/{name}/verifications", status_code=202)
async def begin_verification(
    verbs: Verbs, project_id: OfProject, body: Annotated[DraftBody, Body()], response: Response
) -> JobState:
    """Check the cited claims of a draft against the works that it cites: a job."""
    markup = body.format or DraftMarkup(guessed_format(body.text))
    draft = DraftText(text=body.text, markup=markup)
    wanted = VerifyRequest(project_id=project_id, draft=draft, uncited=body.uncited)
    submit = partial(verbs.jobs.checks.submit, wanted)
    return await _begun(verbs, "verify", project_id, submit, response)


@verifications_router.get(
    "/jobs/{job_id}/verification",
    response_model=Verification,
    responses=files((_MARKDOWN, _HTML), "The findings."),
)
async def show_verification(
    request: Request,
    verbs: Verbs,
    job_id: str,
    format: VerificationFormat = VerificationFormat.JSON,
) -> Response:
    """The findings of a verification that has ended, or a report of them for people."""
    found = await verbs.run("verification", lambda: result_of(verbs.jobs.checks.find(job_id)))
    if format is VerificationFormat.JSON:
        return worded(found)
    if format is VerificationFormat.MARKDOWN:
        text = await verbs.run("verification", lambda: markdown_report(found, in_words))
        return file_of(f"{text}\n", _MARKDOWN, "report.md")
    link = page_link(str(request.base_url), found.project)
    text = await verbs.run("verification", partial(verification_file, found, link, in_words))
    return file_of(text, _HTML, "report.html")


async def _begun(
    verbs: Access,
    name: str,
    project_id: ProjectId | None,
    submit: Callable[[], JobView[Any]],
    response: Response,
) -> JobState:
    """The job that ``submit`` begins. Raises ProjectNotFound."""

    def work() -> JobView[Any]:
        if project_id is not None:
            verbs.application.stores.catalogue.project(project_id)
        return submit()

    return begun(await verbs.run(name, work), response)


def result_of(job: JobView[Result]) -> Result:
    """Raises InvalidRequest for a job that goes on, and what ended one that failed."""
    if not job.has_ended:
        raise InvalidRequest(
            f"{job.id}: the {job.kind} goes on; wait until the job has ended", parameter="job_id"
        )
    return job.result()


answers_router = APIRouter(tags=["answers"])


class AskBody(BaseModel):
    """A question to the papers of a project."""

    model_config = body_of(question="How far does a pond cool the evening air?")

    question: Question
    filters: list[str] = Field(default=[], max_length=50, description="clauses; all hold")


@answers_router.post("/projects/{namespace}/{name}/answers", status_code=202)
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
    submit = partial(verbs.jobs.answers.submit, wanted)
    return await _begun(verbs, "ask", project_id, submit, response)


@answers_router.get("/jobs/{job_id}/answer", response_model=WrittenAnswer | None)
async def show_answer(verbs: Verbs, job_id: str) -> Response:
    """The answer, also while it is written; null while nothing is."""
    found = await verbs.run("answer", lambda: written_so_far(verbs.jobs.answers.find(job_id)))
    return JSONResponse(None) if found is None else worded(found)


tables_router = APIRouter(tags=["tables"])


# Media type and file name.
_MEDIA: Final = {
    TableFormat.CSV: ("text/csv; charset=utf-8", "table.csv"),
    TableFormat.XLSX: (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "table.xlsx",
    ),
    TableFormat.MARKDOWN: ("text/markdown; charset=utf-8", "table.md"),
}
_FILES: Final = files((media for media, _ in _MEDIA.values()), "The table.")


class TableBody(BaseModel):
    """``questions`` are added to the columns, ``drop`` (a question, or the number of a column from
    1) are taken out. ``fresh`` reads every cell again."""

    model_config = body_of(questions=["How many participants?"])

    questions: list[str] = Field(default=[], max_length=MOST_QUESTIONS)
    drop: list[str] = Field(default=[], max_length=MOST_QUESTIONS)
    filters: list[str] = Field(default=[], max_length=50)
    fresh: bool = False


@tables_router.post("/projects/{namespace}/{name}/tables", status_code=202)
async def begin_table(
    verbs: Verbs, project_id: OfProject, body: Annotated[TableBody, Body()], response: Response
) -> JobState:
    """Ask every paper the kept questions and new ones: a job. Only what is new is read."""
    wanted = build(
        TableRequest,
        project_id=project_id,
        questions=tuple(body.questions),
        drop=tuple(body.drop),
        filter=filter_of(body.filters),
        writer=verbs.application.settings.review.writer,
        fresh=body.fresh,
    )
    submit = partial(verbs.jobs.tables.submit, wanted)
    return await _begun(verbs, "table", project_id, submit, response)


@tables_router.get(
    "/projects/{namespace}/{name}/table", response_model=PaperTable, responses=_FILES
)
async def show_kept_table(
    verbs: Verbs,
    project_id: OfProject,
    filter: Filters = None,
    format: TableFormat = TableFormat.JSON,
) -> Response:
    """The kept table, without reading anything: what was not asked yet is `not read yet`."""
    wanted = TableRequest(
        project_id=project_id,
        filter=filter_of(filter),
        writer=verbs.application.settings.review.writer,
        kept=True,
    )
    found = await verbs.run("table", lambda: verbs.application.research.table(wanted))
    return _as_file(verbs, found, format)


@tables_router.get("/jobs/{job_id}/table", response_model=PaperTable, responses=_FILES)
async def show_table(verbs: Verbs, job_id: str, format: TableFormat = TableFormat.JSON) -> Response:
    """The table that a job has filled."""
    found = await verbs.run("table", lambda: result_of(verbs.jobs.tables.find(job_id)))
    return _as_file(verbs, found, format)


def _as_file(verbs: Access, found: PaperTable, format: TableFormat) -> Response:
    if format is TableFormat.JSON:
        return worded(found)
    return file_of(verbs.application.research.table_file(found, format), *_MEDIA[format])


validations_router = APIRouter(tags=["validations"])

_AS_A_JOB: Final = "begin it as a job: POST /api/v1/validations"
Deep = Annotated[bool, Query(description="Read everything that is stored, not only a sample.")]


class ValidationAnswer(BaseModel):
    """``ok``: no check failed. The same facts as `citeloom validate --json`."""

    ok: bool
    checks: tuple[Check, ...]


class ValidationBody(BaseModel):
    """Without a project all are checked. ``deep`` reads everything that is stored."""

    model_config = body_of(project="reading", deep=True)

    project: str | None = Field(default=None, max_length=300)
    deep: bool = False


@validations_router.get("/projects/{namespace}/{name}/validate", response_model=ValidationAnswer)
async def validate_project(verbs: Verbs, project_id: OfProject, deep: Deep = False) -> JSONResponse:
    """Check the consistency of a project: references, model, conversions, index, citations."""
    return await _validated(verbs, project_id, deep)


@validations_router.get("/validate", response_model=ValidationAnswer)
async def validate_workspace(verbs: Verbs, deep: Deep = False) -> JSONResponse:
    """Check the catalogue and all projects."""
    return await _validated(verbs, None, deep)


@validations_router.post("/validations", status_code=202)
async def begin_validation(
    verbs: Verbs, body: Annotated[ValidationBody, Body()], response: Response
) -> JobState:
    """Check one project or all, as a job: for what takes longer than a request may."""
    project_id = ProjectId.parse(body.project) if body.project is not None else None

    wanted = ValidateRequest(project_id=project_id, deep=body.deep)
    submit = partial(verbs.jobs.validations.submit, wanted)
    return await _begun(verbs, "validate", project_id, submit, response)


@validations_router.get("/jobs/{job_id}/validation", response_model=ValidationAnswer)
async def show_validation(verbs: Verbs, job_id: str) -> JSONResponse:
    """The findings of a validation that has ended."""
    jobs = verbs.jobs.validations
    found = await verbs.run("validation", lambda: result_of(jobs.find(job_id)))
    return worded(_validation(found))


async def _validated(verbs: Access, project_id: ProjectId | None, deep: bool) -> JSONResponse:
    projects = verbs.application.projects

    def work() -> Validation:
        return projects.validate(project_id, retractions=projects.retraction_list, deep=deep)

    return worded(_validation(await verbs.run("validate", work, instead=_AS_A_JOB)))


def _validation(found: Validation) -> ValidationAnswer:
    return ValidationAnswer(ok=found.ok, checks=found.checks)
